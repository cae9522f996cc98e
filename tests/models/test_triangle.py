"""The triangle processor and pivotal attention against their equations, written out in loops."""

import math
import re

import pytest
import torch

from narlab import models
from narlab.common.errors import UsageError
from narlab.evaluation import loss
from narlab.models import pivots, processors
from narlab.models.closure import Closure, cost_of
from narlab.models.encoders import EdgeFeatures, Features
from narlab.models.processors import triangle
from narlab.models.processors.pivotal_attention import HEADS
from narlab.models.topology import Graphs, State

N, D, R = 5, 8, 4
NEXT = torch.tensor([[3, -1, 1, 4, -1]])  # 0, 3, 4 are one string, 2, 1 another
ABSENT = -1


def draw(*shape, seed=0):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def features(nodes=N, seed=0):
    edge = EdgeFeatures(draw(1, nodes, nodes, 3, seed=seed), draw(D, 3, seed=seed + 1), draw(D, seed=seed + 2))
    return Features(draw(1, nodes, D, seed=seed + 3), edge, draw(1, D, seed=seed + 4))


def topology(following=NEXT, nodes=N):
    return Graphs(torch.eye(nodes, dtype=torch.bool)[None], given=False, next=following).all_pairs


def made(name, seed=3):
    torch.manual_seed(seed)
    return processors.make(name, D).double()


def normal(v):
    v = torch.as_tensor(v)
    return (v - v.mean()) / torch.sqrt(v.var(unbiased=False) + 1e-5)


def affine(layer, v):
    total = layer.weight.detach() @ v
    return total if layer.bias is None else total + layer.bias.detach()


def grid(make, nodes=N):
    """A matrix of pairs as lists of lists."""
    return [[make(i, k) for k in range(nodes)] for i in range(nodes)]


def inputs_in_loops(given):
    def pair(i, j):
        edge = given.edge.weight @ given.edge.raw[0, i, j] + given.edge.bias
        return edge + given.node[0, i] + given.node[0, j] + given.graph[0]

    return grid(pair)


def closure_in_loops(closure, inputs):
    """The features of every pair, from the definition of a closure: the best walk of at most 2^rounds pairs."""

    def first(i, j):
        y = 4 * affine(closure.of_input, inputs[i][j])
        return torch.cat([-y[: R // 2].clamp_min(0), y[R // 2 :]])

    start = grid(first)
    best = start
    for _ in range(2 ** math.ceil(math.log2(N)) - 1):  # one pair longer each time
        best = grid(lambda i, k, best=best: _one_longer(best, start, i, k))

    def feature(i, k):
        gained = (best[i][k] > start[i][k] + 1e-5).double()
        return closure.scale.detach() * torch.cat([start[i][k], best[i][k], gained])

    return grid(feature)


def _one_longer(best, start, i, k):
    value = best[i][k].clone()
    for c in range(R):
        for j in range(N):
            a, b = best[i][j][c], start[j][k][c]
            value[c] = max(value[c], a + b if c < R // 2 else min(a, b))
    return value


def step_in_loops(processor, x, inputs):
    """One step of triangle; returns the next state, and m and u."""
    z = grid(lambda i, j: affine(processor.of_input, inputs[i][j]))
    y = grid(lambda i, j: affine(processor.of_state, x[i][j]) + z[i][j][2 * D :])
    bounds = {"q1": 0, "k1": R, "q2": 2 * R, "k2": 2 * R + R // 2, "c": 3 * R, "d": 4 * R, "f": 5 * R}

    def at(name, i, j, channel):
        return y[i][j][bounds[name] + channel].item()

    def maximum(i, k, c):
        if c < R // 2:
            return max(at("q1", i, j, c) * at("k1", j, k, c) + at("q2", i, j, c) * at("k2", j, k, c) for j in range(N))
        return max(min(at("q1", i, j, c), at("k1", j, k, c)) for j in range(N))

    def mean(i, k, c):
        return sum(max(at("c", i, j, c), 0) * max(at("d", j, k, c), 0) for j in range(N)) / N

    def count(i):
        n = [sum((at("f", i, j, c) > at("f", j, i, c)) - (at("f", i, j, c) < at("f", j, i, c)) for j in range(N))
             for c in range(4)]  # fmt: skip
        return torch.tensor([math.tanh(v) for v in n] + [v / N for v in n], dtype=torch.float64)

    def neighbours(i, k):
        after, before = torch.zeros(D // 2).double(), torch.zeros(D // 2).double()
        to, back = NEXT[0].tolist(), [NEXT[0].tolist().index(v) if v in NEXT[0].tolist() else ABSENT for v in range(N)]
        if ABSENT not in (to[i], to[k]):
            after = x[to[i]][to[k]][: D // 2]
        if ABSENT not in (back[i], back[k]):
            before = x[back[i]][back[k]][D // 2 :]
        return torch.cat([after, before])

    def found(i, k):
        values = [maximum(i, k, c) for c in range(R)] + [mean(i, k, c) for c in range(R)]
        return torch.tensor(values, dtype=torch.float64)

    def next_state(i, k):
        seen = torch.cat([x[i][k], x[k][i], normal(found(i, k)), count(i), count(k), neighbours(i, k)])
        return _gated(processor, x[i][k], affine(processor.mix, seen) + z[i][k][: 2 * D])

    return grid(next_state), grid(found)


def _gated(processor, x, hidden):
    gate, update = affine(processor.update, hidden.clamp_min(0)).chunk(2)
    return normal(x + torch.sigmoid(gate) * update)


def first_in_loops(processor, inputs):
    one, _, two = processor.start
    return grid(lambda i, j: normal(affine(two, affine(one, inputs[i][j]).clamp_min(0))))


def matrix(pairs):
    return torch.stack([torch.stack(row) for row in pairs])[None]


def test_triangle_is_its_equations():
    processor, given = made("triangle"), features()
    plain = inputs_in_loops(given)
    closure = closure_in_loops(processor.closure, plain)
    inputs = grid(lambda i, j: torch.cat([plain[i][j], closure[i][j]]))
    x = first_in_loops(processor, inputs)
    state, prepared = State(torch.zeros(1, N, D).double()), processor.prepare(given, topology())
    for _ in range(3):
        state = processor.step(state, prepared)
        x, found = step_in_loops(processor, x, inputs)
        torch.testing.assert_close(state.e, matrix(x), rtol=1e-9, atol=1e-9)
        torch.testing.assert_close(state.pairs, torch.cat([matrix(found), matrix(closure)], -1), rtol=1e-9, atol=1e-9)
        torch.testing.assert_close(state.h[0], torch.stack([x[i][i] for i in range(N)]), rtol=1e-9, atol=1e-9)
    assert state.pairs.shape[-1] == processor.pair_width


def test_pivotal_attention_is_its_equations():
    processor, given = made("pivotal_attention"), features()
    inputs = inputs_in_loops(given)
    x = first_in_loops(processor, inputs)
    z = grid(lambda i, j: affine(processor.of_input, inputs[i][j]))
    y = grid(lambda i, j: (affine(processor.of_state, x[i][j]) + z[i][j][2 * D :]).view(4, HEADS, D // HEADS))

    def heard(i, k):
        heads = []
        for h in range(HEADS):
            logits = torch.stack([y[i][j][0, h] @ y[j][k][1, h] for j in range(N)]) / math.sqrt(D // HEADS)
            weights = (logits - logits.max()).exp()
            weights = weights / weights.sum()
            heads.append(sum(weights[j] * y[i][j][2, h] * y[j][k][3, h] for j in range(N)))
        return torch.cat(heads)

    def next_state(i, k):
        seen = torch.cat([x[i][k], x[k][i], normal(heard(i, k))])
        return _gated(processor, x[i][k], affine(processor.mix, seen) + z[i][k][: 2 * D])

    state = processor.step(State(torch.zeros(1, N, D).double()), processor.prepare(given, topology()))
    torch.testing.assert_close(state.e, matrix(grid(next_state)), rtol=1e-9, atol=1e-9)
    assert state.pairs is None


# Gradients


def test_products_over_the_pivot():
    values = [draw(2, 4, 4, 3, seed=seed).requires_grad_() for seed in range(4)]
    assert torch.autograd.gradcheck(lambda a, b, c, d: pivots.largest_products((a, b), (c, d)), values)
    assert torch.autograd.gradcheck(pivots.largest_sums, values[:2])
    assert torch.autograd.gradcheck(pivots.largest_of_smaller, values[:2])


def test_of_equals_the_first_pivot_has_the_gradient():
    a, b = torch.zeros(1, 3, 3, 1, requires_grad=True), torch.zeros(1, 3, 3, 1, requires_grad=True)
    pivots.largest_sums(a, b).sum().backward()
    assert a.grad[0, :, :, 0].tolist() == [[3, 0, 0]] * 3
    assert b.grad[0, :, :, 0].tolist() == [[3, 3, 3], [0, 0, 0], [0, 0, 0]]
    a.grad = b.grad = None
    pivots.largest_of_smaller(a, b).sum().backward()
    assert a.grad[0, :, :, 0].tolist() == [[3, 0, 0]] * 3
    assert b.grad.abs().sum() == 0


def test_the_closure_has_the_gradients_of_its_formula():
    closure = Closure(D, R).double()
    with torch.no_grad():
        closure.of_input.bias[: R // 2] += 3.0  # costs are positive, where their slope is the true one
    inputs = (0.3 * draw(1, N, N, D)).requires_grad_()
    parameters = list(closure.parameters())
    assert (4 * closure.of_input(inputs)[..., : R // 2]).min() > 0
    assert torch.autograd.gradcheck(lambda x, *_: closure(x), (inputs, *parameters))


def test_gradients_that_are_not_of_the_formula():
    y = torch.tensor([-2.0, 0.0, 3.0], requires_grad=True)
    cost = cost_of(y)
    assert cost.tolist() == [0, 0, -3]
    cost.sum().backward()
    assert y.grad.tolist() == pytest.approx([-0.1, -0.1, -1.0])
    t = torch.tensor([-3.0, 0.0, 0.5], requires_grad=True)
    sign = triangle._sign(t)
    assert sign.tolist() == [-1, 0, 1]
    sign.sum().backward()
    assert t.grad.tolist() == pytest.approx([1 / 16, 1.0, 1 / 2.25])


@pytest.mark.parametrize("name", ["triangle", "pivotal_attention"])
def test_two_steps_have_the_gradients_of_their_formula(name):
    """Without counts, whose slope is not the formula's, and with costs above 0."""
    processor, given = made(name), features(3)
    if name == "triangle":
        with torch.no_grad():
            for layer in (processor.of_state, processor.of_input):
                layer.weight[-triangle.COUNTS :] = 0.0
                layer.bias[-triangle.COUNTS :] = 0.0
            processor.closure.of_input.bias[: R // 2] += 9.0
    weight = draw(1, 3, 3, D, seed=20)

    def result():
        prepared = processor.prepare(given, topology(NEXT[:, :3].clamp_max(2), nodes=3))
        return (processor.steps(State(given.node), prepared, 2)[1].e * weight).sum()

    result().backward()
    for parameter in processor.parameters():
        direction = draw(*parameter.shape, seed=21)
        if parameter.shape[0] in (5 * R + 4, 2 * D + 5 * R + 4):
            direction[-triangle.COUNTS :] = 0.0
        expected = (parameter.grad * direction).sum().item()
        values = []
        for sign in (1, -1):
            with torch.no_grad():
                parameter += sign * 1e-6 * direction
                values.append(result().item())
                parameter -= sign * 1e-6 * direction
        assert (values[0] - values[1]) / 2e-6 == pytest.approx(expected, rel=1e-4, abs=1e-7)


# What it is for


@pytest.mark.parametrize("nodes", [1, 2, 64])
@pytest.mark.parametrize("name", ["triangle", "pivotal_attention"])
def test_any_number_of_nodes(name, nodes):
    torch.manual_seed(1)
    processor = processors.make(name, D)
    edge = EdgeFeatures(torch.randn(1, nodes, nodes, 2), torch.randn(D, 2), torch.randn(D))
    given = Features(torch.randn(1, nodes, D), edge, torch.randn(1, D))
    following = torch.tensor([[*range(1, nodes), -1]])
    prepared = processor.prepare(given, topology(following, nodes))
    before, after = processor.steps(State(given.node), prepared, 2)
    assert after.e.shape == (1, nodes, nodes, D)
    assert after.h.shape == (1, nodes, D)
    assert after.e.isfinite().all()
    assert not torch.equal(before.e, after.e)


def test_without_an_order_no_neighbours_are_seen():
    """Where no node has a next one, it is as if there were no order at all."""
    processor, given = made("triangle"), features()
    none, empty, order = (
        processor.step(State(given.node), processor.prepare(given, topology(following))).e
        for following in (None, torch.full((1, N), -1), NEXT)
    )
    assert torch.equal(none, empty)
    assert not torch.equal(none, order)


def test_the_node_before_is_the_way_back():
    graphs = Graphs(torch.eye(N, dtype=torch.bool)[None], given=False, next=NEXT)
    assert graphs.previous.tolist() == [[-1, 2, -1, 0, 3]]
    assert graphs.with_edges(torch.ones(1, N, N, dtype=torch.bool)).next is NEXT


@pytest.mark.parametrize("name", ["triangle", "pivotal_attention", "hybrid_average:gat+triangle"])
def test_widths_that_are_refused(name):
    width = processors.facts(name).width
    message = f"{name} needs hidden to be a multiple of 4, such as {width}, got 6"
    with pytest.raises(UsageError, match=re.escape(message)):
        models.build("bfs", processor=name, hidden=6)


def test_facts():
    for name in ("triangle", "pivotal_attention"):
        facts = processors.facts(name)
        assert facts == processors.Facts(32, 32, processors.VisiblePairs.ALL, processors.Memory.TRIPLES, 4)
        assert processors.get(name).has_pair_state
    assert processors.make("triangle", 32).pair_width == 5 * 16
    assert processors.make("pivotal_attention", 32).pair_width == 0


def test_initial_weights():
    processor = processors.make("triangle", 32)
    q1, k1, q2, k2, *_ = processor.of_state.bias.split(processor.widths)
    assert (k1 == 1).all()
    assert (q2 == 1).all()
    assert len(q1) == 16
    assert not (k2 == 1).any()
    assert (processor.update.bias[:32] == -1).all()
    assert (processor.closure.of_input.bias[:8] == 0.25).all()
    assert processor.closure.of_input.weight.abs().max() <= 0.25 / math.sqrt(32)
    assert processor.closure.scale.tolist() == pytest.approx([0.3] * 48)
    assert processor.mix.weight[:, 64:96].abs().max() > 0.9 / math.sqrt(32)  # each part as if it were alone


def test_it_learns(batch_of):
    torch.manual_seed(0)
    model = models.build(
        "minimum", processor="triangle", position="order", readout="pairs", relations=True, hidden=16, depth="n/4"
    )
    optimiser = torch.optim.Adam(model.parameters(), 5e-3)
    losses = []
    for step in range(40):
        batch = batch_of("minimum", n=8, count=16, seed=step)
        optimiser.zero_grad()
        total = loss(model(batch), batch)
        total.backward()
        optimiser.step()
        losses.append(total.item())
    assert sum(losses[-5:]) < 0.2 * sum(losses[:5])
