"""Runs as files and what can't be a run."""

from dataclasses import replace

import pytest

from narlab.training import Run


def test_a_run_is_written_and_read_back(tmp_path, tiny):
    for run in (
        tiny.resolved(),
        Run("dfs", hints="encoded_decoded", hint_names=("pi_h", "color")).resolved(),
        Run("bfs"),
    ):
        path = tmp_path / "run.toml"
        path.write_text(run.to_toml())
        assert Run.from_toml(path) == run


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
        ({"dataset": "l_clr"}, r"unknown data set 'l_clr'; did you mean 'l_clrs'\?"),
        ({"dataset": "l_clrs"}, "n is for the data set 'custom'"),
        ({"n": None}, "the data set 'custom' needs n"),
        ({"processor": "mpn"}, "unknown processor 'mpn'"),
        ({"steps": 0}, "steps must be an integer of at least 1, got 0"),
        ({"batch_size": -1}, "batch_size must be an integer of at least 1, got -1"),
        ({"learning_rate": 0.0}, "learning_rate must be a positive number, got 0.0"),
        ({"seed": -1}, "seed must be an integer of at least 0, got -1"),
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


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('algorithm = "bfs"\nprocesor = "gat"', r"unknown key 'procesor'; did you mean 'processor'\?"),
        ("steps = 3", "names no algorithm"),
        ("algorithm = ", "can't be read as TOML"),
    ],
)
def test_files_that_are_no_run(tmp_path, text, message):
    (tmp_path / "run.toml").write_text(text)
    with pytest.raises(ValueError, match=message):
        Run.from_toml(tmp_path / "run.toml")
    with pytest.raises(ValueError, match="there is no file"):
        Run.from_toml(tmp_path / "none.toml")
