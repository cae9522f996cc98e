"""`narlab play --html`: one file that holds everything."""

import base64
import json
import re

import pytest

from narlab.cli import main
from narlab.play.page_files import page_files


def content_of(page):
    return json.loads(re.search(r'<script type="application/json" id="content">(.*?)</script>', page, re.DOTALL)[1])


def test_one_file_with_all_steps(tmp_path, capsys):
    path = tmp_path / "lecture.html"
    main(["play", "bfs@triangle", "quicksort", "--n", "6", "--count", "2", "--html", str(path)])
    assert "4 instances with all steps" in capsys.readouterr().out
    page = path.read_text()
    scenes = content_of(page)["scenes"]
    assert [scene["algorithm"] for scene in scenes] == ["bfs", "bfs", "quicksort", "quicksort"]
    assert scenes[0]["inputs"] != scenes[1]["inputs"]
    assert len(scenes[0]["answers"][0]["steps"]) == 3
    assert "://" not in re.sub(r"http://www.w3.org/2000/svg", "", page)
    assert not re.search(r"""(src|href)=["'](?!data:)""", page)


def test_the_modules_find_each_other(tmp_path):
    path = tmp_path / "page.html"
    main(["play", "bfs", "--n", "4", "--html", str(path)])
    imports = json.loads(re.search(r'<script type="importmap">(.*?)</script>', path.read_text())[1])["imports"]
    assert set(imports) == {f"narlab/{name}" for name in page_files() if name.endswith(".js")}
    for url in imports.values():
        source = base64.b64decode(url.partition(",")[2]).decode()
        assert set(re.findall(r'^import .*?from "([^"]+)"', source, re.MULTILINE)) <= set(imports)


def test_own_instances(tmp_path):
    from narlab import data

    data.export(data.custom("bfs", n=4, count=3), tmp_path / "mine.npz")
    main(["play", "bfs", "--input", str(tmp_path / "mine.npz"), "--html", str(tmp_path / "mine.html")])
    assert len(content_of((tmp_path / "mine.html").read_text())["scenes"]) == 3


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--html", "page.txt"], "must end in .html"),
        (["bsf"], "did you mean 'bfs'"),
        (["--count", "0"], "--count must be an integer from 1 to 1000"),
    ],
)
def test_mistakes_are_one_line(arguments, said, capsys):
    with pytest.raises(SystemExit) as exit:
        main(["play", *arguments])
    assert exit.value.code == 2
    assert said in " ".join(capsys.readouterr().err.split())
