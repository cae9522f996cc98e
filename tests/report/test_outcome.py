"""Outcomes in folders."""

import json

import pytest

from narlab.experiments.declaring.outcome import Cell, Drawing, GraphPanel, Number, Outcome, Plot, Series, Table
from narlab.report.outcome import read, write

TABLE = Table(
    "scores",
    "Scores",
    ("bfs", "dfs"),
    ("mpnn_g",),
    {("bfs", "mpnn_g"): Cell((1 / 3, 98.5), Number(99.0, 0.1)), ("dfs", "mpnn_g"): Cell((), Number(30.0))},
    notes=("Erdős",),
)
PLOT = Plot("curves", "Curves", "x", "y", {"p": (Series("a", (0.0, 1.0), (1.0, 2.0), (0.1, 0.2)),)}, notes=("n",))
PANEL = GraphPanel(
    "g", 3, ((0, 1), (1, 2)), True, (0, 0, 1), ((1, 2),), ("a", "b", "c"), ((0.0, 0.0), (1.0, 0.0), (2.0, 1.0))
)
DRAWING = Drawing("graphs", "Graphs", (PANEL, GraphPanel("plain", 2, ())))
OUTCOME = Outcome("main", "short", (TABLE,), (PLOT,), (DRAWING,), ("2,000 steps",))
FIGURES = [f"{stem}.{kind}" for stem in ("curves", "graphs") for kind in ("png", "svg", "pdf")]
NAMES = ["scores.txt", "scores.md", "scores.tex", "scores.csv", *FIGURES]


def test_what_is_written_is_read_back(tmp_path):
    folder = tmp_path / "short" / "main"
    written = write(OUTCOME, folder)
    assert [path.name for path in written] == [*NAMES, "outcome.json"]
    assert sorted(folder.iterdir()) == sorted(written)
    assert read(folder) == OUTCOME
    assert (folder / "curves.png").read_bytes().startswith(b"\x89PNG")
    assert "<svg" in (folder / "graphs.svg").read_text()


def test_a_table_says_by_itself_what_was_run(tmp_path):
    write(OUTCOME, tmp_path)
    for suffix in ("txt", "md", "tex"):
        assert "2,000 steps" in (tmp_path / f"scores.{suffix}").read_text(), suffix


@pytest.mark.slow
def test_the_bytes_are_the_same_each_time(tmp_path):
    for one, other in zip(write(OUTCOME, tmp_path / "a"), write(OUTCOME, tmp_path / "b"), strict=True):
        assert one.read_bytes() == other.read_bytes(), one.name


def test_a_later_outcome_replaces_an_earlier_one(tmp_path):
    write(OUTCOME, tmp_path)
    later = Outcome("main", "short", (Table("scores", "Scores", ("bfs",), ("gat",), {("bfs", "gat"): Cell((5.0,))}),))
    write(later, tmp_path)
    assert read(tmp_path) == later
    assert "gat" in (tmp_path / "scores.txt").read_text()


@pytest.mark.parametrize("name", ["../x", "a/b", "", ".", ".hidden"])
def test_names_that_leave_the_folder_are_refused(name, tmp_path):
    with pytest.raises(ValueError, match="can't be the stem"):
        write(Outcome("main", "short", (Table(name, "T", (), (), {}),)), tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_names_that_are_taken_are_refused(tmp_path):
    with pytest.raises(ValueError, match="main has 2 figures called 'curves'; names must differ"):
        write(Outcome("main", "short", plots=(PLOT,), drawings=(Drawing("curves", "D", ()),)), tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_without_an_outcome_is_named(tmp_path):
    with pytest.raises(ValueError, match=r"holds no outcome: it has no outcome\.json; narlab reproduce writes it"):
        read(tmp_path)


@pytest.mark.parametrize("content", ["{", "[]", "{}", '{"experiment": 1}', json.dumps({"tables": None}), "\0"])
def test_a_broken_outcome_is_one_clear_line(content, tmp_path):
    (tmp_path / "outcome.json").write_text(content)
    with pytest.raises(ValueError, match=r"outcome.json' can't be read: .*; narlab reproduce writes it anew$"):
        read(tmp_path)
