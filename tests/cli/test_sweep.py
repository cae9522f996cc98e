"""`narlab sweep`: a file of one's own in which lists stand for several runs; and `narlab runs` on what it leaves."""

import json
from pathlib import Path

import pytest

from narlab.cli import main
from narlab.experiments import beyond
from narlab.experiments.declaring import own_sweep
from narlab.training.folder import Folder

pytestmark = pytest.mark.xdist_group("sweep of one's own")  # so that what they share is made once
ROOT = Path(__file__).parents[2]
FILE = """
algorithm = ["bfs", "dfs"]
dataset = "custom"
n = 4
hidden = 4
depth = 2
steps = 2
samples = 8
batch_size = 4
seed = [1, 2]
"""


@pytest.fixture(scope="module")
def swept(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sweep")
    (folder / "mine.toml").write_text(FILE)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        main(["sweep", "mine.toml", "--threads", "1"])
    return folder


@pytest.fixture
def here(swept, monkeypatch, capsys):
    monkeypatch.chdir(swept)
    capsys.readouterr()
    return swept


def test_every_combination_is_a_run(here, capsys):
    runs = {(run.algorithm, run.seed) for run in (Folder(path).run() for path in (here / "runs/mine").iterdir())}
    assert runs == {("bfs", 1), ("bfs", 2), ("dfs", 1), ("dfs", 2)}
    main(["sweep", "mine.toml", "--threads", "1"])
    text = capsys.readouterr().out
    assert text.startswith("runs/mine: 4 runs, 4 done, 0 begun, 0 not begun")
    assert text.count("2/2") == 4


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("algoritm = 'bfs'", "unknown setting of a run in 'bad.toml' 'algoritm'; did you mean 'algorithm'?"),
        ("steps = 3", "'bad.toml' names no algorithm"),
        ("algorithm = 'bfs'\nseed = []", "the list of seed is empty"),
        ("algorithm = 'bfs'\nsteps = [1, 'two']", "'bad.toml': steps must be an integer, got 'two'"),
    ],
)
def test_mistakes_in_the_file(here, capsys, line, message):
    (here / "bad.toml").write_text(line)
    with pytest.raises(SystemExit) as end:
        main(["sweep", "bad.toml"])
    assert end.value.code == 2
    assert message in capsys.readouterr().err


def folders(capsys, *options):
    main(["runs", "runs/mine", "--json", "-", *options])
    return [row["folder"].rpartition("/")[2] for row in json.loads(capsys.readouterr().out)]


def test_runs_are_chosen_and_ordered(here, capsys):
    everything = folders(capsys)
    assert len(everything) == 4
    (one,) = folders(capsys, "--where", "algorithm=bfs,seed=2")
    assert one.startswith("bfs-custom-mpnn_g-2")
    assert folders(capsys, "--where", "folder=*dfs*") == [name for name in everything if name.startswith("dfs")]
    main(["runs", "runs/mine", "--json", "sorted.json", "--sort", "test"])
    assert capsys.readouterr().out == "sorted.json\n"
    tests = [row["test"] for row in json.loads((here / "sorted.json").read_text())]
    assert tests == sorted(tests, reverse=True)
    assert [name.split("-")[3] for name in folders(capsys, "--sort", "seed")] == ["1", "1", "2", "2"]
    main(["runs", "runs/mine", "--where", "state=unfinished"])
    assert capsys.readouterr().out == "none of 4 runs below runs/mine is such a one\n"


def test_settings_that_differ_are_columns(here, capsys):
    main(["runs", "runs/mine"])
    head = next(line for line in capsys.readouterr().out.splitlines() if "folder" in line)
    assert head.split() == "folder algorithm data set processor seed step val test state".split()  # noqa: SIM905
    small = "train bfs --dataset custom --n 4 --hidden 8 --depth 2 --steps 2 --samples 8 --out runs/mine/wide".split()  # noqa: SIM905
    main(small)
    capsys.readouterr()
    main(["runs", "runs/mine"])
    head = next(line for line in capsys.readouterr().out.splitlines() if "folder" in line)
    assert {"hidden", "batch_size"} <= set(head.split())


def test_unknown_columns_are_refused(here, capsys):
    for option, message in (
        ("--where", "unknown column of runs 'sede'; did you mean 'seed'?"),
        ("--sort", "unknown column of runs 'sede=1'"),
    ):
        with pytest.raises(SystemExit):
            main(["runs", "runs/mine", option, "sede=1"])
        assert message in capsys.readouterr().err


def test_the_example_trains_what_beyond_trains():
    tasks = beyond.ALGORITHMS
    assert own_sweep.read(ROOT / "examples" / "all_tasks.toml") == [run.resolved() for run in beyond.runs(tasks, [42])]
