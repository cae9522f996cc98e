"""`narlab train --recipe ladder`, on the one algorithm whose graphs have four nodes at any size."""

import json

import pytest

from narlab.cli import main


def test_the_recipe_alone_gives_the_whole_of_it(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    main("train segments_intersect --recipe ladder --steps 2 --threads 1".split())  # noqa: SIM905
    folder = tmp_path / "runs" / next((tmp_path / "runs").iterdir()).name
    assert folder.name.startswith("segments_intersect-ladder-triangle-recipe=ladder-42")
    result = json.loads((folder / "result.json").read_text())
    text = capsys.readouterr().out
    assert "segments_intersect on ladder: triangle, order, seed 42" in text
    assert f"depth {result['depth']}, protocol {result['protocol']}" in text
    said = "--processor triangle --position order --relations --readout pairs --recipe ladder --steps 2"
    main(f"train segments_intersect {said} --threads 1".split())
    assert "is done already" in capsys.readouterr().out  # the same run, said at length
    main(f"evaluate {folder} --split ladder_16 --metrics score".split())
    assert f"{100 * result['ladder_16']:.2f} [" in capsys.readouterr().out
    main(f"evaluate {folder} --count 5 --metrics score --depths n/2,n".split())
    assert "ladder test" in capsys.readouterr().out
    main(f"report {folder} --out page.html".split())
    assert "ladder" in (tmp_path / "page.html").read_text()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("train bfs --relations --no-relations", "--relations and --no-relations exclude each other"),
        (
            "train bfs --recipe ladder --dataset clrs",
            "take the data set 'ladder', or the recipe 'ladder:choose_on=val'",
        ),
        ("train bfs --recipe ladder --hints encoded_decoded", "needs depth='trajectory'"),
    ],
)
def test_mistakes_get_one_line(tmp_path, monkeypatch, capsys, line, message):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit):
        main(line.split())
    captured = capsys.readouterr().err
    assert message in captured
    assert len(captured.strip().splitlines()) == 1
