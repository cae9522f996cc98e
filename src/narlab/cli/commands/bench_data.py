"""`narlab bench data`."""

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Annotated, TypeVar

import tyro

from narlab import algorithms
from narlab.cli.options import Switch
from narlab.cli.tables import print_table, progress_bar
from narlab.data.benchmark import SIZES, JudgingRate, Rate, geometric_mean, has_dm_clrs, judging_rates, rates

Measured = TypeVar("Measured", Rate, JudgingRate)


@dataclass(frozen=True)
class BenchData:
    """Measure how many samples per second are made, per algorithm, at n=16 and n=64, with and without hints.

    Where dm-clrs is installed (make oracle), its rate and the ratio are measured in the same run. With --valid, how
    many answers per second are judged: right ones, and wrong ones, which may take longer.

    Examples:
      narlab bench data
      narlab bench data bfs dfs --json
      narlab bench data --valid
    """

    names: Annotated[
        tyro.conf.Positional[tuple[str, ...]], tyro.conf.arg(metavar="[ALGORITHM ...]", help_behavior_hint="")
    ] = ()
    """Which algorithms; default: all."""
    sizes: tuple[int, ...] = SIZES
    """Which n."""
    repeats: int = 5
    """The best of this many runs counts."""
    valid: Switch = False
    """Measure the judging of answers, and nothing else."""
    json: Switch = False
    """Print JSON instead of a table."""

    def run(self) -> None:
        names = self.names or algorithms.names()
        if self.repeats < 1:
            raise ValueError(f"--repeats must be at least 1, got {self.repeats}")
        for name in names:
            for n in self.sizes:
                algorithms.get(name).sample(n, 1)  # says at once what can't be sampled
        if self.valid:
            judged = self._measure(judging_rates(names, self.sizes, self.repeats), len(names))
            return _print_json(judged) if self.json else _print_judging(judged)
        made = self._measure(rates(names, self.sizes, self.repeats), len(names))
        return _print_json(made, "ratio") if self.json else _print(made)

    def _measure(self, measurements: Iterator[Measured], algorithm_count: int) -> list[Measured]:
        measured = []
        with progress_bar() as bar:
            task = bar.add_task("measuring", total=algorithm_count * len(self.sizes))
            for rate in measurements:
                measured.append(rate)
                bar.update(task, advance=1)
        return measured


def _print_json(measured: list[Measured], *computed: str) -> None:
    print(json.dumps([asdict(rate) | {name: getattr(rate, name) for name in computed} for rate in measured], indent=1))


def _print_judging(measured: list[JudgingRate]) -> None:
    columns = ["algorithm", "n", "right answers /s", "wrong answers /s"]
    rows = [[rate.algorithm, str(rate.n), f"{rate.right:,.0f}", f"{rate.wrong:,.0f}"] for rate in measured]
    print_table(columns, rows, numbers=columns[1:])
    for n in dict.fromkeys(rate.n for rate in measured):
        slowest = min((rate for rate in measured if rate.n == n), key=lambda rate: rate.slower)
        print(f"n={n}: at least {slowest.slower:,.0f} instances/s ({slowest.algorithm})")


def _print(measured: list[Rate]) -> None:
    columns = ["algorithm", "n", "with hints /s", "without hints /s", "dm-clrs /s", "ratio"]
    rows = [
        [
            rate.algorithm,
            str(rate.n),
            f"{rate.with_hints:,.0f}",
            f"{rate.without_hints:,.0f}",
            f"{rate.dm_clrs:,.0f}" if rate.dm_clrs else "-",
            f"{rate.ratio:,.0f}" if rate.ratio else "-",
        ]
        for rate in measured
    ]
    print_table(columns, rows, numbers=columns[1:])
    if not has_dm_clrs():
        print("dm-clrs is not installed: `make oracle` installs it for a comparison in the same run.")
        return
    for n in dict.fromkeys(rate.n for rate in measured):
        ratios = [rate.ratio for rate in measured if rate.n == n and rate.ratio]
        mean = geometric_mean(ratios)
        print(f"n={n}: {min(ratios):,.0f} to {max(ratios):,.0f} times dm-clrs, geometric mean {mean:,.0f}")
