"""Compiled by PyTorch, a model is the same model."""

from dataclasses import replace
from functools import partial

import pytest
import torch

from narlab.models import make_batch, processors
from narlab.training import learner, loop, train
from narlab.training.learner import compile_steps
from narlab.training.reporting import PlainLines


class Quiet(PlainLines):
    """Prints nothing."""

    def __init__(self):
        super().__init__(write=lambda text: None)


pytestmark = pytest.mark.filterwarnings("ignore:The .grad attribute of a Tensor")  # PyTorch's own, at its own tensors


@pytest.fixture(autouse=True)
def fresh():
    """No test finds what another has compiled."""
    torch._dynamo.reset()


@pytest.mark.parametrize(
    "processor",
    [
        pytest.param(name, marks=[] if name in ("mpnn_g", "triangle") else pytest.mark.slow)
        for name in processors.names()
    ],
)
def test_the_same_logits_and_gradients(tiny, processor):
    run = replace(tiny, processor=processor).resolved()
    batch = make_batch(run.split("train")[:4])
    plain, compiled = loop.new_model(run), loop.new_model(run)
    compile_steps(compiled, backend="eager")
    assert plain.state_dict().keys() == compiled.state_dict().keys()
    assert not compiled.uses_kernels
    torch._dynamo.utils.counters.clear()
    for model in (plain, compiled):
        learner.loss(model(batch), batch).backward()
    assert torch._dynamo.utils.counters["stats"]["unique_graphs"] >= 1
    assert not torch._dynamo.utils.counters["graph_break"]
    for one, other in zip(plain.parameters(), compiled.parameters(), strict=True):
        if one.grad is not None:
            torch.testing.assert_close(one.grad, other.grad, rtol=1e-3, atol=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize("bfloat16", [False, True])
def test_a_compiled_run_goes_on_in_the_folder_of_any(tmp_path, tiny, everything, monkeypatch, bfloat16):
    monkeypatch.setattr(learner, "compile_steps", partial(compile_steps, backend="eager"))
    run = replace(tiny, bfloat16=bfloat16)
    train(run, tmp_path / "plain", threads=1, reporter=Quiet())
    train(run, tmp_path / "compiled", threads=1, compile=True, reporter=Quiet())
    plain, compiled = (everything(tmp_path / name) for name in ("plain", "compiled"))
    assert plain[0]["run.toml"] == compiled[0]["run.toml"]
    losses = [[line["loss"] for line in found[1]] for found in (plain, compiled)]
    assert losses[0] == pytest.approx(losses[1], rel=1e-2 if bfloat16 else 1e-4)


def test_a_machine_that_can_not_compile(tiny):
    def broken(graph, inputs):
        raise RuntimeError("no compiler found\nand more of it")

    run = tiny.resolved()
    model = loop.new_model(run)
    compile_steps(model, backend=broken)
    with pytest.raises(
        ValueError, match=r"^PyTorch can't compile on this machine: .*no compiler found.*--compile out$"
    ):
        model(make_batch(run.split("train")[:4]))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # PyTorch's compiler warns of itself
def test_compiled_for_this_machine(tmp_path, tiny, everything):
    for name, compiles in (("plain", False), ("compiled", True)):
        train(tiny, tmp_path / name, threads=1, compile=compiles, reporter=Quiet())
    plain, compiled = (everything(tmp_path / name) for name in ("plain", "compiled"))
    losses = [[line["loss"] for line in found[1]] for found in (plain, compiled)]
    assert losses[0] == pytest.approx(losses[1], rel=1e-4)
