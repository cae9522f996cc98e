"""The compiled triangle processor gives what the plain one gives: states, products, gradients, at any size."""

from dataclasses import replace

import pytest
import torch

from narlab.models import processors
from narlab.models.encoders import EdgeFeatures, Features
from narlab.models.kernels import kernel_of
from narlab.models.topology import Graphs, State

OUTPUTS, GRADIENTS = 1e-5, 1e-4  # relative
NOTHING = 1e-3  # of the largest gradient: below this a gradient is rounding noise
GRAPHS = 3


def new_case(n, *, hidden=32, ordered=True):
    """A processor, the features of some graphs, and their topology: the first graph has two strings, the others one."""
    torch.manual_seed(n)
    processor = processors.make("triangle", hidden)
    for parameter in processor.parameters():  # biases that are not trivial
        parameter.data.add_(0.05 * torch.randn_like(parameter))
    raw, weight = torch.randn(GRAPHS, n, n, 3), torch.randn(hidden, 3)
    node = torch.randn(GRAPHS, n, hidden, requires_grad=True)
    features = Features(node, EdgeFeatures(raw, weight, torch.randn(hidden)), torch.randn(GRAPHS, hidden))
    following = torch.arange(1, n + 1).repeat(GRAPHS, 1)
    following[:, -1] = -1
    following[0, n // 2] = -1
    graphs = Graphs.of(None, (GRAPHS, n), node.device, given=False)
    return processor, features, replace(graphs, next=following if ordered else None).all_pairs


def states_of(worker, features, topology, counts):
    """The states after as many steps as `counts` say, of which only the last have a gradient."""
    prepared, state, before = worker.prepare(features, topology), State(features.node), None
    for k, count in enumerate(counts):
        with torch.set_grad_enabled(torch.is_grad_enabled() and k == len(counts) - 1):
            before, state = worker.steps(state, prepared, count)
    return before, state


def gradients_of(states, wanted):
    """Of a sum with weights that differ from number to number."""
    before, after = states
    generator = torch.Generator().manual_seed(7)
    seen = [after.h, after.e, after.pairs, *([] if before.e is None else [before.e])]
    total = sum((tensor * torch.randn(tensor.shape, generator=generator)).sum() for tensor in seen)
    gradients = torch.autograd.grad(total, list(wanted.values()), allow_unused=True)
    return {
        name: torch.zeros_like(parameter) if gradient is None else gradient
        for (name, parameter), gradient in zip(wanted.items(), gradients, strict=True)
    }


def distance(ours, others, least=0.0):
    return ((ours - others).norm() / others.norm().clamp_min(max(least, 1e-12))).item()


def assert_same(case, counts):
    processor, features, topology = case
    kernel = kernel_of(processor)
    assert kernel is not None
    ours, others = (states_of(worker, features, topology, counts) for worker in (kernel, processor))
    assert distance(ours[1].e, others[1].e) < OUTPUTS
    assert distance(ours[1].h, others[1].h) < OUTPUTS
    assert distance(ours[1].pairs, others[1].pairs) < OUTPUTS
    wanted = dict(processor.named_parameters()) | {"node": features.node}
    gradients, plain = gradients_of(ours, wanted), gradients_of(others, wanted)
    least = NOTHING * max(gradient.norm().item() for gradient in plain.values())
    for name in wanted:
        assert gradients[name].isfinite().all(), name
        assert distance(gradients[name], plain[name], least) < GRADIENTS, name


@pytest.mark.parametrize("n", [1, 2, 3, 5, 16, 17])
def test_states_and_gradients_are_the_plain_ones(n):
    assert_same(new_case(n), (4,))


@pytest.mark.parametrize("hidden", [16, 48, 64])
def test_so_they_are_with_other_widths(hidden):
    assert_same(new_case(5, hidden=hidden), (2,))


def test_so_they_are_after_steps_without_gradient():
    assert_same(new_case(6), (5, 2))


def test_so_they_are_where_nodes_have_no_order():
    assert_same(new_case(4, ordered=False), (2,))


@pytest.mark.parametrize("n", [3, 16, 70])
def test_without_gradient_the_states_are_the_same_bits(n):
    processor, features, topology = new_case(n)
    kernel = kernel_of(processor)
    for count in (1, 2, 3):
        _, kept = states_of(kernel, features, topology, (count,))
        with torch.inference_mode():
            _, ours = states_of(kernel, features, topology, (count,))
        assert torch.equal(ours.e, kept.e)
        assert torch.equal(ours.pairs, kept.pairs)


def test_of_equal_values_the_first_has_the_gradient():
    """All pairs are alike, so that every pivot gives the same."""
    processor, features, topology = new_case(6, ordered=False)
    alike = features.node.detach()[:1, :1].expand(GRAPHS, 6, 32).clone().requires_grad_()
    edge = replace(features.edge, raw=torch.ones_like(features.edge.raw))
    assert_same((processor, replace(features, node=alike, edge=edge), topology), (1,))


def test_other_widths_and_precisions_go_the_plain_way():
    assert kernel_of(processors.make("triangle", 24)) is None
    assert kernel_of(processors.make("triangle", 32).double()) is None
