"""Figure 2b: augmentations that break labels, counted and drawn. `narlab reproduce augmentation`.

No runs, seconds. DropEdge takes one edge away and keeps the labels: on a ring of 16 nodes and on the benchmark's
validation graphs of DFS, every edge in turn, the algorithm says how many parents are other ones. Mixup joins two inputs
and their labels: on the benchmark's validation sequences of quicksort, neighbours in pairs, the algorithm says how many
predecessors are not what the mixed labels say.

The paper: dropping an edge of the ring at the start node reverses the pointers of all nodes; no other numbers.
"""

from collections.abc import Sequence

import numpy as np

from narlab import algorithms as benchmark
from narlab import data
from narlab.experiments.declaring.outcome import Cell, Drawing, GraphPanel, Number, Outcome, Table
from narlab.experiments.declaring.results import Results
from narlab.training import Run

TITLE = "DropEdge and Mixup break labels (Figure 2b)"
ALGORITHMS = ("dfs", "quicksort")
RING, DRAWN_RING, DRAWN_KEYS = 16, 8, 6
SHARES = (0.5, 0.7, 0.9)
BROKEN, TOUCHED = "labels broken", "graphs with a broken label"
NOT_MIXED, IN_NEITHER = "labels that are not the mixture", "right node in neither label"


def runs(algorithms: Sequence[str], seeds: Sequence[int]) -> list[Run]:
    return []


def outcome(results: Results, algorithms: Sequence[str], seeds: Sequence[int]) -> Outcome:
    tables, drawings = [], []
    if "dfs" in algorithms:
        tables.append(_drop_edge())
        drawings.append(_draw_ring())
    if "quicksort" in algorithms:
        tables.append(_mixup())
        drawings.append(_draw_mixup())
    return Outcome("augmentation", results.budget.name, tuple(tables), drawings=tuple(drawings))


def _drop_edge() -> Table:
    circle, real = ring(RING)[None], data.load("clrs", "dfs", "val").inputs["A"]
    start = without_edge(circle[0], 0, 1)[None]
    found = {
        f"ring of {RING}, the edge at the start": broken(circle, start),
        f"ring of {RING}, any edge": broken(*_each_edge(circle, directed=False)),
        "the benchmark's DFS graphs, any edge": broken(*_each_edge(real, directed=True)),
    }
    rows = tuple(found)
    cells = {(row, column): Cell((value,)) for row, values in found.items() for column, value in values.items()}
    cells[rows[0], BROKEN] = Cell(cells[rows[0], BROKEN].ours, Number(100.0))
    note = "labels are the parents of all nodes that have one; every edge is dropped once, alone"
    return Table("dropedge", "DropEdge on DFS", rows, (BROKEN, TOUCHED), cells, notes=(note,))


def ring(n: int) -> np.ndarray:
    """The adjacency matrix of the cycle 0, 1, ..., n - 1."""
    step = np.roll(np.eye(n, dtype=np.int8), 1, axis=1)
    return step | step.T


def without_edge(A: np.ndarray, u: int, v: int) -> np.ndarray:
    """`A` without the edge between u and v."""
    changed = A.copy()
    changed[u, v] = changed[v, u] = 0
    return changed


def _each_edge(graphs: np.ndarray, *, directed: bool) -> tuple[np.ndarray, np.ndarray]:
    """Each graph once for each of its edges, and the same without that edge."""
    before, after = [], []
    for A in graphs:
        for u, v in np.argwhere(A):
            if u == v or (not directed and u > v):
                continue
            changed = A.copy()
            changed[u, v] = 0
            before.append(A)
            after.append(changed if directed else without_edge(A, u, v))
    return np.array(before), np.array(after)


def parents(graphs: np.ndarray) -> np.ndarray:
    """What DFS answers on adjacency matrices [count, N, N]."""
    count, n, _ = graphs.shape
    pos = np.tile(np.arange(n) / n, (count, 1))
    adj = (graphs != 0) | np.eye(n, dtype=bool)
    return benchmark.get("dfs").execute({"pos": pos, "A": graphs, "adj": adj}, hints=False).outputs["pi"]


def broken(before: np.ndarray, after: np.ndarray) -> dict[str, float]:
    """In percent: the labels of the graphs before that are wrong after, and the graphs that have such."""
    old, new = parents(before), parents(after)
    labelled = old != np.arange(old.shape[1])
    wrong = labelled & (old != new)
    return {BROKEN: 100 * float(wrong.sum() / labelled.sum()), TOUCHED: 100 * float(wrong.any(1).mean())}


def _mixup() -> Table:
    keys = data.load("clrs", "quicksort", "val").inputs["key"]
    found = {f"{share:g} to {1 - share:.1g}": mixed_labels(keys, np.roll(keys, 1, axis=0), share) for share in SHARES}
    cells = {(row, column): Cell((value,)) for row, values in found.items() for column, value in values.items()}
    note = "rows: how much of either sequence; labels are the predecessors of all nodes in sorted order"
    return Table("mixup", "Mixup on sorting", tuple(found), (NOT_MIXED, IN_NEITHER), cells, notes=(note,))


def predecessors(keys: np.ndarray) -> np.ndarray:
    """What quicksort answers on keys [count, N]."""
    count, n = keys.shape
    pos = np.tile(np.arange(n) / n, (count, 1))
    return benchmark.get("quicksort").execute({"pos": pos, "key": keys}, hints=False).outputs["pred"]


def mixed_labels(one: np.ndarray, two: np.ndarray, share: float) -> dict[str, float]:
    """In percent: the labels of mixed sequences that are not the mixture of both labels, or even none of the two."""
    first, second, truth = predecessors(one), predecessors(two), predecessors(share * one + (1 - share) * two)
    right = (truth == first) & (truth == second)
    neither = (truth != first) & (truth != second)
    return {NOT_MIXED: 100 * float((~right).mean()), IN_NEITHER: 100 * float(neither.mean())}


def _draw_ring() -> Drawing:
    circle = ring(DRAWN_RING)
    panels: list[GraphPanel] = []
    for title, A in (("DFS from node 0", circle), ("without the edge of 0 and 1", without_edge(circle, 0, 1))):
        pointers = _arrows(parents(A[None])[0])
        marked = () if not panels else tuple(arrow for arrow in pointers if arrow not in panels[0].edges)
        labels = tuple(map(str, range(DRAWN_RING)))
        panels.append(GraphPanel(title, DRAWN_RING, pointers, True, marked=marked, labels=labels, layout="ring"))
    notes = ("arrows: from each node to its parent; marked: those that dropping the edge has changed",)
    return Drawing("dropedge", "DropEdge on a DFS ring", tuple(panels), notes)


def _draw_mixup() -> Drawing:
    one, two = data.custom("quicksort", n=DRAWN_KEYS, count=2, seed=1).inputs["key"]
    keys = {"sequence A": one, "sequence B": two, "half of each": (one + two) / 2}
    arrows = {title: _arrows(predecessors(values[None])[0]) for title, values in keys.items()}
    known = {*arrows["sequence A"], *arrows["sequence B"]}
    panels = tuple(
        GraphPanel(
            title,
            DRAWN_KEYS,
            arrows[title],
            True,
            marked=tuple(arrow for arrow in arrows[title] if arrow not in known),
            labels=tuple(f"{key:.2f}" for key in values),
            layout="ring",
        )
        for title, values in keys.items()
    )
    notes = ("arrows: from each key to the one before it in order; marked: those in neither A nor B",)
    return Drawing("mixup", "Mixup on sorting", panels, notes)


def _arrows(pointers: np.ndarray) -> tuple[tuple[int, int], ...]:
    return tuple((node, int(target)) for node, target in enumerate(pointers) if node != target)
