"""A kernel is used for exactly the computation that it was written for, and says so where it has no answer."""

import pytest
import torch
from torch import nn

from narlab import data, models
from narlab.models import kernels, processors
from narlab.models.encoders import EdgeFeatures, Features, new_linear
from narlab.models.kernels.hybrid import HybridKernel
from narlab.models.kernels.hybrid_of_attentions import TwoAttentionsKernel
from narlab.models.processors import Hybrid, VisiblePairs, hybrid_average, hybrid_sigmoid, mpnn_g, two_wl
from narlab.models.topology import Graphs, State

B, N, H, STEPS = 2, 5, 8, 3


class OwnStep(mpnn_g.Processor):
    """A subclass of message passing with a step of its own."""

    def step(self, state, prepared):
        return State(2.0 * super().step(state, prepared).h, state.e)


class OwnPrepare(mpnn_g.Processor):
    def prepare(self, features, topology):
        return super().prepare(Features(2.0 * features.node, features.edge, features.graph), topology)


class OwnLayers(mpnn_g.Processor):
    def __init__(self, hidden):
        super().__init__(hidden)
        self.message_mlp = nn.Sequential(new_linear(hidden, hidden), nn.Tanh(), new_linear(hidden, hidden))


class Doubled:
    def step(self, state, prepared):
        return State(2.0 * super().step(state, prepared).h, state.e)


class Mixed(Doubled, mpnn_g.Processor):
    """A step that comes from beside."""


class OwnAttention(two_wl.Processor):
    def _attend(self, x, prepared):
        return 2.0 * super()._attend(x, prepared)


class OtherShare(Hybrid):
    """A hybrid whose share is not called `gate`."""

    def __init__(self, hidden, first, second):
        super().__init__(hidden, first, second)
        self.weighing = new_linear(hidden, 1)

    def share(self, state):
        return self.weighing(state.h).sigmoid()


class QuarterShare(Hybrid):
    def share(self, state):
        return 0.25


class OwnJoin(hybrid_sigmoid.Processor):
    """A hybrid with the gate of another and a rule of its own."""

    def join(self, state, first, second):
        joined = super().join(state, first, second)
        return State(joined.h + first.h * second.h, joined.e)


class OnAllPairs(two_wl.Processor):
    """Says nothing about steps."""

    pairs = VisiblePairs.ALL


def of_parts(hybrid, *parts):
    kinds = [processors.get(part) for part in parts or hybrid.parts]
    return lambda hidden: hybrid(hidden, *(kind(hidden) for kind in kinds))


def doubled_gate(processor):
    processor.gate.register_forward_hook(lambda module, arguments, output: 2.0 * output)


def doubled_norm(processor):
    processor.norm.register_forward_hook(lambda module, arguments, output: 2.0 * output)


def other_epsilon(processor):
    processor.norm.eps = 0.5


def other_step(processor):
    step = processor.step
    processor.step = lambda state, prepared: State(2.0 * step(state, prepared).h)


def other_activation(processor):
    processor.message_mlp[1] = nn.Tanh()


def without_change(processor):
    pass


SUBCLASSES = {
    "step": OwnStep,
    "prepare": OwnPrepare,
    "layers": OwnLayers,
    "mixin": Mixed,
    "attention": OwnAttention,
    "share of another name": of_parts(OtherShare),
    "constant share": of_parts(QuarterShare),
    "join": of_parts(OwnJoin),
    "join of two attentions": of_parts(OwnJoin, "two_wl", "two_wl"),
}
CHANGES = (doubled_norm, other_epsilon, other_step, other_activation)


def made(make, change=without_change):
    torch.manual_seed(3)
    processor = make(H)
    for parameter in processor.parameters():
        parameter.data.add_(0.1 * torch.randn_like(parameter))
    change(processor)
    return processor


def inputs():
    generator = torch.Generator().manual_seed(1)

    def draw(*shape):
        return torch.randn(shape, generator=generator)

    edge = EdgeFeatures(draw(B, N, N, 2), draw(H, 2), draw(H))
    ring = torch.eye(N) + torch.eye(N).roll(1, 0)
    adjacency = (ring + ring.T > 0).expand(B, N, N)
    return Features(draw(B, N, H), edge, draw(B, H)), Graphs(adjacency, given=True), State(draw(B, N, H))


def last_state(worker, pairs):
    features, graphs, state = inputs()
    with torch.no_grad():
        return worker.steps(state, worker.prepare(features, graphs.topology(pairs)), STEPS)[1].h


def assert_runs_as_written(processor):
    """What a network would run gives what the processor's own steps give."""
    worker = kernels.kernel_of(processor) or processor
    torch.testing.assert_close(
        last_state(worker, processor.pairs), last_state(processor, processor.pairs), rtol=1e-4, atol=1e-5
    )


@pytest.mark.parametrize("name", SUBCLASSES)
def test_a_subclass_runs_as_it_is_written(name):
    assert_runs_as_written(made(SUBCLASSES[name]))


@pytest.mark.parametrize("change", CHANGES)
def test_a_changed_processor_runs_as_it_is(change):
    plain, changed = (made(mpnn_g.Processor, how) for how in (without_change, change))
    assert (last_state(plain, plain.pairs) - last_state(changed, plain.pairs)).abs().max() > 1e-2
    assert_runs_as_written(changed)


def test_facts_keep_the_kernel():
    class OnAllPairs(mpnn_g.Processor):
        """Says nothing about steps."""

        pairs = VisiblePairs.ALL

    assert kernels.kernel_of(OnAllPairs(H)) is not None
    assert_runs_as_written(made(OnAllPairs))


def test_a_subclass_may_declare_a_kernel_of_its_own():
    class WithKernel(OwnStep):
        kernel = None

    class Kernel(type(kernels.kernel_of(mpnn_g.Processor(H)))):
        def steps(self, state, prepared, count):
            for _ in range(count):
                before, after = super().steps(state, prepared, 1)
                state = State(2.0 * after.h, after.e)
            return before, state

    assert kernels.kernel_of(WithKernel(H)) is None
    WithKernel.kernel = Kernel
    assert type(kernels.kernel_of(WithKernel(H))) is Kernel
    assert_runs_as_written(made(WithKernel))


def test_a_new_hybrid_may_take_the_kernels_of_its_parts():
    class WithKernel(OtherShare):
        kernel = HybridKernel

    assert kernels.kernel_of(made(of_parts(WithKernel))) is not None
    assert_runs_as_written(made(of_parts(WithKernel)))


@pytest.mark.parametrize("part", ["mpnn_g", "two_wl"])
def test_so_may_one_that_joins_them_in_another_way(part):
    class WithKernel(OwnJoin):
        kernel = HybridKernel

    processor = made(of_parts(WithKernel, part, "two_wl"))
    assert type(kernels.kernel_of(processor)) is HybridKernel
    assert_runs_as_written(processor)


@pytest.mark.parametrize("parts", [(OnAllPairs, two_wl.Processor), (two_wl.Processor, OnAllPairs)])
def test_attentions_that_see_different_pairs_run_as_they_are(parts):
    processor = made(of_parts(hybrid_sigmoid.Processor, *parts))
    assert type(kernels.kernel_of(processor)) is TwoAttentionsKernel
    assert_runs_as_written(processor)


@pytest.mark.parametrize("processor", ["hybrid_sigmoid", "hybrid_sigmoid:two_wl+two_wl"])
def test_a_hybrid_with_a_hook_on_its_gate_runs_as_it_is(processor):
    def make(hidden):
        return processors.make(processor, hidden)

    plain, changed = made(make), made(make, doubled_gate)
    assert (last_state(plain, plain.pairs) - last_state(changed, plain.pairs)).abs().max() > 1e-3
    assert_runs_as_written(changed)


# Gradients


def states_and_gradients(worker, pairs, steps):
    """The last two states from one whose h is not the diagonal of its e, and the gradients of that one."""
    features, graphs, state = inputs()
    generator = torch.Generator().manual_seed(2)
    h, e = (torch.randn(shape, generator=generator).requires_grad_() for shape in (state.h.shape, (B, N, N, H)))
    before, after = worker.steps(State(h, e), worker.prepare(features, graphs.topology(pairs)), steps)
    found = [before.h, before.e, after.h, after.e]
    total = sum((each * torch.randn(each.shape, generator=generator)).sum() for each in found)
    return [*found, *torch.autograd.grad(total, [h, e], materialize_grads=True)]


@pytest.mark.parametrize("hybrid", [hybrid_average.Processor, hybrid_sigmoid.Processor])
@pytest.mark.parametrize("steps", [1, STEPS])
def test_two_attentions_go_on_from_any_state(steps, hybrid):
    processor = made(of_parts(hybrid, "two_wl", "two_wl"))
    ours, plain = (
        states_and_gradients(worker, processor.pairs, steps) for worker in (kernels.kernel_of(processor), processor)
    )
    for one, other in zip(ours, plain, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-4 * other.abs().max().item())


def gradients(*, kernels):
    """A loss, and its gradient with a graph of its own."""
    torch.manual_seed(3)
    model = models.build("floyd_warshall", hidden=H, depth=2)
    model.uses_kernels = kernels
    batch = models.make_batch(data.custom("floyd_warshall", n=N, count=B, seed=1))
    total = model(batch).outputs["Pi"].square().mean()
    (gradient,) = torch.autograd.grad(total, [model.processor.of_own.weight], create_graph=True)
    return model, gradient


def test_a_second_derivative_is_an_error_and_not_a_wrong_number():
    model, plain = gradients(kernels=False)
    plain.square().sum().backward()
    assert model.processor.of_sender.weight.grad.norm() > 0
    _, gradient = gradients(kernels=True)
    torch.testing.assert_close(gradient, plain, rtol=1e-4, atol=1e-7)
    with pytest.raises(RuntimeError, match="once_differentiable"):
        gradient.square().sum().backward()


@pytest.mark.parametrize("processor", ["mpnn_g", "two_wl", "hybrid_sigmoid"])
def test_weights_that_change_before_the_way_back_are_an_error(processor):
    model = models.build("bfs", processor=processor, hidden=H, depth=2)
    batch = models.make_batch(data.custom("bfs", n=N, count=B, seed=1))
    total = model(batch).outputs["pi"].square().mean()
    with torch.no_grad():
        for parameter in model.processor.parameters():
            parameter.mul_(2.0)
    with pytest.raises(RuntimeError, match="inplace"):
        total.backward()


def test_the_way_back_can_be_gone_twice():
    model = models.build("bfs", hidden=H, depth=2)
    batch = models.make_batch(data.custom("bfs", n=N, count=B, seed=1))
    total = model(batch).outputs["pi"].square().mean()
    total.backward(retain_graph=True)
    once = model.processor.of_own.weight.grad.clone()
    total.backward()
    torch.testing.assert_close(model.processor.of_own.weight.grad, 2 * once)
