"""On a GPU a step waits for nothing: losses stay there, and are looked at now and then."""

from dataclasses import replace

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from narlab.models import make_batch
from narlab.training import DivergedError, learner, loop, train
from narlab.training.environment import Machine
from narlab.training.folder import Folder
from narlab.training.learner import LOSS, NORM, FiniteCheck, Seen
from narlab.training.reporting import PlainLines

WAITS = ("_local_scalar_dense", "nonzero", "is_nonzero", "equal", "masked_select", "_unique2")  # tell Python a number


class Quiet(PlainLines):
    """Prints nothing."""

    def __init__(self):
        super().__init__(write=lambda text: None)


@pytest.fixture
def late(monkeypatch):
    """A CPU is looked at like a GPU, now and then."""
    monkeypatch.setattr(learner, "AT_ONCE", ())


def number(value):
    return torch.tensor(value, requires_grad=True)


def test_a_cpu_is_looked_at_at_once():
    seen = FiniteCheck(torch.device("cpu"))
    assert seen.note(LOSS, 1, number(0.5)) is None
    assert seen.note(NORM, 1, number(3.0)) is None
    assert (seen.total, seen.last) == (0.5, 0.5)
    found = seen.note(LOSS, 2, number(float("inf")))
    assert found == Seen(LOSS, 2, float("inf"))
    assert seen.total == 0.5


def test_elsewhere_it_takes_a_hundred_steps_or_the_asking(late):
    seen = FiniteCheck(torch.device("cpu"))
    for step in range(1, 100):
        assert seen.note(LOSS, step, number(0.25)) is None
        assert seen.note(NORM, step, number(1.0 if step != 7 else float("inf"))) is None
    assert (seen.total, seen.last) == (0.0, 0.0)
    assert seen.note(LOSS, 100, number(0.25)) is None
    assert seen.note(NORM, 100, number(1.0)) == Seen(NORM, 7, float("inf"))
    assert seen.look() is None
    seen.note(LOSS, 101, number(2.0))
    seen.total = 0.0
    assert seen.look() is None
    assert (seen.total, seen.last) == (2.0, 2.0)


@pytest.mark.parametrize("stop_at", [None, 5, pytest.param(8, marks=pytest.mark.slow)])
def test_looking_late_changes_no_bit(tmp_path, tiny, everything, monkeypatch, stop_at):
    train(tiny, tmp_path / "at_once", threads=1, reporter=Quiet())
    monkeypatch.setattr(learner, "AT_ONCE", ())
    if stop_at is not None:
        stop = replace(tiny)
        reporter = Quiet()
        monkeypatch.setattr(reporter, "step", lambda step, loss: pull_the_plug() if step == stop_at else None)
        with pytest.raises(OSError, match="plug"):
            train(stop, tmp_path / "late", threads=1, reporter=reporter)
    train(tiny, tmp_path / "late", threads=1, reporter=Quiet())
    assert everything(tmp_path / "at_once") == everything(tmp_path / "late")


def pull_the_plug():
    raise OSError("the plug")


@pytest.mark.parametrize("wrong_at", [5, *(pytest.param(step, marks=pytest.mark.slow) for step in (6, 8))])
def test_a_loss_that_is_seen_late_leaves_the_last_good_state(tmp_path, tiny, everything, monkeypatch, wrong_at):
    train(tiny, tmp_path / "whole", threads=1, reporter=Quiet())
    real, calls = learner.loss, []

    def spoiled(prediction, batch):
        calls.append(1)
        return real(prediction, batch) * (float("nan") if len(calls) == wrong_at else 1.0)

    monkeypatch.setattr(learner, "loss", spoiled)
    monkeypatch.setattr(learner, "AT_ONCE", ())
    with pytest.raises(DivergedError, match=f"the loss of step {wrong_at} is nan; the last good state is in .*run"):
        train(tiny, tmp_path / "run", threads=1, reporter=Quiet())
    assert len(calls) == 8  # it was seen before the evaluation
    monkeypatch.setattr(learner, "loss", real)
    train(tiny, tmp_path / "run", threads=1, reporter=Quiet())
    assert everything(tmp_path / "run") == everything(tmp_path / "whole")


class NoWaiting(TorchDispatchMode):
    """An operation whose answer Python needs before it can go on is an error."""

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        name = func.overloadpacket.__name__
        assert name not in WAITS, f"{name} waits for the device"
        return func(*args, **(kwargs or {}))


@pytest.mark.parametrize("bfloat16", [False, True])
@pytest.mark.parametrize("processor", ["mpnn_g", "two_wl", "hybrid_sigmoid", "gat"])
def test_gradients_are_found_without_waiting(tmp_path, tiny, late, processor, bfloat16):
    run = replace(tiny, processor=processor, bfloat16=bfloat16).resolved()
    session = loop.Session(run, Folder(tmp_path), Machine.of("cpu", 1), Quiet())
    session.learner.model.uses_kernels = False
    batch = make_batch(run.split("train")[:4]).to(session.machine.device)
    with NoWaiting():
        session.learner.find_gradients(batch, 0, session.note)
    assert session.numbers.look() is None
    assert session.numbers.last > 0
    with NoWaiting(), pytest.raises(AssertionError, match="waits for the device"):
        torch.ones(()).item()


def test_all_of_a_batch_is_moved_but_its_lengths(tiny):
    run = replace(tiny, hints="encoded_decoded", depth=None)
    batch = make_batch(run.split("train")[:3])
    there = batch.to("meta")
    tensors = [*there.inputs.values(), *there.outputs.values(), *there.hints.values()]
    assert {each.device.type for each in (*tensors, there.random_features, there.random_pos)} == {"meta"}
    assert there.lengths.device.type == "cpu"
    assert batch.to("cpu").inputs["pos"] is batch.inputs["pos"]


def test_weights_that_the_last_step_spoils_are_never_written(tmp_path, tiny):
    run = replace(tiny, steps=1, learning_rate=1e39)  # infinite in single precision; the loss came before
    with pytest.raises(DivergedError, match="the sum of all weights' sizes of step 1 is nan; no state was saved yet"):
        train(run, tmp_path / "run", threads=1, reporter=Quiet())
    assert not list((tmp_path / "run").glob("*.safetensors"))
