"""Animations: a frame for each step, as GIF and as a page of its own."""

import re

import pytest
from PIL import Image

from narlab import algorithms
from narlab.cli import main
from narlab.report.pictures.animation import animate


@pytest.mark.parametrize(
    "name", ["bfs", pytest.param("insertion_sort", marks=pytest.mark.slow), "binary_search"]
)  # the last one's answer has no hint
def test_a_gif_has_a_frame_for_each_step(name, tmp_path):
    algorithm = algorithms.get(name)
    inputs = algorithm.sample(5, 1, seed=2)
    execution = algorithm.execute(inputs)
    with Image.open(animate(algorithm, inputs, execution, tmp_path / "a.gif")) as gif:
        frames = getattr(gif, "n_frames", 1)
        assert 1 <= frames <= execution.lengths[0]  # frames that are alike are one
        assert gif.width > 200


def test_a_page_has_every_step_and_needs_no_network(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    main(["show", "bfs", "--n", "5", "--animation", "a.html"])
    assert "written: a.html" in capsys.readouterr().out
    page = (tmp_path / "a.html").read_text()
    inputs = algorithms.get("bfs").sample(5, 1)
    assert page.count("<img ") == algorithms.get("bfs").execute(inputs).lengths[0]
    assert not re.search(r"https?://", page)


def test_other_endings_are_refused(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit):
        main(["show", "bfs", "--animation", "a.mp4"])
    assert "its name must end in .gif or .html" in capsys.readouterr().err
