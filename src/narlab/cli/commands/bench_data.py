"""`narlab bench data`."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Annotated, Any, TypeVar

import tyro

from narlab import algorithms
from narlab.bench.data import (
    BATCH_SIZES,
    SIZES,
    BatchRate,
    JudgingRate,
    Rate,
    batch_rates,
    geometric_mean,
    has_dm_clrs,
    judging_rates,
    rates,
)
from narlab.cli.commands import OptionalPath, OptionalText, Switch, integers_in, names_in
from narlab.cli.commands.bench_train import warn_if_busy
from narlab.cli.terminal import print_table, progress_bar
from narlab.common.errors import UsageError
from narlab.common.files import check_target, write_whole

Measured = TypeVar("Measured", Rate, JudgingRate, BatchRate)


@dataclass(frozen=True)
class BenchData:
    """Measure how many samples per second are made, per algorithm, at n=16 and n=64, with and without hints.

    Where dm-clrs is installed (make oracle), its rate and the ratio are measured in the same run. With --valid, how
    many answers per second are judged: right ones, and wrong ones, which may take longer. With --batches, how many
    samples per second narlab.interop.clrs gives in batches of 32 in place of dm-clrs's sampler, both in turns.

    Examples:
      narlab bench data
      narlab bench data bfs,dfs --json rates.json
      narlab bench data --valid
      narlab bench data --batches
    """

    names: Annotated[
        tyro.conf.Positional[str | None], tyro.conf.arg(metavar="[ALGORITHM,...]", help_behavior_hint="")
    ] = None
    """Which algorithms; default: all."""
    sizes: OptionalText = None
    """Which n; default: 16,64, with --batches 16."""
    repeats: int = 5
    """The best of this many runs counts."""
    valid: Switch = False
    """Measure the judging of answers, and nothing else."""
    batches: Switch = False
    """Measure batches in dm-clrs's form, and nothing else."""
    json: OptionalPath = None
    """Write everything that was measured to this file, too."""

    def run(self) -> None:
        names = names_in("ALGORITHM", self.names) or (algorithms.CLRS_30 if self.batches else algorithms.names())
        sizes = self._sizes()
        self._check(names, sizes)
        count = len(names) * len(sizes)
        if self.valid:
            judged = _measured(judging_rates(names, sizes, self.repeats), count)
            _print_judging(judged)
            self._write([asdict(rate) for rate in judged])
        elif self.batches:
            from narlab.interop import clrs  # takes seconds to load

            batched = _measured(batch_rates(clrs.build_sampler, names, sizes, self.repeats), count)
            _print_batches(batched)
            self._write([_batch_row(rate) for rate in batched])
        else:
            made = _measured(rates(names, sizes, self.repeats), count)
            _print(made)
            self._write([{**asdict(rate), "ratio": rate.ratio} for rate in made])

    def _sizes(self) -> tuple[int, ...]:
        if self.sizes is not None:
            return integers_in("--sizes", self.sizes)
        return BATCH_SIZES if self.batches else SIZES

    def _check(self, names: Sequence[str], sizes: Sequence[int]) -> None:
        if self.repeats < 1:
            raise UsageError(f"--repeats must be at least 1, got {self.repeats}")
        if self.json is not None:
            check_target(self.json, (".json",))
        for name in names:
            for n in sizes:
                algorithms.get(name).sample(n, 1)  # says at once what can't be sampled
        if self.batches:
            self._check_batches(names)

    def _check_batches(self, names: Sequence[str]) -> None:
        if self.valid:
            raise UsageError("--valid and --batches are two measurements: take one at a time")
        if not has_dm_clrs():
            raise UsageError("--batches needs dm-clrs; get it with: pip install 'narlab[oracle]'")
        if foreign := [name for name in names if name not in algorithms.CLRS_30]:
            raise UsageError(f"dm-clrs has no {', '.join(foreign)}: --batches takes its own 30 algorithms")

    def _write(self, rows: list[dict[str, Any]]) -> None:
        if self.json is not None:
            write_whole(self.json, (json.dumps(rows, indent=1) + "\n").encode())


def _measured(measurements: Iterator[Measured], count: int) -> list[Measured]:
    measured = []
    with progress_bar() as bar:
        task = bar.add_task("measuring", total=count)
        for rate in measurements:
            measured.append(rate)
            bar.update(task, advance=1)
    return measured


def _print_judging(measured: list[JudgingRate]) -> None:
    columns = ["algorithm", "n", "right answers /s", "wrong answers /s"]
    rows = [[rate.algorithm, str(rate.n), f"{rate.right:,.0f}", f"{rate.wrong:,.0f}"] for rate in measured]
    print_table(columns, rows, numbers=columns[1:])
    for n in dict.fromkeys(rate.n for rate in measured):
        slowest = min((rate for rate in measured if rate.n == n), key=lambda rate: rate.slower)
        print(f"n={n}: at least {slowest.slower:,.0f} instances/s ({slowest.algorithm})")


def _print_batches(measured: list[BatchRate]) -> None:
    columns = ["algorithm", "n", "samples /s", "dm-clrs /s", "ratio", "ratio per core"]
    rows = [
        [
            rate.algorithm,
            str(rate.n),
            f"{rate.narlab.per_second:,.0f}",
            f"{rate.dm_clrs.per_second:,.0f}",
            f"{rate.ratio:,.0f}",
            f"{rate.ratio_per_core:,.0f}",
        ]
        for rate in measured
    ]
    print_table(columns, rows, numbers=columns[1:])
    _print_ratios([(rate.n, rate.ratio) for rate in measured])
    suspect = "samplers that use all cores, as narlab's, suffer most, and ratios come out too small"
    warn_if_busy(max(rate.others or 0.0 for rate in measured), "used", suspect)


def _batch_row(rate: BatchRate) -> dict[str, Any]:
    speeds = {"narlab": rate.narlab._asdict(), "dm_clrs": rate.dm_clrs._asdict()}
    return {**asdict(rate), **speeds, "ratio": rate.ratio, "ratio_per_core": rate.ratio_per_core}


def _print_ratios(measured: list[tuple[int, float]]) -> None:
    """The range and the mean of the ratios at each n."""
    for n in dict.fromkeys(n for n, _ in measured):
        ratios = [ratio for size, ratio in measured if size == n]
        mean = geometric_mean(ratios)
        print(f"n={n}: {min(ratios):,.0f} to {max(ratios):,.0f} times dm-clrs, geometric mean {mean:,.0f}")


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
    _print_ratios([(rate.n, rate.ratio) for rate in measured if rate.ratio])


COMMAND = BenchData
