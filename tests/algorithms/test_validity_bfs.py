"""Any breadth-first tree is valid, whichever neighbour of the level before a node points to; and the ways to be wrong.

The graph, with source 0: 0 - 1, 0 - 2, 1 - 3, 2 - 3, 3 - 4, and 5 - 6 out of reach.
"""

import numpy as np
import pytest

from narlab import algorithms
from narlab.algorithms.engine import Defect

BFS = algorithms.get("bfs")
A = np.zeros((7, 7))
for u, v in [(0, 1), (0, 2), (1, 3), (2, 3), (3, 4), (5, 6)]:
    A[u, v] = A[v, u] = 1
TREE = [0, 0, 0, 1, 3, 5, 6]


def instances(*parents):
    """The graph once for each answer, and the answers."""
    count = len(parents)
    graph = {"pos": np.arange(7) / 7, "s": np.eye(7)[0], "A": A, "adj": (A != 0) | np.eye(7, dtype=bool)}
    return {name: np.stack([array] * count) for name, array in graph.items()}, {"pi": np.array(parents)}


def changed(**parents):
    """The tree with another parent for some nodes: `changed(n3=2)`."""
    tree = list(TREE)
    for node, parent in parents.items():
        tree[int(node[1:])] = parent
    return tree


def test_either_parent_of_the_level_before_is_valid():
    answers = instances(TREE, changed(n3=2))
    assert BFS.valid(*answers).all()
    assert BFS.valid_elements(*answers)["pi"].all()
    assert (BFS.optimality_gap(*answers) == 0).all()
    assert BFS.defects(*answers) == [[], []]


WRONG = {
    "source 0 points to 1, not to itself": (changed(n0=1), 0),
    "node 5 is out of reach and points to 6, not to itself": (changed(n5=6), 5),
    "node 3 points to itself, though there is a path to it": (changed(n3=3), 3),
    "node 4 points to 1, which is no neighbour": (changed(n4=1), 4),
    "node 1 points to 3, by which it is 3 from the source, not 1": (changed(n1=3), 1),
}


@pytest.mark.parametrize("text", WRONG)
def test_each_mistake_is_named_and_marks_its_node(text):
    answer, node = WRONG[text]
    instance = instances(answer)
    assert not BFS.valid(*instance).any()
    assert (~BFS.valid_elements(*instance)["pi"][0]).nonzero()[0].tolist() == [node]
    first = BFS.defects(*instance)[0][0]
    assert first.text == text
    assert first.nodes[0] == node


def test_a_cycle_is_shown():
    defects = BFS.defects(*instances(changed(n1=3)))[0]
    assert defects[-1] == Defect("cycle 1 -> 3 -> 1", (1, 3), ((3, 1), (1, 3)))


def test_the_gap_compares_path_lengths_and_is_infinite_without_paths():
    long_way = changed(n2=3)  # 2 is reached by 0, 1, 3: three edges and not one
    gaps = BFS.optimality_gap(*instances(TREE, long_way, changed(n4=4), changed(n1=3), changed(n5=6)))
    assert gaps.tolist() == [0, 2 / 7, np.inf, np.inf, np.inf]


def test_the_source_alone_has_no_gap():
    inputs, outputs = instances(list(range(7)))
    inputs["A"], inputs["adj"] = np.zeros((1, 7, 7)), np.eye(7)[None]
    assert BFS.optimality_gap(inputs, outputs).tolist() == [0]
