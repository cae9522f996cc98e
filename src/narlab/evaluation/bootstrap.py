"""95 % intervals of metrics: a bootstrap over graphs, or over pairs of them.

A resample draws as many graphs as there are, with replacement. Its value needs only how often each graph was drawn, and
a few counts per graph: no prediction is looked at twice.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from narlab.evaluation.metrics import Counts

RESAMPLES = 1000
TAILS = (0.025, 0.975)
MOST_DRAWS = 2**22  # in memory at once


@dataclass(frozen=True)
class Interval:
    """Where a value lies with a confidence of 95 %."""

    low: float
    high: float


def intervals(counts: Mapping[str, Sequence[Counts]], *, seed: int = 0) -> dict[str, Interval]:
    """The interval of each metric around the value of its counts; metrics with as many rows see the same resamples.

    >>> right_of_all = Counts(np.array([[3, 4], [1, 4], [4, 4]]), lambda sums: sums[..., 0] / sums[..., 1])
    >>> intervals({"score": [right_of_all]})
    {'score': Interval(low=0.25, high=1.0)}
    """
    return {name: interval_of(values) for name, values in resampled(counts, seed=seed).items()}


def resampled(counts: Mapping[str, Sequence[Counts]], *, seed: int = 0) -> dict[str, np.ndarray]:
    """The values of each metric in all resamples; those of two models on the same graphs belong to each other.

    >>> right_of_all = Counts(np.array([[3, 4], [1, 4], [4, 4]]), lambda sums: sums[..., 0] / sums[..., 1])
    >>> resampled({"score": [right_of_all]})["score"].shape
    (1000,)
    """
    drawn: dict[str, list[np.ndarray]] = {name: [] for name in counts}
    for rows in dict.fromkeys(len(parts[0].values) for parts in counts.values()):
        same = {name: parts for name, parts in counts.items() if len(parts[0].values) == rows}
        for times in _resamples(rows, seed):  # [R, G]
            for name, parts in same.items():
                drawn[name].append(np.mean([part.score(_sums(times, part.values)) for part in parts], 0))
    return {name: np.concatenate(values) for name, values in drawn.items()}


def _sums(times: np.ndarray, values: np.ndarray) -> np.ndarray:
    """The sums [R, K] of each resample's values; an infinite one counts only where it was drawn."""
    infinite = np.isinf(values)
    if not infinite.any():
        return times @ values
    sums = times @ np.where(infinite, 0.0, values)
    above, below = (times @ (values == end) > 0 for end in (np.inf, -np.inf))
    sums[above], sums[below], sums[above & below] = np.inf, -np.inf, np.nan
    return sums


def _resamples(graphs: int, seed: int) -> Iterator[np.ndarray]:
    """How often each graph is drawn in each resample, in pieces [R, G] that together are `RESAMPLES`."""
    generator = np.random.default_rng(seed)
    rows = max(1, MOST_DRAWS // graphs)
    for first in range(0, RESAMPLES, rows):
        size = min(rows, RESAMPLES - first)
        chosen = generator.integers(graphs, size=(size, graphs)) + graphs * np.arange(size)[:, None]
        yield np.bincount(chosen.ravel(), minlength=size * graphs).reshape(size, graphs).astype(np.float64)


def interval_of(values: np.ndarray, tails: tuple[float, float] = TAILS) -> Interval:
    """Where the resamples that have a value lie between their tails."""
    known = np.sort(values[~np.isnan(values)])
    if not len(known):
        return Interval(np.nan, np.nan)
    if np.isfinite(known).all():
        low, high = np.quantile(known, tails)
        return Interval(float(low), float(high))
    return Interval(*(_between(known, tail * (len(known) - 1)) for tail in tails))


def _between(ordered: np.ndarray, place: float) -> float:
    """The value at a place between two, one of which may be infinite."""
    below, above = ordered[int(np.floor(place))], ordered[int(np.ceil(place))]
    return float(below if below == above else below + (place % 1) * (above - below))
