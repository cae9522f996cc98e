"""Scores against values worked out by hand, and against plain NumPy."""

import numpy as np
import pytest
import torch

from narlab import algorithms
from narlab.evaluation import hint_scores, scores
from narlab.evaluation.scores import element_score, graph_score
from narlab.models.readouts import harden
from narlab.specs import Location, Probe, Type

SCALAR = Probe.output("x", Location.NODE, Type.SCALAR)
MASK = Probe.output("x", Location.NODE, Type.MASK)
MASK_ONE = Probe.output("x", Location.NODE, Type.MASK_ONE)
POINTER = Probe.output("x", Location.NODE, Type.POINTER)
CATEGORICAL = Probe.output("x", Location.NODE, Type.CATEGORICAL, categories=3)


def tensor(values):
    return torch.tensor(values, dtype=torch.float32)


# From logits to predictions


def test_hard_predictions():
    logits = tensor([[-1.0, 0.0, 0.5]])
    assert harden(SCALAR, logits).tolist() == logits.tolist()
    assert harden(MASK, logits).tolist() == [[0, 0, 1]]  # a logit of 0 is no
    assert harden(MASK_ONE, logits).tolist() == [[0, 0, 1]]
    assert harden(CATEGORICAL, logits[None]).tolist() == [[[0, 0, 1]]]
    assert harden(POINTER, logits[None]).tolist() == [[2]]


# F1


@pytest.mark.parametrize(
    ("predicted", "truth", "expected"),
    [
        ([1, 1, 0, 0], [1, 0, 1, 0], 0.5),  # precision 1/2, recall 1/2
        ([1, 1, 1, 0], [1, 0, 0, 0], 0.5),  # precision 1/3, recall 1
        ([1, 1, 1, 1], [1, 1, 1, 0], 6 / 7),
        ([1, 0, 1, 0], [1, 0, 1, 0], 1.0),
        ([0, 0, 0, 0], [0, 0, 0, 0], 1.0),  # nothing to find and nothing found
        ([0, 0, 0, 0], [1, 0, 0, 1], 0.0),  # precision 1, recall 0
        ([1, 0, 0, 0], [0, 0, 0, 0], 0.0),  # precision 0, recall 1
        ([1, 0, 0, 0], [0, 1, 0, 0], 0.0),  # neither
        ([1, 1, 0, 1], [1, -1, -1, 0], 2 / 3),  # masked: precision 1/2, recall 1
        ([0, 1, 1, 1], [0, -1, -1, -1], 1.0),
        ([1, 1, 1, 1], [-1, -1, -1, -1], 1.0),
        ([0.5, 1, 0, 0], [0, 1, 0, 0], 1.0),  # 1/2 is neither yes
        ([0.5, 0, 0, 0], [1, 0, 0, 0], 0.0),
    ],
)
def test_f1(predicted, truth, expected):
    assert element_score(MASK, tensor([predicted]), tensor([truth])) == pytest.approx(expected, abs=1e-12)


def test_f1_is_pooled_over_all_samples():
    """3 hits, 1 said in vain, 1 missed: not the mean of 1 and 0."""
    predicted, truth = tensor([[1, 1, 1], [1, 0, 0]]), tensor([[1, 1, 1], [0, 1, 0]])
    assert element_score(MASK, predicted, truth) == pytest.approx(0.75)


# Other types


def test_pointers():
    """Node pointers: 4 of 6 right, one sample whole."""
    predicted, truth = torch.tensor([[0, 1, 2], [1, 1, 1]]), torch.tensor([[0, 1, 2], [2, 1, 0]])
    assert element_score(POINTER, predicted, truth) == pytest.approx(4 / 6)
    assert graph_score(POINTER, predicted, truth) == 0.5


def test_edge_pointers():
    probe = Probe.output("x", Location.EDGE, Type.POINTER)
    truth = torch.zeros(3, 2, 2, dtype=torch.int64)
    predicted = truth.clone()
    predicted[1, 0, 1] = predicted[1, 1, 1] = predicted[2, 0, 0] = 1
    assert element_score(probe, predicted, truth) == pytest.approx(9 / 12)
    assert graph_score(probe, predicted, truth) == pytest.approx(1 / 3)


def test_scalars_are_an_error():
    predicted, truth = tensor([[1.0, 2.0], [3.0, 4.0]]), tensor([[1.0, 0.0], [3.0, 3.0]])
    assert element_score(SCALAR, predicted, truth) == graph_score(SCALAR, predicted, truth) == pytest.approx(5 / 4)


def test_one_hot_nodes_are_one_element_per_sample():
    predicted, truth = torch.eye(3)[[0, 1, 2, 0]], torch.eye(3)[[0, 1, 1, 2]]
    assert element_score(MASK_ONE, predicted, truth) == graph_score(MASK_ONE, predicted, truth) == 0.5


def test_masked_categories():
    """Two samples of three nodes; the 4th channel is blank and -1 on nodes that do not count."""
    probe = Probe.output("x", Location.NODE, Type.CATEGORICAL, categories=4)
    blank = [0.0, 0.0, 0.0, -1.0]
    a, b, c = np.eye(4)[:3].tolist()
    truth = tensor([[a, b, blank], [c, blank, blank]])
    predicted = tensor([[a, c, a], [c, b, a]])
    assert element_score(probe, predicted, truth) == pytest.approx(2 / 3)
    assert graph_score(probe, predicted, truth) == 0.5


def test_masks_of_graphs():
    """Every entry that is not masked must be right."""
    truth = tensor([[1, 0, -1], [1, 0, 0], [0, 0, 0], [-1, -1, -1]])
    predicted = tensor([[1, 0, 1], [1, 1, 0], [0, 0, 0], [1, 0, 1]])
    assert graph_score(MASK, predicted, truth) == 0.75
    assert element_score(MASK, predicted, truth) == pytest.approx(2 * (2 / 3) / (2 / 3 + 1))


def test_a_mask_of_the_whole_graph_has_the_same_score_at_both_levels():
    probe = Probe.output("x", Location.GRAPH, Type.MASK)
    predicted, truth = tensor([1, 1, 0, 0]), tensor([1, 0, 1, 0])
    assert element_score(probe, predicted, truth) == graph_score(probe, predicted, truth) == 0.5


def test_scores_are_exact_fractions():
    """As a mean of booleans in double precision, not rounded to single."""
    truth = torch.zeros(3, 1, dtype=torch.int64)
    assert element_score(POINTER, torch.tensor([[0], [0], [1]]), truth) == 2 / 3
    assert graph_score(POINTER, torch.tensor([[0], [0], [1]]), truth) == 2 / 3


# Algorithms


def logits_of(probe, values, nodes=None):
    """Logits that stand for `values`."""
    if probe.type is Type.POINTER:
        values = torch.nn.functional.one_hot(values, nodes).float()
    return 2 * values - 1


def test_the_score_is_the_mean_over_outputs():
    """topological_sort: 3 of 4 pointers, one of two samples; 0 of 2 heads."""
    truth = {"topo": torch.tensor([[0, 0], [1, 1]]), "topo_head": torch.eye(2)[[0, 1]]}
    topo = torch.nn.functional.one_hot(torch.tensor([[0, 0], [1, 0]]), 2).float()
    found = scores("topological_sort", {"topo": topo, "topo_head": torch.eye(2)[[1, 0]]}, truth)
    assert found.by_output == {"topo": 0.75, "topo_head": 0.0}
    assert found.by_output_graph == {"topo": 0.5, "topo_head": 0.0}
    assert (found.score, found.graph_score) == (0.375, 0.25)


def test_kadane():
    truth = {"start": torch.eye(3)[[0, 1, 2, 0]], "end": torch.eye(3)[[1, 1, 2, 2]]}
    logits = {"start": torch.eye(3)[[0, 1, 2, 1]], "end": torch.eye(3)[[1, 2, 0, 2]]}
    found = scores("find_maximum_subarray_kadane", logits, truth)
    assert found.by_output == found.by_output_graph == {"start": 0.75, "end": 0.5}
    assert found.score == found.graph_score == 0.625


@pytest.mark.parametrize("name", algorithms.CLRS_30)
def test_a_perfect_model_scores_1(name, batch_of):
    batch = batch_of(name, n=7, count=5)
    probes = algorithms.get(name).outputs
    logits = {probe.name: logits_of(probe, batch.outputs[probe.name], batch.size[1]) for probe in probes}
    found = scores(name, logits, batch.outputs)
    assert found.score == found.graph_score == 1.0
    assert set(found.by_output) == set(found.by_output_graph) == {probe.name for probe in probes}


@pytest.mark.parametrize("name", ["bridges", "lcs_length"])
def test_masked_entries_do_not_matter(name, batch_of):
    batch = batch_of(name, n=7, count=5)
    (probe,) = algorithms.get(name).outputs
    truth = batch.outputs[probe.name]
    masked = (truth == -1) if probe.type is Type.MASK else (truth == -1).any(-1, keepdim=True)
    assert masked.any()
    wrong = torch.where(masked, -logits_of(probe, truth), logits_of(probe, truth))
    assert scores(name, {probe.name: wrong}, batch.outputs).graph_score == 1.0
    first = tuple((~masked).nonzero()[0].tolist())
    wrong[first[:-1] if probe.type is Type.CATEGORICAL else first] *= -1
    found = scores(name, {probe.name: wrong}, batch.outputs)
    assert found.graph_score == 0.8
    assert 0.8 < found.score < 1.0


# The same in NumPy


def plain_element_score(probe, z, y):
    if probe.type is Type.POINTER:
        return np.mean(z.argmax(-1) == y)
    if probe.type is Type.MASK:
        said, true, counts = z > 0, y > 0.5, y != -1
        hits = np.sum(said & true & counts)
        precision = hits / np.sum(said & counts) if np.any(said & counts) else 1.0
        recall = hits / np.sum(true & counts) if np.any(true & counts) else 1.0
        return 2 * precision * recall / (precision + recall) if precision + recall else 0.0
    counts = np.all(y != -1, axis=-1)
    return np.mean((z.argmax(-1) == y.argmax(-1))[counts])


def plain_graph_score(probe, z, y):
    if y.ndim == 1 or (y.ndim == 2 and probe.type is Type.MASK_ONE):
        return plain_element_score(probe, z, y)
    right = []
    for logits, truth in zip(z, y, strict=True):
        if probe.type is Type.POINTER:
            right.append(np.array_equal(logits.argmax(-1), truth))
        elif probe.type is Type.MASK:
            right.append(np.array_equal((logits > 0)[truth != -1], truth[truth != -1]))
        else:
            counts = np.all(truth != -1, axis=-1)
            right.append(np.array_equal(logits.argmax(-1)[counts], truth.argmax(-1)[counts]))
    return np.mean(right)


def noisy_logits(batch, seed):
    """Logits that are right in most graphs, so that no score is trivial."""
    generator = torch.Generator().manual_seed(seed)
    found = {}
    for probe in algorithms.get(batch.algorithm).outputs:
        logits = logits_of(probe, batch.outputs[probe.name], batch.size[1])
        noise = torch.randn(logits.shape, generator=generator)
        strength = torch.rand(len(logits), generator=generator).reshape(-1, *[1] * (logits.ndim - 1))
        found[probe.name] = logits + 2 * strength * noise
    return found


@pytest.mark.parametrize("name", algorithms.CLRS_30)
def test_all_outputs_of_an_algorithm(name, batch_of):
    batch = batch_of(name, n=5, count=40)
    logits = noisy_logits(batch, seed=1)
    found = scores(name, logits, batch.outputs)
    node, graph = [], []
    for probe in algorithms.get(name).outputs:
        z, y = logits[probe.name].numpy(), batch.outputs[probe.name].numpy()
        node.append(plain_element_score(probe, z, y))
        graph.append(plain_graph_score(probe, z, y))
        assert found.by_output[probe.name] == pytest.approx(node[-1])
        assert found.by_output_graph[probe.name] == pytest.approx(graph[-1])
    assert found.score == pytest.approx(np.mean(node))
    assert found.graph_score == pytest.approx(np.mean(graph))
    assert 0 < found.graph_score < 1


# Hints


def test_hint_scores_weigh_steps_by_the_samples_that_took_them():
    """bfs with two nodes: sample 0 has three rows, sample 1 two."""
    rows = {
        "pi_h": torch.tensor([[[0, 1], [0, 0], [1, 0]], [[0, 1], [1, 1], [0, 0]]]),
        "reach_h": tensor([[[1, 0], [1, 1], [1, 1]], [[0, 1], [0, 1], [0, 0]]]),
    }
    pointed = torch.tensor([[[0, 0], [0, 0]], [[0, 1], [1, 1]]])  # of step 0: 3 of 4 right; of step 1: 1 of 2
    logits = {
        "pi_h": torch.nn.functional.one_hot(pointed, 2).float(),
        "reach_h": tensor(
            [[[1, 1], [1, -1]], [[1, 1], [1, 1]]]
        ),  # step 0: F1 of (3, 4, 3) = 6/7; step 1: (1, 1, 2) = 2/3
    }
    found = hint_scores("bfs", logits, rows, torch.tensor([3, 2]))
    assert found["pi_h"] == pytest.approx((2 * 0.75 + 1 * 0.5) / 3)
    assert found["reach_h"] == pytest.approx((2 * 6 / 7 + 1 * 2 / 3) / 3)


def test_hints_that_were_not_decoded_have_no_score():
    rows = {"pi_h": torch.zeros(1, 2, 2, dtype=torch.int64), "reach_h": torch.zeros(1, 2, 2)}
    assert set(hint_scores("bfs", {"reach_h": torch.ones(1, 1, 2)}, rows, torch.tensor([2]))) == {"reach_h"}
    assert hint_scores("bfs", {"reach_h": torch.ones(1, 1, 2)}, rows, torch.tensor([1])) == {"reach_h": 0.0}
