"""`narlab models` lists every part of a model, with numbers of parameters."""

import subprocess
import sys

import pytest

from narlab.cli import main
from narlab.models import hint_modes, positions, processors


def rows(capsys, *arguments):
    """The cells of each line, by the first one."""
    main(["models", *arguments])
    lines = capsys.readouterr().out.splitlines()
    return {line.split()[0]: line.strip() for line in lines if line.strip()}


def test_everything_is_listed(capsys):
    found = rows(capsys)
    assert {*processors.names(), *positions.names(), *hint_modes.names()} <= set(found)


def test_processors(capsys):
    found = rows(capsys)
    assert found["mpnn_g"].split("   ")[-1].strip().startswith("MPNN-G: message passing along the graph")
    for name, pairs, width, parameters in (
        ("mpnn_fc", "all pairs", "128", "332,673"),
        ("two_wl", "A if the task has a graph, else all pairs", "128", "398,721"),
        ("hybrid_sigmoid", "A if the task has a graph, else all pairs", "108", "414,074"),
        ("pgn", "A always", "128", "332,673"),
    ):
        assert pairs in found[name]
        assert f" {width} " in found[name]
        assert f" {parameters} " in found[name]


def test_positions_and_hints(capsys):
    found = rows(capsys)
    assert " 332,673 " in found["scalar"]
    assert " 334,593 " in found["sinusoidal"]  # 16 numbers per node instead of one
    assert "i/N for node i" in found["scalar"]
    assert found["markovian"].split()[1:] == ["yes", "yes", "no", "no", "481,539"]
    assert found["none"].split()[1:5] == ["no", "no", "yes", "no"]


def test_another_algorithm(capsys):
    of_bfs, of_sorting = rows(capsys), rows(capsys, "--algorithm", "quicksort")
    assert of_bfs["mpnn_g"] != of_sorting["mpnn_g"]


def test_an_unknown_algorithm(capsys):
    with pytest.raises(SystemExit) as end:
        main(["models", "--algorithm", "bsf"])
    assert end.value.code == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("narlab: unknown algorithm 'bsf'; did you mean 'bfs'? Known: ")
    assert captured.err.count("\n") == 1


def test_help_does_not_load_pytorch():
    code = "import sys; from narlab.cli import command_class; command_class('models'); print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
