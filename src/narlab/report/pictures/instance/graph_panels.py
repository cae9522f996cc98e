"""Graphs: the input with weights and source; outputs as parents, groups, an order, marked nodes or marked edges."""

from collections import Counter
from functools import partial
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from narlab.common.errors import UsageError
from narlab.common.node_layout import spread
from narlab.report.pictures import style
from narlab.report.pictures.instance.graph_layout import Graph
from narlab.report.pictures.instance.panel import Entries, Panel
from narlab.report.pictures.instance.sample import Sample, Verdict, has
from narlab.specs import Location, Type


def input_panel(sample: Sample) -> Panel:
    graph = Graph(sample)
    kind = ("" if graph.is_directed else "un") + "directed" + (", weighted" if graph.is_weighted else "")
    source = "" if graph.source is None else f" with source {graph.source}"
    return Panel(f"input: {kind} graph{source}", *graph.size, partial(_draw_input, graph))


def output_panel(sample: Sample) -> Panel:
    """The output in the form that its probes ask for."""
    graph = Graph(sample)
    pointer = has(sample, Location.NODE, Type.POINTER)
    if pointer and has(sample, Location.NODE, Type.MASK_ONE):
        return Panel(f"{sample.called(pointer)}: places in the order", *graph.size, partial(_draw_order, graph))
    if pointer and pointer.endswith("_id"):
        return Panel(f"{sample.called(pointer)}: components by colour", *graph.size, partial(_draw_groups, graph))
    if pointer:
        return Panel(f"{sample.called(pointer)}: arrows to the parents", *graph.size, partial(_draw_parents, graph))
    if name := has(sample, Location.EDGE, Type.MASK):
        return Panel(f"{sample.called(name)}: marked edges", *graph.size, partial(_draw_marked_edges, graph))
    if name := has(sample, Location.NODE, Type.MASK):
        return Panel(f"{sample.called(name)}: marked nodes", *graph.size, partial(_draw_marked_nodes, graph))
    raise UsageError(f"there is no picture for the outputs of {sample.algorithm.name}")


def mark_defects(sample: Sample, axes: Axes) -> None:
    Graph(sample).draw_defects(axes)


def _draw_input(graph: Graph, axes: Axes) -> Entries:
    graph.draw_edges(axes, graph.pairs, style.GREY)
    graph.draw_weights(axes, graph.pairs)
    graph.draw_nodes(axes)
    return _source_entry(graph)


def _draw_parents(graph: Graph, axes: Axes) -> Entries:
    """Bold arrows to the parents; where one is wrong, a dashed one to the true parent."""
    sample = graph.sample
    (name,) = sample.outputs
    shown, true, right = sample.shown(name), sample.true(name), sample.right(name)
    bold = style.by_size(sample.nodes, 2.2, 1.4)
    covered = {frozenset((v, int(shown[v]))) for v in range(sample.nodes)}
    behind = [pair for pair in graph.pairs if frozenset(pair) not in covered]
    graph.draw_edges(axes, behind if sample.shows_right else [], style.PALE)
    for v in range(sample.nodes):
        if not right[v] and true[v] != v:
            graph.draw_arrow(axes, (v, int(true[v])), style.MARKED, width=bold / 2, dashes=style.DASHES)
        if shown[v] != v and (sample.shows_right or not right[v]):
            graph.draw_arrow(axes, (v, int(shown[v])), style.MARKED if right[v] else style.WRONG, width=bold)
    wrong = {frozenset((v, int(ends[v]))) for v in np.flatnonzero(~right).tolist() for ends in (shown, true)}
    weighed = covered if sample.shows_right else wrong
    graph.draw_weights(axes, [pair for pair in graph.pairs if frozenset(pair) in weighed])
    graph.draw_nodes(axes, rings=~right)
    if right.all():
        return [*_source_entry(graph), ("parent", style.stroke(style.MARKED))]
    return [
        *_source_entry(graph),
        ("right parent", style.stroke(style.MARKED)),
        ("wrong parent", style.stroke(style.WRONG)),
        ("true parent", style.stroke(style.MARKED, width=1.2, style=style.DASHES)),
    ]


def _draw_groups(graph: Graph, axes: Axes) -> Entries:
    """Nodes that share a representative share a colour."""
    (name,) = graph.sample.outputs
    shown, right = graph.sample.shown(name).tolist(), graph.sample.right(name)
    several = [representative for representative, members in Counter(shown).items() if members > 1]
    colour = {representative: style.GROUPS[k % len(style.GROUPS)] for k, representative in enumerate(several)}
    graph.draw_edges(axes, graph.pairs if graph.sample.shows_right else [], _edge_colour(graph))
    fills = {v: colour[representative] for v, representative in enumerate(shown) if representative in colour}
    graph.draw_nodes(axes, fills, rings=~right, bold=several)
    entries: Entries = [("representative", style.disc(style.PALE, width=2))] if several else []
    if len(fills) < len(shown):
        entries.append(("single node", style.disc(style.WHITE)))
    if not right.all():
        entries.append(("wrong", style.disc(style.WHITE, edge=style.WRONG, width=2)))
    return entries


def _draw_order(graph: Graph, axes: Axes) -> Entries:
    """Places in the true order beside the nodes; where a successor is wrong, the predicted one instead."""
    sample = graph.sample
    name, head = has(sample, Location.NODE, Type.POINTER), has(sample, Location.NODE, Type.MASK_ONE)
    assert name is not None
    assert head is not None
    shown, right = sample.shown(name), sample.right(name)
    rank = _ranks(sample.true(name), int(sample.true(head)))
    fills = {v: style.tint(style.SKY, place / sample.nodes) for v, place in rank.items()}
    if not sample.right(head):
        fills[int(sample.shown(head))] = style.WRONG
    graph.draw_edges(axes, graph.pairs if sample.shows_right else [], _edge_colour(graph))
    graph.draw_nodes(axes, fills, rings=~right)
    texts = [str(rank[v] + 1) if right[v] else f"→{shown[v]}" for v in range(sample.nodes)]
    _write_beside(graph, axes, texts, [style.MARKED if good else style.WRONG for good in right])
    entries: Entries = [("early", style.disc(style.WHITE)), ("late", style.disc(style.SKY))]
    if not right.all():
        entries.append(("→k: wrong, k predicted to follow", style.disc(style.WHITE, edge=style.WRONG, width=2)))
    if not sample.right(head):
        entries.append(("wrong head", style.disc(style.WRONG)))
    return entries


def _draw_marked_nodes(graph: Graph, axes: Axes) -> Entries:
    (name,) = graph.sample.outputs
    verdicts = graph.sample.verdicts(name)
    graph.draw_edges(axes, graph.pairs if graph.sample.shows_right else [], style.GREY)
    colours = {Verdict.RIGHT: style.MARKED, Verdict.WRONG: style.WRONG}
    fills = {v: colours[verdict] for v, verdict in enumerate(verdicts) if verdict in colours}
    graph.draw_nodes(axes, fills, rings=verdicts == Verdict.MISSED)
    entries: Entries = [(f"{name} = 1", style.disc(style.MARKED)), (f"{name} = 0", style.disc(style.WHITE))]
    if (verdicts == Verdict.WRONG).any():
        entries.append(("wrongly marked", style.disc(style.WRONG)))
    if (verdicts == Verdict.MISSED).any():
        entries.append(("missed", style.disc(style.WHITE, edge=style.WRONG, width=2)))
    return entries


def _draw_marked_edges(graph: Graph, axes: Axes) -> Entries:
    (name,) = graph.sample.outputs
    kinds = _pairs_by_verdict(graph.sample.verdicts(name))
    if not graph.sample.shows_right:
        kinds |= {Verdict.PLAIN: [], Verdict.RIGHT: []}
    connected = set(graph.pairs)
    graph.draw_edges(axes, [pair for pair in kinds[Verdict.PLAIN] if pair in connected], style.PALE)
    graph.draw_lines(axes, kinds[Verdict.RIGHT], style.MARKED, width=3)
    for pair in kinds[Verdict.WRONG]:
        graph.draw_arrow(axes, pair, style.WRONG, width=3 if pair in connected else 1.6, heads="-")
    graph.draw_lines(axes, kinds[Verdict.MISSED], style.WRONG, width=2, dashes=style.DASHES)
    graph.draw_weights(axes, [pair for pair in kinds[Verdict.RIGHT] + kinds[Verdict.MISSED] if pair in connected])
    graph.draw_nodes(axes)
    entries: Entries = [(f"{name} = 1", style.stroke(style.MARKED, width=3))]
    if connected.intersection(kinds[Verdict.PLAIN]):
        entries.append((f"{name} = 0", style.stroke(style.PALE, width=1)))
    if kinds[Verdict.WRONG]:
        entries.append(("wrongly marked", style.stroke(style.WRONG, width=3)))
    if kinds[Verdict.MISSED]:
        entries.append(("missed", style.stroke(style.WRONG, width=2, style=style.DASHES)))
    return entries


def _pairs_by_verdict(verdicts: np.ndarray) -> dict[Verdict, list[tuple[int, int]]]:
    """The pairs u < v by the worse of their two directions' verdicts."""
    kinds: dict[Verdict, list[tuple[int, int]]] = {verdict: [] for verdict in Verdict}
    for u, v in zip(*np.triu_indices(len(verdicts), 1), strict=True):
        found = (verdicts[u, v], verdicts[v, u])
        worst_first = (Verdict.WRONG, Verdict.MISSED, Verdict.RIGHT, Verdict.PLAIN)
        kinds[next(verdict for verdict in worst_first if verdict in found)].append((int(u), int(v)))
    return kinds


def _ranks(successor: np.ndarray, head: int) -> dict[int, int]:
    """The place of each node, along successors from the head on."""
    rank: dict[int, int] = {}
    while head not in rank:
        rank[head] = len(rank)
        head = int(successor[head])
    return rank


def _write_beside(graph: Graph, axes: Axes, texts: list[str], colours: list[str]) -> None:
    """A text beside each node, away from edges and other nodes; outside the picture if there is a choice."""
    turn = np.linspace(0, 2 * np.pi, 16, endpoint=False)
    unit = np.stack([np.cos(turn), np.sin(turn)], axis=1)
    outward = [unit[np.argsort(-(unit @ place).round(9), kind="stable")] for place in graph.places]
    candidates = [place + graph.beside * around for place, around in zip(graph.places, outward, strict=True)]
    is_wide = max(map(len, texts)) > 2
    edges = [graph.along(pair, np.linspace(0.05, 0.95, 19)) for pair in graph.pairs]
    for v, best in enumerate(spread(candidates, np.vstack([graph.places, *edges]), (0.09, 0.09))):
        size = style.by_size(graph.sample.nodes, 10, 6)
        x, y = candidates[v][best]
        side = round((x - graph.places[v, 0]) / graph.beside) if is_wide else 0
        align: Any = {-1: "right", 0: "center", 1: "left"}[side]
        shift = x - 0.4 * side * graph.beside
        axes.text(shift, y, texts[v], color=colours[v], weight="bold", ha=align, va="center", fontsize=size, zorder=5)


def _edge_colour(graph: Graph) -> str:
    """Of edges behind coloured nodes: paler in a large graph."""
    return style.GREY if graph.sample.nodes <= 16 else style.PALE


def _source_entry(graph: Graph) -> Entries:
    return [] if graph.source is None else [("source", style.disc(style.SPECIAL))]
