"""`narlab evaluate`: what it prints, writes and refuses."""

import csv
import json
import shutil
from itertools import takewhile

import pytest

from narlab import data, training
from narlab.cli import main
from narlab.data import Dataset, Description
from narlab.evaluation import evaluate, records
from narlab.training.folder import Folder


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Folders of tiny trained models, by algorithm."""
    folder = tmp_path_factory.mktemp("runs")
    for name in ("bfs", "bridges", "minimum"):
        run = training.Run(name, dataset="custom", n=8, hidden=16, depth=4, steps=4, validate_every=2, test_every=4)
        training.train(run, folder / name, threads=1)
    early = training.Run("bfs", dataset="custom", n=6, hidden=8, depth=3, steps=12, validate_every=4, samples=50)
    training.train(early, folder / "early", threads=1)  # its best validation is not its last
    (folder / "nothing").mkdir()
    (folder / "begun").mkdir()
    Folder(folder / "begun").begin(training.Run("bfs", dataset="custom", n=8, hidden=16).resolved())
    return folder


@pytest.fixture
def here(runs, monkeypatch, tmp_path):
    """In an empty folder beside the runs, which are called `runs`."""
    (tmp_path / "runs").symlink_to(runs)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def table(capsys, line):
    """The cells of each row that a command prints."""
    main(line.split())
    lines = capsys.readouterr().out.splitlines()
    start = next(k for k, text in enumerate(lines) if text.strip().startswith("─"))
    rows = takewhile(str.strip, lines[start + 1 :])  # what the columns mean stands behind an empty line
    return [[cell for cell in text.split("  ") if cell.strip()] for text in rows]


def test_the_test_set_is_scored_by_default(here, capsys):
    ((*facts, score, graph), *_) = table(capsys, "evaluate runs/bfs --metrics score,graph_score")
    assert [fact.strip() for fact in facts] == ["custom", "8", "-", "200"]
    result = Folder("runs/bfs").result()
    assert score.strip().startswith(f"{100 * result['test']:.2f} [")
    assert graph.strip().startswith(f"{100 * result['test_graph']:.2f} [")


def cells_of(result, name, *, share=True):
    """A metric's cell in the table: its value and interval."""
    numbers = (result[name], result[f"{name}_low"], result[f"{name}_high"])
    value, low, high = (f"{100 * number:.2f}" if share else f"{float(number):.4g}" for number in numbers)
    return f"{value} [{low}, {high}]"


def test_validity_is_shown_and_written_wherever_scores_are(here, capsys):
    main("evaluate runs/bfs --sizes 6,10 --count 7 --json a.json --csv a.csv --plot a.png".split())  # noqa: SIM905
    text = capsys.readouterr().out
    results = json.loads((here / "a.json").read_text())["results"]
    written = list(csv.DictReader((here / "a.csv").read_text().splitlines()))
    for result, row in zip(results, written, strict=True):
        (line,) = [line for line in text.splitlines() if line.split()[:2] == ["custom", str(result["n"])]]
        assert cells_of(result, "valid") in line
        assert cells_of(result, "valid_elements") in line
        assert cells_of(result, "gap", share=False) in line
        assert float(row["valid"]) == result["valid"]
        assert float(row["gap_solved"]) == result["gap_solved"]
        solved = f"custom, n={result['n']}: {100 * result['gap_solved']:.2f} % of the answers are solutions"
        assert (solved in text) == (result["gap_solved"] < 1)
    assert (here / "a.png").read_bytes().startswith(b"\x89PNG")


def test_a_narrow_terminal_gets_a_line_for_each_metric(here, capsys, monkeypatch):
    monkeypatch.setattr("narlab.cli.terminal.PIPE_WIDTH", 80)
    rows = table(capsys, "evaluate runs/minimum --sizes 5 --count 4 --json a.json")
    (result,) = json.loads((here / "a.json").read_text())["results"]
    names = ("score", "graph_score", "valid", "valid_elements")
    assert [row[4].strip() for row in rows] == [f"{name.replace('_', ' ')} %" for name in names]
    assert [row[5].strip() for row in rows] == [cells_of(result, name) for name in names]


@pytest.mark.parametrize(
    "name", ["bridges", "early", *(pytest.param(n, marks=pytest.mark.slow) for n in ("bfs", "minimum"))]
)
@pytest.mark.parametrize("split", [pytest.param("val", marks=pytest.mark.slow), "test"])
def test_the_runs_own_data_gives_the_runs_own_scores(here, name, split):
    main(["evaluate", f"runs/{name}", "--split", split, "--json", "a.json"])
    (found,) = json.loads((here / "a.json").read_text())["results"]
    result = Folder(f"runs/{name}").result()
    assert (found["score"], found["graph_score"]) == (result[split], result[f"{split}_graph"])


def test_a_seed_gives_other_features(here, capsys):
    ((*_, score),) = table(capsys, "evaluate runs/bfs --seed 3 --metrics score")
    model, test = training.load("runs/bfs"), Folder("runs/bfs").run().split("test")
    assert score.strip().startswith(f"{100 * evaluate(model, test, seed=3).score:.2f} [")


def test_sizes_and_graphs_combine_and_are_written(here, capsys):
    line = (
        "evaluate runs/bfs --sizes 6,10 --graphs er,ws:k=4,p=0.1 --count 7 --csv out/a.csv --json a.json --plot a.png"
    )
    rows = table(capsys, f"{line} --metrics score,graph_score")
    expected = [(n, family) for family in ("er:p=0.5", "ws:k=4,p=0.1") for n in ("6", "10")]
    assert [(row[1].strip(), row[2].strip()) for row in rows] == expected
    written = list(csv.DictReader((here / "out/a.csv").read_text().splitlines()))
    assert [(row["n"], row["graphs"]) for row in written] == expected
    results = json.loads((here / "a.json").read_text())
    assert results["algorithm"] == "bfs"
    for row, result, shown in zip(written, results["results"], rows, strict=True):
        assert float(row["score"]) == result["score"] == result["by_output"]["pi"]
        assert result["score_low"] <= result["score"] <= result["score_high"]
        assert result["graph_score_low"] <= result["graph_score"] <= result["graph_score_high"]
        assert result["count"] == 7
        assert shown[4].strip().startswith(f"{100 * result['score']:.2f} [{100 * result['score_low']:.2f}, ")
    assert (here / "a.png").read_bytes().startswith(b"\x89PNG")
    assert sorted(file.name for file in here.iterdir()) == ["a.json", "a.png", "out", "runs"]


def test_a_seed_decides(here):
    line = "evaluate runs/bfs --sizes 6 --count 20"
    for name, seed in (("a", 0), ("b", 0), ("c", 1)):
        main([*line.split(), "--seed", str(seed), "--csv", f"{name}.csv"])
    first, second, other = ((here / f"{name}.csv").read_bytes() for name in "abc")
    assert first == second != other


def test_named_data_sets_and_splits(here, capsys):
    ((*facts, _),) = table(capsys, "evaluate runs/bfs --dataset clrs --split val --count 5 --metrics score")
    assert [fact.strip() for fact in facts] == ["clrs val", "16", "-", "5"]
    for line in ("evaluate runs/bfs --split val", "evaluate runs/bfs --dataset custom"):
        ((*facts, _),) = table(capsys, f"{line} --metrics score")
        assert facts[3].strip() == "200"


def test_the_test_sets_family_is_kept(here, capsys):
    run = training.Run("bfs", dataset="l_clrs_len", hidden=8, depth=1, steps=1, validate_every=1, samples=32)
    small = {"train": 32, "val": 4, "test": 4}
    with pytest.MonkeyPatch.context() as patch:
        whole = training.Run.split
        patch.setattr(training.Run, "split", lambda self, name: whole(self, name)[: small[name]])
        training.train(run, here / "regular", threads=1)
    ((*facts, _),) = table(capsys, "evaluate regular --sizes 10 --count 3 --metrics score")
    assert [fact.strip() for fact in facts] == ["custom", "10", "regular:k=4", "3"]


def test_pairs_are_counted(here, capsys):
    main("evaluate runs/bridges --dataset bridges_two_communities --count 20 --json a.json".split())  # noqa: SIM905
    text = capsys.readouterr().out
    assert "of 10 pairs are right in both graphs; chance is 25 %" in text
    (result,) = json.loads((here / "a.json").read_text())["results"]
    outcomes = [result[f"pairs_{a}_{b}"] for a in ("right", "wrong") for b in ("right", "wrong")]
    assert sum(outcomes) == 10
    assert result["pairs_accuracy"] == outcomes[0] / 10
    counted = [line.split()[-1] for line in text.splitlines() if line.split()[:1] in (["right"], ["wrong"])]
    assert counted == [str(number) for number in outcomes]


def test_metrics_are_chosen(here, capsys):
    rows = table(capsys, "evaluate runs/bfs --sizes 6,8 --count 7 --metrics graph_score --csv a.csv --plot a.png")
    assert [len(row) for row in rows] == [5, 5]
    header, *_ = (here / "a.csv").read_text().splitlines()
    assert header == "data,n,graphs,count,graph_score,graph_score_low,graph_score_high"
    assert (here / "a.png").read_bytes().startswith(b"\x89PNG")


def test_a_metric_from_outside_is_named_by_its_module(here, capsys, monkeypatch):
    (here / "strict.py").write_text(
        "from narlab.evaluation.metrics import Metric, Level\n"
        "from narlab.evaluation.metrics.graph_score import counts\n"
        "WRONG = Metric('wrong', Level.GRAPH, counts, higher_is_better=False, is_share=False)\n"
    )
    monkeypatch.syspath_prepend(here)
    ((*_, score, wrong),) = table(capsys, "evaluate runs/bfs --count 5 --metrics score,strict:WRONG --json a.json")
    (found,) = json.loads((here / "a.json").read_text())["results"]
    assert wrong.strip().startswith(f"{found['wrong']:.4g} [")
    assert score.strip().startswith(f"{100 * found['score']:.2f} [")


def test_pairs_alone(here, capsys):
    main("evaluate runs/bridges --dataset bridges_two_communities --count 20 --metrics pairs --json a.json".split())  # noqa: SIM905
    (result,) = json.loads((here / "a.json").read_text())["results"]
    assert result["pairs"] == result["pairs_accuracy"]
    assert 0 <= result["pairs_low"] <= result["pairs"] <= result["pairs_high"] <= 1
    assert "score" not in result
    assert f"{100 * result['pairs']:.2f} % of 10 pairs" in capsys.readouterr().out


def test_a_seed_never_gives_training_data(here):
    """With seed 1, as many graphs of the size and family of the training data were its very first ones."""
    kept = here / "runs" / "bfs" / "evaluations"
    before = set(kept.glob("*"))
    main("evaluate runs/bfs --sizes 8 --count 50 --seed 1".split())  # noqa: SIM905
    (path,) = set(kept.glob("*")) - before
    made = Dataset(Description(**json.loads(path.read_text())["description"])).inputs["A"]
    train = Folder("runs/bfs").run().split("train").inputs["A"]
    assert made.shape == train[:50].shape
    assert not {graph.tobytes() for graph in made} & {graph.tobytes() for graph in train}


def test_results_are_kept_in_the_runs_folder(here, capsys):
    main("evaluate runs/minimum --sizes 5,6 --count 4 --json a.json".split())  # noqa: SIM905
    results = json.loads((here / "a.json").read_text())["results"]
    kept = records.kept("runs/minimum", complain=pytest.fail)
    for result in results:
        (record,) = [record for record in kept if record["n"] == result["n"] and record["count"] == 4]
        assert {name: record[name] for name in result} == result
    assert capsys.readouterr().err == ""
    training.train(Folder("runs/minimum").run(), "runs/minimum", threads=1)  # it is still the run's folder


def test_a_folder_that_can_t_be_written_to_gets_a_warning(here, runs, capsys):
    shutil.copytree(runs / "minimum", here / "theirs", ignore=shutil.ignore_patterns("evaluations"))
    (here / "theirs" / "evaluations").write_text("in the way")
    assert len(table(capsys, "evaluate theirs --sizes 5,6 --count 4")) == 2
    main("evaluate theirs --count 4".split())  # noqa: SIM905
    (warning,) = capsys.readouterr().err.splitlines()
    assert warning.startswith("narlab: the result is not kept in the run's folder: cannot write 'theirs/evaluations/")


def test_one_size_is_plotted(here):
    main("evaluate runs/minimum --sizes 5 --count 3 --plot a.svg".split())  # noqa: SIM905
    assert (here / "a.svg").read_text().startswith("<?xml")
    assert (here / "a.svg").stat().st_size > 5000


def test_scores_against_depth(here, capsys):
    what = "evaluate runs/bfs --sizes 6,8 --count 9 --metrics score --depths n/2,4,2*n"
    rows = table(capsys, f"{what} --csv a.csv --json a.json --plot a.png")
    facts = [[fact.strip() for fact in row[1:6]] for row in rows]
    assert facts == [
        ["6", "-", "9", "n/2", "3"], ["6", "-", "9", "4", "4"], ["6", "-", "9", "2*n", "12"],
        ["8", "-", "9", "n/2", "4"], ["8", "-", "9", "4", "4"], ["8", "-", "9", "2*n", "16"],
    ]  # fmt: skip
    results = json.loads((here / "a.json").read_text())["results"]
    model, eight = training.load("runs/bfs"), data.custom("bfs", n=8, count=9, seed=2**31)
    assert results[5]["score"] == evaluate(model, eight, depth="2*n").score
    assert results[3]["score"] == results[4]["score"] == evaluate(model, eight).score  # its own depth is 4
    written = list(csv.DictReader((here / "a.csv").read_text().splitlines()))
    assert [row["steps"] for row in written] == ["3", "4", "12", "4", "4", "16"]
    assert (here / "a.png").stat().st_size > 5000
    kept = [found for found in records.kept("runs/bfs", complain=print) if "depth" in found]
    assert {(found["n"], found["depth"]) for found in kept} == {(n, rule) for n in (6, 8) for rule in ("n/2", 4, "2*n")}
    main("report runs/bfs --out page.html".split())  # noqa: SIM905
    assert "2*n" in (here / "page.html").read_text()


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("", "missing: FOLDER"),
        ("runs/none", "'runs/none' is no run: it has no run.toml"),
        ("runs/nothing", "'runs/nothing' is no run: it has no run.toml"),
        ("runs/begun", "'runs/begun' has no chosen model yet: it is written at the first validation"),
        ("runs/bfs --sizes 8,x", "sizes are integers with commas between, such as 16,32,64, got '8,x'"),
        ("runs/bfs --depths n/2,x", "depth must be an integer from 1 to 100000, 'trajectory' or a rule"),
        ("runs/bfs --depths n,", "--depths is a list with commas"),
        ("runs/bfs --depths 0", "got '0'"),
        ("runs/bfs --depths trajectory", "--depths are numbers or rules such as n/2, got 'trajectory'"),
        ("runs/bfs --sizes 1", "bfs needs n from 2 to 32767, got n=1"),
        ("runs/bfs --graphs rgular", "unknown graph family 'rgular'; did you mean 'regular'?"),
        ("runs/bfs --sizes 7 --graphs regular:k=9", "9"),
        ("runs/minimum --graphs er", "minimum has no graph: leave graphs out"),
        ("runs/bfs --dataset clsr", "unknown data set 'clsr'; did you mean 'clrs'?"),
        ("runs/bfs --dataset clrs --split tset", "unknown split of 'clrs' 'tset'; did you mean 'test'?"),
        ("runs/bfs --split tset", "unknown split of 'custom' 'tset'; did you mean 'test'?"),
        ("runs/bfs --dataset bridges_two_communities", "does not cover 'bfs'"),
        ("runs/bfs --dataset clrs --sizes 8", "dataset does not go with sizes and graphs"),
        ("runs/bfs --split val --graphs er", "split does not go with sizes and graphs"),
        ("runs/bfs --sizes 8 --count 0", "count must be an integer of at least 1, got 0"),
        ("runs/bfs --count 0", "count must be an integer of at least 1, got 0"),
        ("runs/bfs --count 201", "'custom' has 200 samples here, got count=201"),
        ("runs/bridges --dataset bridges_two_communities --count 3", "count must be even, got 3"),
        ("runs/bfs --metrics scroe", "unknown metric 'scroe'; did you mean 'score'?"),
        ("runs/bfs --metrics score,", "--metrics is a list with commas"),
        ("runs/bfs --metrics score,pairs", "the metric 'pairs' has no meaning for bfs on the data set 'custom'"),
        ("runs/bfs --seed -1", "seed must be an integer of at least 0, got -1"),
        ("runs/bfs --device tpu2", "unknown device 'tpu2'"),
        ("runs/bfs --csv runs", "cannot write 'runs': it is a folder"),
        ("runs/bfs --json /dev/null/a.json", "cannot write '/dev/null/a.json': '/dev/null' is not a folder"),
        ("runs/bfs --json /dev/null", "cannot write '/dev/null': it is no ordinary file"),
        ("runs/bfs --plot a.gif", "cannot tell the format of 'a.gif'"),
    ],
)
def test_mistakes_get_one_line(here, capsys, line, message):
    capsys.readouterr()
    with pytest.raises(SystemExit) as end:
        main(["evaluate", *line.split()])
    assert end.value.code == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert len(captured.err.strip().splitlines()) == 1, captured.err
    assert message in captured.err
    assert [file.name for file in here.iterdir()] == ["runs"]


def test_a_failure_while_writing_leaves_the_old_file(here, capsys, monkeypatch):
    def fail(*_):
        raise OSError(28, "No space left on device")

    (here / "a.csv").write_text("old")
    monkeypatch.setattr("narlab.common.files.os.replace", fail)
    with pytest.raises(SystemExit) as end:
        main(["evaluate", "runs/bfs", "--count", "3", "--csv", "a.csv"])
    assert end.value.code == 2
    assert "cannot write 'a.csv': No space left on device" in capsys.readouterr().err
    assert (here / "a.csv").read_text() == "old"
    assert sorted(file.name for file in here.iterdir()) == ["a.csv", "runs"]


def test_a_model_with_hints_gets_them(here, capsys):
    run = training.Run(
        "bfs", dataset="custom", n=6, hints="encoded_decoded", hidden=8, steps=1, validate_every=1, samples=32
    )
    training.train(run, here / "hints", threads=1)
    ((*facts, _),) = table(capsys, "evaluate hints --sizes 5 --graphs tree --count 3 --metrics score")
    assert [fact.strip() for fact in facts] == ["custom", "5", "tree", "3"]
    data.export(data.custom("bfs", n=5, count=2), here / "mine.npz")
    main("predict hints --input mine.npz --out answers.json".split())  # noqa: SIM905
    assert "on 2 instances of 5 nodes" in capsys.readouterr().out


def test_another_depth_needs_a_model_without_hints(here, capsys):
    run = training.Run(
        "bfs", dataset="custom", n=6, hints="decoded_only", hidden=8, steps=1, validate_every=1, samples=32
    )
    training.train(run, here / "hints", threads=1)
    capsys.readouterr()
    with pytest.raises(SystemExit):
        main("evaluate hints --count 3 --depths n".split())  # noqa: SIM905
    assert "needs a model without hints" in capsys.readouterr().err
