"""`narlab report`: a folder in, one HTML file out."""

import pytest

from narlab import training
from narlab.cli import main


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    run = training.Run("bfs", dataset="custom", n=6, hidden=8, depth=3, steps=2, validate_every=1, samples=50)
    training.train(run, folder / "bfs", threads=1)
    return folder


def test_it_writes_the_report_into_the_folder(trained, capsys):
    main(["report", str(trained)])
    path = trained / "report.html"
    assert capsys.readouterr().out.splitlines()[-1].startswith(f"{path}: 0.0")
    assert "<!DOCTYPE html>" in path.read_text()
    assert "bfs" in path.read_text()


def test_it_writes_where_it_is_told(trained, tmp_path, capsys):
    main(["report", str(trained / "bfs"), "--out", str(tmp_path / "new" / "one.html")])
    assert [path.name for path in (tmp_path / "new").iterdir()] == ["one.html"]
    assert "one.html" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere"], "narlab: there is no folder 'nowhere'; runs are made by narlab train and narlab reproduce"),
        (["."], "narlab: no runs below '.'; they are made by narlab train and narlab reproduce"),
        ([".", "--out", "a.txt"], "narlab: cannot tell the format of 'a.txt'; its name must end in .html or .htm"),
        ([".", "--ot", "a.html"], "unknown option '--ot'; did you mean '--out'?"),
        ([], "narlab: missing: FOLDER; see narlab report --help"),
    ],
)
def test_mistakes_get_one_line(arguments, message, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as end:
        main(["report", *arguments])
    assert end.value.code == 2
    (line,) = capsys.readouterr().err.strip().splitlines()
    assert message in line
    assert list(tmp_path.iterdir()) == []
