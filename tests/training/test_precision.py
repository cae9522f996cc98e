"""Training in bfloat16: a model that learns, resumable to the bit, and evaluated in single precision."""

from dataclasses import replace

import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from narlab.evaluation import evaluate
from narlab.models import make_batch, processors, quantisers
from narlab.training import learner, load, loop, train
from narlab.training.learner import predict_in_bfloat16
from narlab.training.reporting import PlainLines


class Quiet(PlainLines):
    """Prints nothing; may break the run off after a step."""

    def __init__(self, stop_at=None):
        super().__init__(write=lambda text: None)
        self.stop_at = stop_at

    def step(self, step, loss):
        if step == self.stop_at:
            raise OSError("pulled the plug")


def test_a_broken_off_run_ends_with_the_same_bits(tmp_path, tiny, everything):
    run = replace(tiny, bfloat16=True)
    train(run, tmp_path / "whole", threads=1, reporter=Quiet())
    with pytest.raises(OSError, match="pulled the plug"):
        train(run, tmp_path / "broken", threads=1, reporter=Quiet(stop_at=6))
    train(loop.Folder(tmp_path / "broken").run(), tmp_path / "broken", threads=1, reporter=Quiet())
    assert everything(tmp_path / "whole") == everything(tmp_path / "broken")


def test_it_is_another_run_near_the_one_in_single_precision(tmp_path, tiny, everything):
    for name, half in (("half", True), ("single", False)):
        train(replace(tiny, bfloat16=half), tmp_path / name, threads=1, reporter=Quiet())
    half, single = (everything(tmp_path / name) for name in ("half", "single"))
    assert [line["loss"] for line in half[1]] == pytest.approx([line["loss"] for line in single[1]], rel=0.02)
    assert half[0]["last.safetensors"] != single[0]["last.safetensors"]
    with pytest.raises(ValueError, match="belongs to another run: its bfloat16 is True, not False"):
        train(tiny, tmp_path / "half", threads=1, reporter=Quiet())


def test_its_scores_are_those_in_single_precision(tmp_path, tiny):
    result = train(replace(tiny, bfloat16=True), tmp_path / "run", threads=1, reporter=Quiet())
    model = load(tmp_path / "run")
    assert {weight.dtype for weight in model.parameters()} == {torch.float32}
    assert evaluate(model, tiny.split("test"), seed=loop.evaluation_seed(tiny, tiny.steps)).score == result.test


class Products(TorchDispatchMode):
    """Notes the types of the numbers that matrix products take."""

    def __init__(self):
        super().__init__()
        self.types = set()

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        if func.overloadpacket.__name__ in ("mm", "addmm", "bmm", "baddbmm"):
            self.types |= {each.dtype for each in args if isinstance(each, torch.Tensor)}
        return func(*args, **(kwargs or {}))


CHANGES = [
    *({"processor": name} for name in processors.names()),
    *({"hints": name, "depth": None} for name in ("encoded_decoded", "decoded_only", "markovian", "update_mask")),
    *({"quantiser": name} for name in quantisers.names()),
    *({"algorithm": name} for name in ("floyd_warshall", "segments_intersect", "dfs")),
]


@pytest.mark.parametrize("changes", CHANGES, ids=lambda changes: "-".join(map(str, changes.values())))
def test_every_kind_of_model_takes_it(tiny, changes):
    run = replace(tiny, **changes).resolved()
    model = loop.new_model(run)
    batch = make_batch(run.split("train")[:4])
    with Products() as products:
        said = predict_in_bfloat16(model, batch)
    assert products.types == {torch.bfloat16}
    assert model.uses_kernels
    logits = [*said.outputs.values(), *said.hints.values(), said.penalty]
    assert {each.dtype for each in logits} == {torch.float32}
    total = learner.loss(said, batch)
    total.backward()
    assert torch.isfinite(total)
    gradients = [weight.grad for weight in model.parameters() if weight.grad is not None]
    assert {each.dtype for each in gradients} == {torch.float32}
    assert all(torch.isfinite(each).all() for each in gradients)
