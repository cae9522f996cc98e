"""`narlab generate`."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Annotated, Any

import tyro

from narlab import data
from narlab.cli.commands import AlgorithmName, OptionalInteger, OptionalPair, OptionalText, Switch, pair_in
from narlab.cli.terminal import progress_bar
from narlab.common import counted, say
from narlab.common.errors import UsageError, unknown

FORMATS = ("safetensors", "npz", "parquet")


@dataclass(frozen=True)
class Generate:
    """Write a data set to a file: a named one, or a custom one of any size and graph family.

    Examples:
      narlab generate l_clrs bfs --split train --out bfs.safetensors
      narlab generate custom dfs --n 32 --count 1000 --graphs regular:k=4 --out dfs.npz
      narlab generate custom kmp_matcher --n 20 --count 1000 --needle 7 --out needles.npz
      narlab generate ladder bfs --split rung_8_er:p=0.3 --out rung.npz
      narlab generate l_clrs bfs --split train --hints --format parquet --out bfs.parquet
    """

    dataset: Annotated[tyro.conf.Positional[str], tyro.conf.arg(metavar="DATASET")]
    """clrs, l_clrs, l_clrs_len, l_clrs_deg, l_clrs_len_deg, bridges_two_communities, ladder, one of an installed
    package, or custom."""
    algorithm: AlgorithmName
    """Name of the algorithm, as `narlab algorithms` lists them."""
    out: Path
    """The file; its ending decides the format: .safetensors, .npz or .parquet."""
    format: OptionalText = None
    """safetensors, npz or parquet (a row per sample, for pandas and Hugging Face); default: as --out ends."""
    split: OptionalText = None
    """Which split of a named data set: train, val or test, or another one that it has."""
    hints: Switch = False
    """Write the hints, too."""
    n: OptionalInteger = None
    """Size of the instances of a custom data set."""
    count: OptionalInteger = None
    """Number of samples of a custom data set."""
    seed: int = 0
    """Seed of a custom data set."""
    graphs: OptionalText = None
    """Graph family of a custom data set, such as regular:k=4."""
    weights: OptionalPair = None
    """Range of the edge weights of a custom data set, such as 0.5,1.0."""
    needle: OptionalInteger = None
    """Letters that string matching looks for in a custom data set; default: a fifth of n."""

    def run(self) -> None:
        start = perf_counter()
        dataset = self._custom() if self.dataset == "custom" else self._named()
        with progress_bar() as bar:
            task = bar.add_task(f"{self.dataset} {self.algorithm}", total=len(dataset))
            path = self._export()(dataset, self._path(), lambda done: bar.update(task, completed=done))
        size = path.stat().st_size / 1e6
        say(
            f"{path}: {counted(len(dataset), 'sample')}, n={dataset.description.n}, {size:.1f} MB, "
            f"{perf_counter() - start:.1f} s"
        )

    def _path(self) -> Path:
        """The file, with the ending of its format."""
        if self.format is None:
            return self.out
        if self.format not in FORMATS:
            raise unknown("format", self.format, FORMATS)
        if self.out.suffix not in ("", f".{self.format}"):
            raise UsageError(f"--format {self.format} writes files .{self.format}, got --out {self.out}")
        return self.out.with_suffix(f".{self.format}")

    def _export(self) -> Callable[..., Path]:
        if self._path().suffix != ".parquet":
            return data.export
        from narlab.interop import parquet

        return parquet.export

    def _named(self) -> data.Dataset:
        given = [name for name in ("n", "count", "graphs", "weights", "needle") if getattr(self, name) is not None]
        if given or self.seed:
            option = given[0] if given else "seed"
            raise UsageError(f"--{option} is for a custom data set; {self.dataset!r} has all of its settings")
        if self.split is None:
            splits = data.datasets.splits(data.datasets.get(self.dataset), self.algorithm)
            raise UsageError(f"missing: --split; {self.dataset!r} has {', '.join(splits)}")
        return data.load(self.dataset, self.algorithm, self.split, hints=self.hints)

    def _custom(self) -> data.Dataset:
        if self.split is not None:
            raise UsageError("a custom data set has no splits: leave --split out")
        if self.n is None or self.count is None:
            raise UsageError("a custom data set needs --n and --count")
        options: dict[str, Any] = {} if self.graphs is None else {"graphs": self.graphs}
        if self.weights is not None:
            options["weights"] = pair_in("--weights", self.weights)
        if self.needle is not None:
            options["needle"] = self.needle
        return data.custom(self.algorithm, n=self.n, count=self.count, seed=self.seed, hints=self.hints, **options)


COMMAND = Generate
