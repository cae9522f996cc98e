"""How the cost of a training step grows with the size of the graphs, and the exponent that fits."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from narlab.bench.cases import Case, training_step
from narlab.bench.machine import large_product
from narlab.bench.processes import Maker, Measured, in_turns

SIZES = (8, 16, 32, 64, 128)
ASYMPTOTIC = 3  # the largest sizes, which tell most of how it goes on


@dataclass(frozen=True)
class Growth:
    """A model on graphs of several sizes, and the exponents that are expected.

    `case` is at the largest size; smaller graphs are more, by `power`, so that every point is about as much work and
    what a step costs whatever its graphs weighs alike in all.
    """

    case: Case
    power: int
    expected: str

    def at(self, n: int, largest: int) -> Case:
        return replace(self.case, n=n, graphs=self.case.graphs * math.ceil(largest / n) ** self.power)


# MPNN-G has a task without pointers: their decoder looks at all pairs, once per batch, whatever the processor does.
# 2WL has few steps: at n=128 each keeps 0.12 GB of every graph for the way back.
GROWTHS = (
    Growth(Case("mpnn_fc", "quicksort", 4), 2, "about 2"),
    Growth(Case("mpnn_g", "articulation_points", 8, family="regular:k=4"), 1, "about 1"),
    Growth(Case("two_wl", "quicksort", 4, depth=4), 2, "2 to 3"),
)


@dataclass(frozen=True)
class Point:
    """One size."""

    case: Case
    fast: Measured
    machine: Measured

    @property
    def seconds_per_graph(self) -> float:
        return self.fast.seconds / self.case.graphs

    @property
    def others(self) -> float:
        """Cores that other processes used meanwhile."""
        return self.machine.others


def point(case: Case, *, repeats: int, threads: int | None) -> Point:
    """Measure a training step at one size."""
    makers: list[Maker] = [large_product, partial(training_step, case, kernels=True)]
    machine, fast = in_turns(makers, repeats=repeats, threads=threads)
    return Point(case, fast, machine)


def exponent(measured: Sequence[Point]) -> float:
    """p of the n^p that is nearest to the seconds per graph: least squares of their logarithms."""
    sizes, seconds = [point.case.nodes for point in measured], [point.seconds_per_graph for point in measured]
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])
