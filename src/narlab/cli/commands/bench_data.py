"""`narlab bench data`."""

import json
from dataclasses import asdict, dataclass
from typing import Annotated

import tyro

from narlab import algorithms
from narlab.bench.data import SIZES, Rate, geometric_mean, has_dm_clrs, rates
from narlab.cli.options import Switch
from narlab.cli.terminal import print_table, progress_bar
from narlab.common.errors import UsageError


@dataclass(frozen=True)
class BenchData:
    """Measure how many samples per second are made, per algorithm, at n=16 and n=64, with and without hints.

    Where dm-clrs is installed (make oracle), its rate and the ratio are measured in the same run.

    Examples:
      narlab bench data
      narlab bench data bfs dfs --json
    """

    names: Annotated[
        tyro.conf.Positional[tuple[str, ...]], tyro.conf.arg(metavar="[ALGORITHM ...]", help_behavior_hint="")
    ] = ()
    """Which algorithms; default: all."""
    sizes: tuple[int, ...] = SIZES
    """Which n."""
    repeats: int = 5
    """The best of this many runs counts."""
    json: Switch = False
    """Print JSON instead of a table."""

    def run(self) -> None:
        names = self.names or algorithms.names()
        if self.repeats < 1:
            raise UsageError(f"--repeats must be at least 1, got {self.repeats}")
        for name in names:
            for n in self.sizes:
                algorithms.get(name).sample(n, 1)  # says at once what can't be sampled
        measured: list[Rate] = []
        with progress_bar() as bar:
            task = bar.add_task("measuring", total=len(names) * len(self.sizes))
            for rate in rates(names, self.sizes, self.repeats):
                measured.append(rate)
                bar.update(task, advance=1)
        if self.json:
            return print(json.dumps([{**asdict(rate), "ratio": rate.ratio} for rate in measured], indent=1))
        return _print(measured)


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


COMMAND = BenchData
