"""What an evaluation leaves in a run's folder."""

import math

import numpy as np
import pytest

import narlab
from narlab import data, models
from narlab.common.errors import UsageError
from narlab.data import Description
from narlab.evaluation import measure, records
from narlab.evaluation.metrics import Counts, Level, Metric, share

GAP = Metric(
    "gap", Level.GRAPH, lambda *_: [Counts(np.array([[math.inf, 1.0]]), share)], higher_is_better=False, is_share=False
)


@pytest.fixture(scope="module")
def measured():
    model = models.build("bfs", hidden=8)
    sets = [data.custom("bfs", n=n, count=4, graphs=graphs) for n in (5, 6) for graphs in ("tree", "ws:k=4,p=0.1")]
    return [measure(model, dataset, metrics=["score", GAP]) for dataset in sets]


def no_complaint(text):
    raise AssertionError(text)


def test_all_is_kept_and_read_back(measured, tmp_path):
    paths = [records.keep(tmp_path, measurement, seed=3) for measurement in measured]
    assert len(set(paths)) == 4
    assert all(path.parent == tmp_path / "evaluations" for path in paths)
    assert paths[1].name.startswith("custom-n5-ws-k=4-p=0.1-")
    found = records.kept(tmp_path, no_complaint)
    for measurement in measured:
        (record,) = [each for each in found if Description(**each["description"]) == measurement.description]
        assert {name: record[name] for name in measurement.row()} == measurement.row()
        assert record["gap"] == math.inf
        assert record["by_output"] == measurement.scores.by_output
        assert record["metrics"]["gap"] == {"level": "graph", "higher_is_better": False, "is_share": False}
        assert record["seed"] == 3
        assert record["versions"]["narlab"] == narlab.__version__
        assert {"torch", "numba", "numpy"} < set(record["versions"])
        assert record["date"][:2] == "20"


def test_the_same_again_replaces_and_anything_else_is_added(measured, tmp_path):
    records.keep(tmp_path, measured[0], seed=3)
    first = records.keep(tmp_path, measured[0], seed=3)
    assert list((tmp_path / "evaluations").iterdir()) == [first]
    records.keep(tmp_path, measured[0], seed=4)
    records.keep(tmp_path, measured[1], seed=3)
    assert len(records.kept(tmp_path, no_complaint)) == 3


@pytest.mark.parametrize("content", [b"", b"{", b"[1]", b"3", b"{}", b'{"metrics": {"score": {}}, "date": "2026"}'])
def test_a_file_that_can_t_be_read_is_named_and_left_out(measured, tmp_path, content):
    records.keep(tmp_path, measured[0], seed=0)
    (tmp_path / "evaluations" / "broken.json").write_bytes(content)
    complaints = []
    assert len(records.kept(tmp_path, complaints.append)) == 1
    (complaint,) = complaints
    assert "broken.json' can't be read and is left out: " in complaint


def test_a_run_without_evaluations_has_none(tmp_path):
    assert records.kept(tmp_path, no_complaint) == []


def test_a_folder_that_can_t_be_written_to_is_a_clear_error(measured, tmp_path):
    (tmp_path / "evaluations").write_text("in the way")
    with pytest.raises(UsageError, match="cannot write"):
        records.keep(tmp_path, measured[0], seed=0)
