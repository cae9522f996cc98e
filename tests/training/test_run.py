"""Runs as files and what can't be a run."""

import re
from dataclasses import replace

import numpy as np
import pytest

from narlab.models import depth
from narlab.training import Run

DEPTH = re.escape(depth.VALID)


def test_a_run_is_written_and_read_back(tmp_path, tiny):
    for run in (
        tiny.resolved(),
        Run("dfs", hints="encoded_decoded", hint_names=("pi_h", "color")).resolved(),
        Run("bfs"),
        Run("bfs", bfloat16=True),
        Run("bfs", seed=np.int64(7), learning_rate=np.float64(3e-5)),
    ):
        path = tmp_path / "run.toml"
        path.write_text(run.to_toml())
        assert Run.from_toml(path) == run


def test_what_is_switched_off_is_not_written(tiny):
    assert "bfloat16" not in tiny.to_toml()  # so that a run keeps its text, and its name in a sweep, as switches come
    assert "bfloat16 = true" in replace(tiny, bfloat16=True).to_toml()


def test_hint_names_in_a_list_are_those_in_a_tuple():
    listed = Run("dfs", hints="encoded_decoded", hint_names=["pi_h", "color"])
    assert listed.resolved() == replace(listed, hint_names=("pi_h", "color")).resolved()


def test_the_defaults_are_the_paper_s():
    run = Run("bfs").resolved()
    assert (run.dataset, run.processor, run.position, run.hints) == ("l_clrs", "mpnn_g", "random_scalar", "none")
    assert (run.hidden, run.depth, run.batch_size, run.steps, run.learning_rate) == (128, 32, 32, 20_000, 1e-4)
    hybrid = Run("bfs", processor="hybrid_sigmoid").resolved()
    assert (hybrid.hidden, hybrid.batch_size) == (108, 16)
    assert Run("bfs", processor="two_wl").resolved().batch_size == 16
    assert Run("bfs", hints="encoded_decoded").resolved().depth == "trajectory"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"algorithm": "bsf"}, r"unknown algorithm 'bsf'; did you mean 'bfs'\?"),
        (
            {"dataset": "l_clr"},
            r"unknown data set 'l_clr'; did you mean 'l_clrs'\? "
            "Known: clrs, l_clrs, l_clrs_deg, l_clrs_len, l_clrs_len_deg, ladder, custom$",
        ),
        (
            {"algorithm": "bridges", "dataset": "bridges_two_communities"},
            "the data set 'bridges_two_communities' has no training samples; .* To train on: clrs, .*, custom$",
        ),
        (
            {"algorithm": "bridges", "dataset": "bridges_two_communities", "recipe": "ladder"},
            "the data set 'bridges_two_communities' has no training samples; .* To train on: clrs, .*, custom$",
        ),
        ({"dataset": "l_clrs"}, "n is for the data set 'custom'"),
        ({"n": None}, "the data set 'custom' needs n"),
        ({"processor": "mpn"}, "unknown processor 'mpn'"),
        ({"steps": 0}, "steps must be an integer of at least 1, got 0"),
        ({"batch_size": -1}, "batch_size must be an integer of at least 1, got -1"),
        ({"learning_rate": 0.0}, "learning_rate must be a positive number, got 0.0"),
        ({"seed": -1}, "seed must be an integer of at least 0, got -1"),
        (
            {"depth": 0},
            f"depth must be {DEPTH}, got 0",
        ),
        (
            {"depth": "x"},
            f"depth must be {DEPTH}, got 'x'",
        ),
        (
            {"depth": 1.5},
            f"depth must be {DEPTH}, got 1.5",
        ),
        ({"hints": "encoded_decoded"}, "hints='encoded_decoded' needs depth='trajectory', got depth=3"),
        ({"hints": "encoded_decoded", "hint_names": 3}, "hint_names must be a list of strings, got 3"),
        ({"bfloat16": "yes"}, "bfloat16 must be true or false, got 'yes'"),
        ({"relations": 1}, "relations must be true or false, got 1"),
        ({"processor": "triangle", "hidden": 6}, "triangle needs hidden to be a multiple of 4, such as 32, got 6"),
        ({"graphs": "regulr"}, r"unknown graph family 'regulr'; did you mean 'regular'\?"),
    ],
)
def test_settings_that_can_not_be(tiny, changes, message):
    with pytest.raises(ValueError, match=message) as error:
        replace(tiny, **changes).resolved()
    assert "\n" not in str(error.value)


def test_more_samples_than_there_are():
    with pytest.raises(ValueError, match="'clrs' has 1000 training samples, got samples=2000"):
        Run("bfs", dataset="clrs", samples=2000).resolved()
    with pytest.raises(ValueError, match="'clrs' has 32 tests, got test_samples=33"):
        Run("bfs", dataset="clrs", test_samples=33).resolved()
    with pytest.raises(ValueError, match="test_samples must be an integer of at least 1, got 0"):
        Run("bfs", test_samples=0).resolved()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('algorithm = "bfs"\nprocesor = "gat"', r"unknown key 'procesor'; did you mean 'processor'\?"),
        ("steps = 3", 'names no algorithm; add one, such as algorithm = "bfs"'),
        ("algorithm = ", "can't be read as TOML"),
        ("hint_names = 3", r"run.toml': hint_names must be a list of strings, got 3"),
        ('hint_names = "pi_h"', "hint_names must be a list of strings, got 'pi_h'"),
        ('hint_names = ["pi_h", 3]', r"hint_names must be a list of strings, got \['pi_h', 3\]"),
        ('steps = "many"', "steps must be an integer, got 'many'"),
        ("steps = true", "steps must be an integer, got True"),
        ("seed = 1.5", "seed must be an integer, got 1.5"),
        ("dataset = 3", "dataset must be a string, got 3"),
        ("algorithm = 1979-05-27", "algorithm must be a string, got datetime.date"),
        ('hidden = "128"', "hidden must be an integer, got '128'"),
        (
            "depth = 1.5",
            f"depth must be {DEPTH}, got 1.5",
        ),
        ('learning_rate = "fast"', "learning_rate must be a number, got 'fast'"),
        ("bfloat16 = 1", "bfloat16 must be true or false, got 1"),
        ("n = {least = 3}", "n must be an integer, got {'least': 3}"),
    ],
)
def test_files_that_are_no_run(tmp_path, text, message):
    (tmp_path / "run.toml").write_text(text)
    with pytest.raises(ValueError, match=message) as error:
        Run.from_toml(tmp_path / "run.toml")
    assert "\n" not in str(error.value)
    with pytest.raises(ValueError, match="there is no file"):
        Run.from_toml(tmp_path / "none.toml")


def test_changes_go_before_what_a_file_says(tmp_path):
    path = tmp_path / "part.toml"
    path.write_text("steps = 7\nlearning_rate = 1")
    assert Run.from_toml(path, {"algorithm": "dfs", "steps": 8}) == Run("dfs", steps=8, learning_rate=1)
