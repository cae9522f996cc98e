"""TensorBoard shows what the metrics log holds, each evaluation once, also of a run that was broken off."""

import json
import sys

import pytest

from narlab.cli import main
from narlab.training import train
from narlab.training.reporting import PlainLines
from narlab.training.tensorboard import TensorBoard


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
    train(tiny, tmp_path / "run", threads=1, reporter=TensorBoard(Quiet()))
    assert shown(tmp_path / "run") == logged(tmp_path / "run")
    assert [step for step, _ in shown(tmp_path / "run")["test"]] == [8, 12]


def test_a_run_that_goes_on_is_shown_once_and_whole(tmp_path, tiny):
    pytest.importorskip("tensorboard")
    with pytest.raises(KeyError, match="the plug"):
        train(tiny, tmp_path / "run", threads=1, reporter=Quiet(stop_at=8))
    with pytest.raises(KeyError, match="the plug"):  # this evaluation comes twice: there is no checkpoint after it
        train(tiny, tmp_path / "run", threads=1, reporter=TensorBoard(Quiet(stop_at=12)))
    train(tiny, tmp_path / "run", threads=1, reporter=TensorBoard(Quiet()))
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
