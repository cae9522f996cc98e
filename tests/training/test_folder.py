"""What a run's folder says of files that are not what they should be."""

import pytest

from narlab.common.errors import UsageError
from narlab.training import Run, train
from narlab.training.folder import Folder
from narlab.training.reporting import PlainLines


class Quiet(PlainLines):
    """Prints nothing."""

    def __init__(self):
        super().__init__(write=lambda text: None)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b'{"step": 3', "can't be read: Expecting"),
        (b"", "can't be read: Expecting value"),
        (b"\xff\xfe\x00\x01", "can't be read: "),
        (b"[1, 2]", "it must be an object with step, val, val_graph, test, test_graph, seconds, got [1, 2]"),
        (b'{"step": 3}', "val is missing; it must be a number from 0 to 1"),
        (b"[" * 100_000, "its lists and objects are nested too deeply"),
        (
            b'{"step": 1, "val": "high", "val_graph": 0, "test": 0, "test_graph": 0, "seconds": 1}',
            "val must be a number from 0 to 1, got 'high'",
        ),
    ],
)
def test_a_broken_result_is_named_and_can_be_made_again(tmp_path, tiny, everything, content, reason):
    train(tiny, tmp_path, threads=1, reporter=Quiet())
    whole = everything(tmp_path)
    (tmp_path / "result.json").write_bytes(content)
    for ask in (Folder(tmp_path).result, lambda: train(tiny, tmp_path, threads=1, reporter=Quiet())):
        with pytest.raises(ValueError, match=r"result\.json") as error:
            ask()
        assert str(error.value).startswith(f"{str(tmp_path / 'result.json')!r} can't be read: ")
        assert reason in str(error.value)
        assert str(error.value).endswith(f"remove it, and narlab train --resume {tmp_path} makes it again")
    (tmp_path / "result.json").unlink()
    train(tiny, tmp_path, threads=1, reporter=Quiet())
    assert everything(tmp_path) == whole


def test_lines_that_were_cut_are_left_out(tmp_path):
    (tmp_path / "metrics.jsonl").write_bytes(b'{"step": 1}\n\xff\n{"step": 2}\n{"ste')
    assert Folder(tmp_path).metrics() == [{"step": 1}, {"step": 2}]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b"7", "line 2: it must be an object with step, got 7"),
        (b'{"val": 1}', "line 2: step is missing; it must be an integer of at least 0, below 2**63"),
        (b'{"step": 1' + b"0" * 50 + b"}", "got an integer of 167 bits"),
        (b'{"step": 2, "val": [0.5]}', "line 2: val must be a number from 0 to 1, got [0.5]"),
        (b'{"step": 2, "loss": NaN}', "line 2: loss must be a finite number, got nan"),
        (b"[" * 100_000, "line 2: its lists and objects are nested too deeply"),
    ],
)
def test_lines_that_are_no_metrics_are_named(tmp_path, line, reason):
    (tmp_path / "metrics.jsonl").write_bytes(b'{"step": 1}\n' + line + b"\n")
    with pytest.raises(UsageError, match=r"metrics\.jsonl") as error:
        Folder(tmp_path).metrics()
    assert reason in str(error.value)


@pytest.mark.parametrize("said", [None, "[]", '["areas"]'])
def test_a_run_from_before_there_were_pair_features_has_none(tmp_path, said):
    """Its run.toml has no word on them, and the recipe now has some."""
    folder = Folder(tmp_path)
    folder.begin(Run("dfs", recipe="ladder").resolved())
    assert folder.run().pair_features == Run("dfs", recipe="ladder").resolved().pair_features != ()
    lines = [line for line in (tmp_path / "run.toml").read_text().splitlines() if not line.startswith("pair_features")]
    (tmp_path / "run.toml").write_text("\n".join([*lines, *([f"pair_features = {said}"] if said else [])]))
    assert folder.run().pair_features == (("areas",) if said == '["areas"]' else ())
