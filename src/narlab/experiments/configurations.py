"""Table 3: the data sets of the paper, counted as they are made. `narlab reproduce configurations`.

No runs, seconds: every sample is made and looked at, those of training too. The paper's table is of BFS here; a second
one has what differs between tasks in the benchmark's own splits, where the paper says 16, 64 and 32.

The paper: CLRS and L-CLRS have graphs of 16 and 64 nodes, 1,000 and 100,000 training samples, 32 for validation and for
test; the controlled sets 16 or 32 and 32 nodes, 100,000 and 1,000 samples, K-regular with K of 4 and 4 or 8.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np

from narlab import data
from narlab.algorithms import DISTINCT
from narlab.experiments.declaring.outcome import Cell, Number, Outcome, Table
from narlab.experiments.declaring.results import Results
from narlab.training import Run

TITLE = "Data set configurations (Table 3)"
ALGORITHMS = tuple(DISTINCT)
SHOWN = "bfs"  # whose graphs are undirected and unweighted, so that degrees are those of the family
COLUMNS = (
    "nodes, train",
    "nodes, val",
    "nodes, test",
    "samples, train",
    "samples, val",
    "samples, test",
)
DEGREES = ("degree, train", "degree, val", "degree, test")
PAPER = {
    "clrs": (16, 16, 64, 1000, 32, 32),
    "l_clrs": (16, 16, 64, 100_000, 32, 32),
    "l_clrs_len": (16, 16, 32, 100_000, 1000, 1000),
    "l_clrs_deg": (32, 32, 32, 100_000, 1000, 1000),
    "l_clrs_len_deg": (16, 16, 32, 100_000, 1000, 1000),
}
PAPER_DEGREES = {"l_clrs_len": (4, 4, 4), "l_clrs_deg": (4, 4, 8), "l_clrs_len_deg": (4, 4, 8)}
SPLITS = ("train", "val", "test")
PART = 4096  # samples that are made at once


def runs(algorithms: Sequence[str], seeds: Sequence[int]) -> list[Run]:
    return []


def outcome(results: Results, algorithms: Sequence[str], seeds: Sequence[int]) -> Outcome:
    most = results.budget.most_graphs
    return Outcome("configurations", results.budget.name, (_configurations(most), _degrees(most), _tasks(algorithms)))


@dataclass(frozen=True)
class Made:
    """What a split turns out to be: its nodes, samples and mean degree without self-loops."""

    nodes: int
    samples: int
    degree: float


@cache
def made(dataset: str, split: str, most: int | None = None) -> Made:
    """A split of BFS, counted sample by sample; with `most`, that many are looked at and the others are believed."""
    whole = data.load(dataset, SHOWN, split)
    looked_at = whole if most is None else whole[:most]
    samples, arcs, nodes = 0, 0, set[int]()
    for part in looked_at.chunks(PART):
        edges = part.inputs["A"] != 0  # [count, N, N]
        n = edges.shape[1]
        samples, nodes = samples + len(edges), nodes | {n}
        arcs += int(edges.sum()) - int(edges[:, np.arange(n), np.arange(n)].sum())
    (n,) = nodes
    return Made(n, samples if most is None else len(whole), arcs / (samples * n))


def _configurations(most: int | None) -> Table:
    cells = {}
    for dataset, said in PAPER.items():
        splits = [made(dataset, split, most) for split in SPLITS]
        found = (*(split.nodes for split in splits), *(split.samples for split in splits))
        for column, ours, paper in zip(COLUMNS, found, said, strict=True):
            cells[dataset, column] = Cell((float(ours),), Number(float(paper)))
    title, notes = "Data set configurations", (f"counted on {SHOWN}",)
    return Table("configurations", title, tuple(PAPER), COLUMNS, cells, unit="", notes=notes)


def _degrees(most: int | None) -> Table:
    """Mean degrees by split; the paper says K where graphs are K-regular."""
    cells = {}
    for dataset in PAPER:
        for k, split in enumerate(SPLITS):
            said = Number(float(PAPER_DEGREES[dataset][k])) if dataset in PAPER_DEGREES else None
            cells[dataset, DEGREES[k]] = Cell((made(dataset, split, most).degree,), said)
    notes = (
        f"of {SHOWN}, means over all nodes, self-loops left out; clrs and l_clrs are Erdős–Rényi with a fixed p",
        "strongly_connected_components has communities in the controlled sets, not K-regular graphs",
    )
    return Table("degrees", "Degrees of the graphs", tuple(PAPER), DEGREES, cells, unit="", notes=notes)


def _tasks(algorithms: Sequence[str]) -> Table:
    """The official splits' nodes and samples by task."""
    columns, cells = ("nodes, val", "nodes, test", "samples, val", "samples, test"), {}
    for task in algorithms:
        val, test = (data.load("l_clrs", task, split) for split in SPLITS[1:])
        sizes = [split.inputs["pos"].shape[1] for split in (val, test)]
        counts = [len(split.lengths) for split in (val, test)]
        for column, value in zip(columns, (*sizes, *counts), strict=True):
            cells[task, column] = Cell((float(value),))
    notes = ("the benchmark multiplies its 32 samples where one has few answers; string tasks have 16 + 4 letters",)
    title = "Official validation and test splits by task"
    return Table("tasks", title, tuple(algorithms), columns, cells, unit="", notes=notes)
