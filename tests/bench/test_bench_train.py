"""`narlab bench train`: what it measures, prints, writes and refuses."""

import json

import pytest

from narlab.bench import benches
from narlab.bench.benches import Request
from narlab.cli import main
from narlab.cli.commands.bench_train import warn_if_busy

TINY = "--threads 1 --batch-size 2 --hidden 4 --depth 2 --repeats 1"


@pytest.fixture
def bench(capsys, tmp_path):
    """The tables and the file of a benchmark of small things."""

    def run(options):
        path = tmp_path / "bench.json"
        main(f"bench train {options} {TINY} --json {path}".split())
        return capsys.readouterr().out, json.loads(path.read_text())

    return run


@pytest.mark.slow
def test_a_step_is_measured_on_both_paths(bench):
    text, report = bench("hybrid_average --algorithms minimum --n 4")
    assert "PyTorch" in text.splitlines()[0]
    (row,) = report["training"]
    assert row["case"]["processor"] == "hybrid_average"
    assert row["goal_seconds"] == pytest.approx(1.1 * sum(part["seconds"] for part in row["parts"]))
    assert len(row["parts"]) == 2
    assert row["ratio"] == pytest.approx(row["plain"]["seconds"] / row["fast"]["seconds"])
    assert row["fast"]["rate"] == pytest.approx(row["fast"]["flops"] / row["fast"]["seconds"] / 1e9)
    assert row["fast"]["flops"] != row["plain"]["flops"]
    assert row["machine"]["rate"] > 0
    assert f"{row['plain']['seconds']:.3f}" in text
    assert "its parts at its width are mpnn_g" in text
    assert report["threads"] == 1
    assert report["machine"]["cores"] >= 1


def test_only_what_is_of_the_tables_size_has_a_goal():
    ((_, goal),) = [row.args for row in benches.training(Request(("mpnn_fc",), ("quicksort",))).measurements]
    assert (goal.seconds, goal.ratio) == (0.40, 1.6)
    smaller = Request(("mpnn_fc",), ("quicksort",), changes={"graphs": 2})
    ((_, goal),) = [row.args for row in benches.training(smaller).measurements]
    assert (goal.seconds, goal.ratio) == (None, None)


@pytest.mark.slow
def test_growth_has_an_exponent(bench):
    text, report = bench("mpnn_g --scaling --sizes 12,6")
    assert [point["case"]["n"] for point in report["scaling"]] == [6, 12]
    assert "over n = 6 to 12; expected about 1" in text
    assert all(point["seconds_per_graph"] > 0 for point in report["scaling"])


@pytest.mark.slow
def test_evaluation_and_overhead_in_one_go(bench):
    text, report = bench("mpnn_fc --algorithms quicksort --evaluation --overhead --n 5")
    (evaluated,) = report["evaluation"]
    assert evaluated["at_a_time"] >= 1
    assert evaluated["fast"]["flops"] > 0
    (overhead,) = report["overhead"]
    assert 0 < overhead["share"] < 1
    assert overhead["before"] + overhead["after"] < 2 * overhead["step"]
    assert "not the model" in text
    assert "training" not in report


def test_a_busy_machine_is_told_of(capsys):
    warn_if_busy(0.05, "used", "too slow")
    assert capsys.readouterr().err == ""
    warn_if_busy(1.5, "used", "too slow")
    assert capsys.readouterr().err == "narlab: warning: other processes used 1.5 cores: too slow\n"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("--repeats 0", "--repeats must be an integer from 1 to 1000000, got 0"),
        ("--threads 0", "--threads must be an integer from 1 to 256, got 0"),
        ("two_wl_all_pairs", "the table has no row of two_wl_all_pairs; name both processors and --algorithms"),
        ("gta --algorithms bfs", "unknown processor 'gta'; did you mean 'gat'?"),
        ("gat --algorithms bsf", "unknown algorithm 'bsf'; did you mean 'bfs'?"),
        ("gat --scaling", "this table has no row of gat; it has mpnn_fc on quicksort"),
        ("--scaling --n 8", "--n has no meaning with --scaling"),
        ("--scaling --sizes 8", "--sizes must be two sizes or more, got 8"),
        ("--scaling --sizes 4,8", "'regular' graphs need k < n"),
        ("--json results.txt", "its name must end in .json"),
    ],
)
def test_mistakes_get_one_line(capsys, tmp_path, monkeypatch, line, message):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as end:
        main(["bench", "train", *line.split()])
    assert end.value.code == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert message in captured.err
    assert len(captured.err.strip().splitlines()) == 1
    assert list(tmp_path.iterdir()) == []
