"""Drawings of graphs: places, groups, marked and missing edges."""

import networkx as nx
import numpy as np
import pytest
from matplotlib.collections import LineCollection
from matplotlib.colors import to_hex
from matplotlib.patches import FancyArrowPatch

from narlab.experiments.declaring.outcome import Drawing, GraphPanel
from narlab.report.pictures import style
from narlab.report.pictures.figures import rendered
from narlab.report.pictures.graph_drawings import MARK, figure
from narlab.report.pictures.graph_places import places_of

RING = tuple((k, (k + 1) % 6) for k in range(6))
COMMUNITIES = tuple((u + side, v + side) for side in (0, 6) for u in range(6) for v in range(u) if (u + v) % 3)
GROUPS = (0,) * 6 + (1,) * 6
A = GraphPanel("A", 12, (*COMMUNITIES, (2, 9)), groups=GROUPS, marked=((2, 9),))
B = GraphPanel("B", 12, (*COMMUNITIES, (2, 9), (5, 7)), groups=GROUPS, marked=((2, 9), (5, 7)))


def drawn(*panels):
    made = figure(Drawing("d", "D", panels))
    return [axes for axes in made.axes if axes.get_title()]


def lines_of(axes):
    """Colour, dashes and ends of every line."""
    return [
        (to_hex(group.get_colors()[0]), group.get_linestyles()[0][1] is not None, np.asarray(segment))
        for group in axes.collections
        if isinstance(group, LineCollection)
        for segment in group.get_segments()
    ]


def arrows_of(axes):
    return [patch for patch in axes.patches if isinstance(patch, FancyArrowPatch)]


def test_every_edge_is_drawn_once_and_marked_ones_stand_out():
    doubled = GraphPanel("g", 6, (*RING, *((v, u) for u, v in RING)), marked=((1, 0),), layout="ring")
    (axes,) = drawn(doubled)
    lines = lines_of(axes)
    assert len(lines) == 6
    (marked,) = [(dashed, ends) for colour, dashed, ends in lines if colour == MARK]
    assert not marked[0]
    (places,) = places_of([doubled])
    assert np.allclose(sorted(marked[1].tolist()), sorted(places[[0, 1]].tolist()))


def test_a_marked_edge_that_is_missing_is_dashed():
    (axes,) = drawn(GraphPanel("g", 6, RING[1:], marked=(RING[0],), layout="ring"))
    assert [dashed for colour, dashed, _ in lines_of(axes) if colour == MARK] == [True]
    assert len(lines_of(axes)) == 6
    (axes,) = drawn(GraphPanel("g", 6, RING[1:], directed=True, marked=(RING[0],), layout="ring"))
    assert [arrow.get_linestyle() != "-" for arrow in arrows_of(axes)].count(True) == 1


def test_arrows_there_and_back_are_bent_apart():
    (straight,) = drawn(GraphPanel("g", 6, RING, directed=True, layout="ring"))
    assert {arrow.get_connectionstyle().rad for arrow in arrows_of(straight)} == {0}
    (axes,) = drawn(GraphPanel("g", 6, RING, directed=True, marked=((1, 0),), layout="ring"))
    assert sum(arrow.get_connectionstyle().rad != 0 for arrow in arrows_of(axes)) == 2
    pointer = next(arrow for arrow in arrows_of(axes) if to_hex(arrow.get_edgecolor()) == MARK)
    assert pointer.get_linestyle() in ("-", "solid")  # it runs along an edge, though against it


def test_groups_differ_in_colour_and_shape():
    (axes,) = drawn(A)
    discs = [group for group in axes.collections if not isinstance(group, LineCollection)]
    assert [len(group.get_offsets()) for group in discs] == [6, 6]
    assert [to_hex(group.get_facecolor()[0]) for group in discs] == list(style.GROUPS[:2])
    shapes = [len(group.get_paths()[0].vertices) for group in discs]
    assert shapes[0] != shapes[1]


def test_communities_stand_apart_with_their_joins_between_them():
    left, right = np.split(places_of([B])[0], 2)
    assert left[:, 0].max() < right[:, 0].min()
    assert left[[2, 5], 0].min() >= np.sort(left[:, 0])[-2]
    assert right[[3, 1], 0].max() <= np.sort(right[:, 0])[1]


def test_graphs_that_are_alike_have_their_nodes_in_the_same_places():
    other = GraphPanel("C", 12, tuple((k, (k * 5 + 1) % 12) for k in range(12)), groups=GROUPS)
    first, second, third = places_of([A, B, other])
    assert np.array_equal(first, second)
    assert not np.allclose(first, third)


def test_a_sparse_graph_has_its_nodes_apart_and_small_components_on_the_right():
    graph = nx.gnp_random_graph(64, 0.035, seed=3)
    (places,) = places_of([GraphPanel("g", 64, tuple(graph.edges))])
    apart = np.linalg.norm(places[:, None] - places, axis=-1) + 9 * np.eye(64)
    assert apart.min() > 0.07
    assert np.abs(places).max() <= 1
    largest, *others = sorted(nx.connected_components(graph), key=len, reverse=True)
    assert len(others) > 2
    assert max(places[v, 0] for v in largest) < min(places[v, 0] for part in others for v in part)


def test_given_places_keep_their_shape():
    (places,) = places_of([GraphPanel("g", 3, (), positions=((0, 0), (4, 0), (4, 2)))])
    assert np.allclose(places, [[-1, -0.5], [1, -0.5], [1, 0.5]])


def test_labels_are_written_and_indices_where_there_are_none():
    (named, plain) = drawn(
        GraphPanel("a", 3, ((0, 1),), labels=("x", "0.25", "")), GraphPanel("b", 3, ((0, 1),), layout="ring")
    )
    assert [text.get_text() for text in named.texts] == ["x", "0.25", ""]
    assert [text.get_text() for text in plain.texts] == ["0", "1", "2"]


def test_small_and_large_and_empty_graphs_are_drawn():
    for n in (0, 1, 64):
        edges = tuple((u, v) for u in range(n) for v in range(u) if (u * v) % 7 == 3)
        assert len(drawn(GraphPanel(f"{n} nodes", n, edges))) == 1


def test_an_unknown_layout_is_refused():
    with pytest.raises(ValueError, match="unknown layout 'rings'; did you mean 'ring'"):
        places_of([GraphPanel("g", 3, (), layout="rings")])


@pytest.mark.parametrize("kind", ["png", "svg"])
def test_the_same_drawing_gives_the_same_bytes(kind):
    drawing = Drawing("d", "D", (A, B))
    assert rendered(lambda: figure(drawing), kind) == rendered(lambda: figure(drawing), kind)
