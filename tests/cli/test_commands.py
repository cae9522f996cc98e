"""The command line: what it prints, writes and refuses."""

import json
import subprocess
import sys
from dataclasses import replace

import pytest

from narlab import algorithms, data
from narlab.algorithms.engine import Algorithm
from narlab.cli import command_class, command_names, main
from narlab.common.errors import UsageError
from narlab.training import Run


def refused(capsys, *arguments):
    """The one line with which a command line is refused, with exit code 2."""
    with pytest.raises(SystemExit) as end:
        main(arguments)
    assert end.value.code == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    lines = captured.err.strip().splitlines()
    assert len(lines) == 1, captured.err
    return lines[0]


def test_the_overview_names_every_command(capsys):
    main([])
    overview = capsys.readouterr().out
    assert all(f"narlab {name} " in overview for name in command_names())


@pytest.mark.parametrize("name", command_names())
def test_every_help_has_an_example(capsys, name):
    with pytest.raises(SystemExit) as end:
        main([*name.split(), "--help"])
    assert end.value.code == 0
    text = capsys.readouterr().out
    assert "Example" in text
    assert f"narlab {name}" in text
    assert command_class(name).__doc__.strip().splitlines()[0] in " ".join(text.split())


def test_algorithms_lists_all(capsys):
    main(["algorithms"])
    lines = capsys.readouterr().out.splitlines()
    row = next(line for line in lines if "articulation_points" in line)
    assert row.split()[1] == "graphs"
    assert row.split()[-1] == "48-73"
    assert sum("pos" in line for line in lines) == 30


def test_show_prints_each_step(capsys, tmp_path):
    main(["show", "insertion_sort", "--n", "4", "--png", str(tmp_path / "a.png")])
    text = capsys.readouterr().out
    assert "step 3 of 3" in text
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")


def test_generate_writes_what_load_gives(capsys, tmp_path):
    path = tmp_path / "bfs.safetensors"
    main(["generate", "clrs", "bfs", "--split", "val", "--out", str(path), "--hints"])
    assert f"{path}: 32 samples, n=16" in capsys.readouterr().out
    assert (data.read(path).hints["pi_h"] == data.load("clrs", "bfs", "val", hints=True).hints["pi_h"]).all()


def test_generate_custom(tmp_path):
    path = tmp_path / "prim.npz"
    options = "--n 12 --count 7 --graphs regular:k=3 --weights 0.5,1 --seed 4"
    main(["generate", "custom", "mst_prim", *options.split(), "--out", str(path)])
    found = data.read(path)
    assert len(found) == 7
    assert ((found.inputs["A"] != 0).sum(1) == 3).all()


def test_bench_prints_rates(capsys, tmp_path):
    path = tmp_path / "rates.json"
    main(["bench", "data", "minimum", "--sizes", "8", "--repeats", "1", "--json", str(path)])
    (rate,) = json.loads(path.read_text())
    assert rate["algorithm"] == "minimum"
    assert rate["with_hints"] > 0
    assert "with hints /s" in capsys.readouterr().out


def test_bench_judges_answers_only_when_asked(capsys, monkeypatch, tmp_path):
    path = tmp_path / "rates.json"
    main(["bench", "data", "bridges", "--valid", "--sizes", "8", "--repeats", "1", "--json", str(path)])
    (rate,) = json.loads(path.read_text())
    assert (rate["algorithm"], rate["n"]) == ("bridges", 8)
    assert min(rate["right"], rate["wrong"]) > 0
    main(["bench", "data", "minimum,bfs", "--valid", "--sizes", "8", "--repeats", "1"])
    printed = capsys.readouterr().out
    assert "right answers /s" in printed
    assert "with hints" not in printed
    assert "n=8: at least " in printed
    monkeypatch.delattr(Algorithm, "valid")
    main(["bench", "data", "minimum", "--sizes", "8", "--repeats", "1"])


@pytest.mark.oracle
@pytest.mark.filterwarnings("ignore")  # dm-clrs's own libraries warn a lot
def test_bench_compares_batches_with_dm_clrs(capsys, monkeypatch, tmp_path):
    pytest.importorskip("clrs", reason="dm-clrs is not installed: make oracle")
    monkeypatch.setattr("narlab.bench.data.PEER_SECONDS", 0.01)
    path = tmp_path / "rates.json"
    main(["bench", "data", "minimum", "--batches", "--sizes", "8", "--repeats", "1", "--json", str(path)])
    (rate,) = json.loads(path.read_text())
    assert rate["ratio"] == rate["narlab"]["per_second"] / rate["dm_clrs"]["per_second"] > 1
    assert "n=8: " in capsys.readouterr().out


def test_bench_of_batches_needs_dm_clrs(capsys, monkeypatch):
    monkeypatch.setattr("narlab.cli.commands.bench_data.has_dm_clrs", lambda: False)
    with pytest.raises(SystemExit):
        main(["bench", "data", "minimum", "--batches"])
    assert "--batches needs dm-clrs; get it with: pip install 'narlab[oracle]'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("genrate", "narlab: unknown command 'genrate'; did you mean 'generate'?"),
        ("bench dta", "narlab: unknown command 'bench dta'; did you mean 'bench data'?"),
        ("generate clrs", "narlab: missing: ALGORITHM, --out; see narlab generate --help"),
        ("generate clrs bfs --out x.npz", "narlab: missing: --split; 'clrs' has train, val, test"),
        ("generate clrs bfs --split val --out x.npz --hnts", "unknown option '--hnts'; did you mean '--hints'?"),
        ("generate clsr bfs --split val --out x.npz", "unknown data set 'clsr'; did you mean 'clrs'?"),
        ("generate clrs bsf --split val --out x.npz", "unknown algorithm 'bsf'; did you mean 'bfs'?"),
        ("generate clrs bfs --split vla --out x.npz", "unknown split of 'clrs' 'vla'; did you mean 'val'?"),
        ("generate clrs bfs --split val --n 3 --out x.npz", "--n is for a custom data set"),
        ("generate clrs bfs --split val --out x.csv", "must end in .safetensors or .npz"),
        ("generate clrs bfs --split val --out /dev/null/x.npz", "cannot write '/dev/null/x.npz'"),
        ("generate custom bfs --out x.npz", "a custom data set needs --n and --count"),
        ("generate custom bfs --n 8 --count x --out x.npz", "--count must be an integer, got 'x'"),
        ("generate custom bfs --n 8 --count -3 --out x.npz", "count must be an integer of at least 0, got -3"),
        ("generate custom bfs --n 8 --count 3 --graphs rgular --out x.npz", "did you mean 'regular'?"),
        (
            "generate custom bfs --n 8 --count 3 --graphs er:p=2 --out x.npz",
            "p must be a probability in [0, 1], got 2.0",
        ),
        ("show bsf", "unknown algorithm 'bsf'; did you mean 'bfs'?"),
        ("show bfs --n 1", "bfs needs n from 2 to 32767, got n=1"),
        ("show bfs --png /dev/null/x.png", "/dev/null/x.png"),
        ("bench data --repeats 0", "--repeats must be at least 1, got 0"),
        ("bench data bfs --batches --valid", "--valid and --batches are two measurements: take one at a time"),
        ("train", "missing: ALGORITHM, --config or --resume"),
        (
            "train bfs --depth x",
            "narlab: depth must be an integer from 1 to 100000, 'trajectory' or a rule such as 'n',",
        ),
        (
            "train bfs --depth 0",
            "narlab: depth must be an integer from 1 to 100000, 'trajectory' or a rule such as 'n',",
        ),
        ("train bfs --hints decoded_only --depth 3", "hints='decoded_only' needs depth='trajectory', got depth=3"),
        ("train bfs --dataset l_clr", "'l_clrs'? Known: clrs, l_clrs, l_clrs_deg, l_clrs_len, l_clrs_len_deg, ladder"),
        ("train bridges --dataset bridges_two_communities", "'bridges_two_communities' has no training samples"),
        ("train bfs --threads 0", "--threads must be at least 1, got 0"),
        ("train --resume none --bfloat16", "--resume takes the run as it is in its folder: leave 'bfloat16' out"),
        ("runs none", "there is no folder 'none'"),
        ("runs .", "no runs below '.'"),
    ],
)
def test_mistakes_get_one_line(capsys, tmp_path, monkeypatch, line, message):
    monkeypatch.chdir(tmp_path)
    assert message in refused(capsys, *line.split())
    assert list(tmp_path.iterdir()) == []


def test_a_closed_pipe_is_no_error():
    code = "import sys; from narlab.cli import main; main(['algorithms'])"
    run = f'{sys.executable} -c "{code}" | head -1'
    done = subprocess.run(["bash", "-c", run], capture_output=True, text=True, check=True)
    assert "Traceback" not in done.stderr


TINY = """dataset = "custom"
n = 6
hidden = 8
depth = 2
steps = 2
samples = 8
bfloat16 = true
"""
BFS = {"algorithm": "bfs"}


@pytest.fixture
def config(tmp_path, monkeypatch):
    """A run in a file, but for its algorithm."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tiny.toml").write_text(TINY)
    return tmp_path / "tiny.toml"


def test_a_config_is_completed_by_the_command_line(capsys, config):
    main("train bfs --config tiny.toml --steps 3 --out runs/a --threads 1".split())  # noqa: SIM905
    assert "chosen at step 3" in capsys.readouterr().out
    assert Run.from_toml(config.parent / "runs/a/run.toml") == replace(Run.from_toml(config, BFS).resolved(), steps=3)
    assert "names no algorithm" in refused(capsys, "train", "--config", "tiny.toml")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("hint_names = 3", "narlab: 'tiny.toml': hint_names must be a list of strings, got 3"),
        ('hint_names = "pi_h"', "narlab: 'tiny.toml': hint_names must be a list of strings, got 'pi_h'"),
        ('position = ["scalar"]', "narlab: 'tiny.toml': position must be a string, got ['scalar']"),
    ],
)
def test_configs_with_values_of_a_wrong_kind(capsys, config, line, message):
    config.write_text(TINY + line)
    assert refused(capsys, "train", "bfs", "--config", "tiny.toml") == message


def test_runs_that_cannot_be_read_are_listed_with_the_reason(capsys, config):
    for name in ("a", "b", "c", "d"):
        main(["train", "bfs", "--config", "tiny.toml", "--out", f"runs/{name}", "--threads", "1"])
    (config.parent / "runs/a/result.json").write_text('{"step": [')
    (config.parent / "runs/b/run.toml").write_text("[/bold] = what")
    (config.parent / "runs/c/metrics.jsonl").write_text('{"step": 1, "val": "high"}\n{"step": 2, "val": 0.5}\n')
    (config.parent / "runs/c/result.json").unlink()
    capsys.readouterr()
    main(["runs", "."])
    rows = {line.split()[0]: line for line in capsys.readouterr().out.splitlines() if line.strip()}
    assert "unreadable: 'runs/a/result.json' can't be read: Expecting value" in rows["runs/a"]
    assert "unreadable: 'runs/b/run.toml' can't be read as TOML" in rows["runs/b"]
    assert "unreadable: " in rows["runs/c"]
    assert rows["runs/d"].split()[-1] == "done"


def test_a_model_of_pairs_is_trained_and_evaluated(capsys, config):
    options = "--processor triangle --position order --readout pairs --relations --hidden 8 --depth n/2"
    options += " --pair-features potentials,intervals"
    main(f"train minimum --config tiny.toml {options} --steps 3 --out runs/a --threads 1".split())
    run = Run.from_toml(config.parent / "runs/a/run.toml")
    assert (run.relations, run.readout, run.position, run.depth) == (True, "pairs", "order", "n/2")
    assert run.pair_features == ("potentials", "intervals")
    assert "relations = true" in (config.parent / "runs/a/run.toml").read_text()
    main("evaluate runs/a --sizes 5 --count 4 --csv found.csv".split())  # noqa: SIM905
    header, row = (config.parent / "found.csv").read_text().splitlines()
    assert 0 <= float(dict(zip(header.split(","), row.split(","), strict=True))["score"]) <= 1


@pytest.mark.parametrize("name", algorithms.CLRS_30)
def test_every_probe_is_explained(name):
    for probe in algorithms.get(name).probes:
        assert len(probe.meaning) > 8, probe.name


def test_one_algorithm_is_explained(capsys):
    main(["algorithms", "Graham_Scan"])
    text = capsys.readouterr().out
    assert text.startswith("graham_scan (geometry): Graham's scan")
    for probe in algorithms.get("graham_scan").probes:
        (line,) = (line for line in text.splitlines() if line.split()[:1] == [probe.name])
        for word in (probe.stage, probe.location, probe.type, probe.meaning):
            assert word in line
    assert "[T, 5]" in text
    assert "An answer is valid if" in text


@pytest.mark.parametrize("line", ["bench", "bench --help", "help bench"])
def test_a_group_of_commands_lists_its_own(capsys, line):
    main(line.split())
    text = capsys.readouterr().out
    assert "narlab bench data" in text
    assert "narlab train" not in text


def test_help_of_a_command(capsys):
    with pytest.raises(SystemExit) as end:
        main(["help", "bench", "data"])
    assert end.value.code == 0
    assert "usage: narlab bench data" in capsys.readouterr().out
    assert "unknown command 'trian'; did you mean 'train'?" in refused(capsys, "help", "trian")


def test_capitals_do_not_matter():
    assert algorithms.get("Bfs") is algorithms.get("bfs")
    assert Run("BFS", processor="MPNN_G", dataset="L_CLRS") == Run("bfs", processor="mpnn_g", dataset="l_clrs")
    assert data.custom("Quicksort", n=4, count=1).algorithm == "quicksort"
    with pytest.raises(UsageError, match="unknown algorithm 'Breadth'"):
        algorithms.get("Breadth")
