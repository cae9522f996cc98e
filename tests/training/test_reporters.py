"""Reporters write what the metrics log holds, each evaluation once, also of a run that was broken off."""

import json
import sys

import pandas
import pytest

from narlab.cli import main
from narlab.common.errors import UsageError
from narlab.training import train
from narlab.training.reporters import reporting_to
from narlab.training.reporting import PlainLines


class Quiet(PlainLines):
    """Prints nothing; may pull the plug at an evaluation."""

    def __init__(self, stop_at=None):
        super().__init__(write=lambda text: None)
        self.stop_at = stop_at

    def evaluation(self, line):
        if line["step"] == self.stop_at:
            raise KeyError("the plug")


def shown(folder):
    """Steps and values by the name of a metric, as TensorBoard reads them."""
    reading = pytest.importorskip("tensorboard.backend.event_processing.event_accumulator")
    events = reading.EventAccumulator(str(folder / "tensorboard"))
    events.Reload()
    return {name: [(each.step, each.value) for each in events.Scalars(name)] for name in events.Tags()["scalars"]}


def logged(folder):
    """The same from the metrics log."""
    lines = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
    names = ("loss", "val", "val_graph", "test", "test_graph", "learning_rate")
    return {name: [(line["step"], pytest.approx(line[name])) for line in lines if name in line] for name in names}


def test_every_evaluation_is_shown(tmp_path, tiny):
    pytest.importorskip("tensorboard")
    train(tiny, tmp_path / "run", threads=1, reporter=reporting_to(["tensorboard"], Quiet()))
    assert shown(tmp_path / "run") == logged(tmp_path / "run")
    assert [step for step, _ in shown(tmp_path / "run")["test"]] == [8, 12]


def test_a_run_that_goes_on_is_shown_once_and_whole(tmp_path, tiny):
    pytest.importorskip("tensorboard")
    with pytest.raises(KeyError, match="the plug"):
        train(tiny, tmp_path / "run", threads=1, reporter=Quiet(stop_at=8))
    with pytest.raises(KeyError, match="the plug"):  # this evaluation comes twice: there is no checkpoint after it
        train(tiny, tmp_path / "run", threads=1, reporter=reporting_to(["tensorboard"], Quiet(stop_at=12)))
    train(tiny, tmp_path / "run", threads=1, reporter=reporting_to(["tensorboard"], Quiet()))
    assert shown(tmp_path / "run") == logged(tmp_path / "run")
    assert [step for step, _ in shown(tmp_path / "run")["val"]] == [4, 8, 12]


def test_without_tensorboard_nothing_begins(tmp_path, monkeypatch, capsys):
    for name in ("tensorboard", "tensorboard.compat", "tensorboard.compat.proto"):
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit) as end:
        main(["train", "bfs", "--dataset", "custom", "--n", "8", "--tensorboard"])
    assert end.value.code == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line == "narlab: TensorBoard is not installed; get it with: pip install 'narlab[tensorboard]'"
    assert not list(tmp_path.iterdir())


def broken_off_twice(tiny, folder, *reporters):
    """Train with reporters, pull the plug twice: before anything was reported, and after an evaluation was."""
    for told, stop_at in (((), 8), (reporters, 12), (reporters, None)):
        try:
            train(tiny, folder, threads=1, reporter=reporting_to(told, Quiet(stop_at=stop_at)))
        except KeyError:
            assert stop_at


def test_csv(tmp_path, tiny):
    broken_off_twice(tiny, tmp_path / "run", "csv")
    frame = pandas.read_csv(tmp_path / "run" / "metrics.csv")
    assert frame.step.tolist() == [4, 8, 12]
    assert frame.test.isna().tolist() == [True, False, False]
    for name, points in logged(tmp_path / "run").items():
        assert [(step, value) for step, value in zip(frame.step, frame[name], strict=True) if value == value] == points


def records(content):
    """The records of a file of W&B: a header of 7 bytes, then LevelDB's log, in blocks of 32 KiB."""
    assert content.startswith(b":W&B")
    place, parts = 7, []
    while place + 7 <= len(content):
        if 2**15 - place % 2**15 < 7:  # no room for a record's head: the rest of a block is empty
            place += 2**15 - place % 2**15
            continue
        size, kind = int.from_bytes(content[place + 4 : place + 6], "little"), content[place + 6]
        parts.append(content[place + 7 : place + 7 + size])
        place += 7 + size
        if kind in (1, 4):  # whole, or the last part of one
            yield b"".join(parts)
            parts = []


def history(folder):
    """The rows in the files that W&B has left."""
    from wandb.proto.wandb_internal_pb2 import Record

    rows = []
    for file in sorted(folder.glob("wandb/offline-run-*/*.wandb")):
        for content in records(file.read_bytes()):
            record = Record.FromString(content)
            if record.WhichOneof("record_type") == "history":
                items = ((item.key or ".".join(item.nested_key), item.value_json) for item in record.history.item)
                rows.append({name: json.loads(value) for name, value in items})
    return rows


@pytest.mark.filterwarnings("ignore")  # its own libraries warn
def test_wandb_in_its_offline_mode(tmp_path, tiny):
    pytest.importorskip("wandb", reason="Weights & Biases is not installed: pip install 'narlab[wandb]'")
    folder = tmp_path / "run"
    broken_off_twice(tiny, folder, "wandb:project=mine,mode=offline")
    rows = history(folder)
    assert [row["_step"] for row in rows] == [4, 8, 12]
    for name, points in logged(folder).items():
        assert [(row["_step"], row[name]) for row in rows if name in row] == points
    ids = {path.name.rpartition("-")[2] for path in folder.glob("wandb/offline-run-*")}
    assert ids == {json.loads((folder / "wandb.json").read_text())["id"]}


def test_without_wandb_nothing_begins(tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "wandb", None)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit):
        main(["train", "bfs", "--dataset", "custom", "--n", "8", "--report", "csv,wandb"])
    (line,) = capsys.readouterr().err.splitlines()
    assert line == "narlab: Weights & Biases is not installed; get it with: pip install 'narlab[wandb]'"
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("tensorbord", "unknown reporter 'tensorbord'; did you mean 'tensorboard'? Known: csv, tensorboard, wandb"),
        ("csv:file=x", "unknown option of csv 'file'"),
        ("wandb:mode=often", "mode of wandb must be online, offline or disabled, got 'often'"),
    ],
)
def test_mistakes(text, words):
    with pytest.raises(UsageError, match=words.replace("?", r"\?")):
        reporting_to([text], Quiet())
