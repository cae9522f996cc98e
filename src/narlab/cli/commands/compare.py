"""`narlab compare`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import tyro

from narlab.cli.commands import ListOfNames, OptionalInteger, OptionalPath, OptionalText
from narlab.cli.terminal import print_table, progress_bar
from narlab.common import say
from narlab.common.errors import UsageError

if TYPE_CHECKING:
    from narlab.data import Dataset
    from narlab.evaluation.comparison import Comparison, Difference
    from narlab.models import Network


@dataclass(frozen=True)
class Compare:
    """Score several models on the same instances, and say which differences are not chance.

    The instances are those of the first run's test set, a named data set, or of any size and family. A difference is no
    chance if the 95 % interval of a paired bootstrap over graphs, for all pairs of models at once, does not hold 0.

    Examples:
      narlab compare runs/bfs-l_clrs-mpnn_g-42 runs/bfs-l_clrs-two_wl-42 bfs@triangle
      narlab compare runs/a runs/b --sizes 16,64 --graphs er,tree --count 500 --plot both.png --json both.json
    """

    folders: Annotated[tyro.conf.Positional[tuple[Path, ...]], tyro.conf.arg(metavar="FOLDER FOLDER ...")]
    """The runs' folders, or models that come with narlab: quicksort@triangle."""
    sizes: OptionalText = None
    """Sizes with commas between, such as 16,32,64; default: the test set's."""
    graphs: OptionalText = None
    """Graph families with commas between, such as er,regular:k=4; default: the test set's."""
    dataset: OptionalText = None
    """A named data set instead of the first run's own."""
    split: OptionalText = None
    """Which split of it; default: test."""
    count: OptionalInteger = None
    """Number of graphs: of each size and family (default 100), or the first ones of a data set (default all)."""
    metrics: ListOfNames = None
    """Metrics with commas between; default: score,graph_score,valid,valid_elements,gap,pairs, where they apply."""
    seed: int = 0
    """Seed of the random graphs, node features and resamples."""
    device: str = "cpu"
    """Where the models run: cpu or cuda."""
    json: OptionalPath = None
    """Write everything to this file, scores from 0 to 1."""
    plot: OptionalPath = None
    """Draw all models side by side into this file, .png or .svg."""

    def run(self) -> None:
        from narlab.training import load  # here, because PyTorch takes long to load
        from narlab.training.pretrained import run_folder

        self._check()
        folders = {str(folder): run_folder(folder) for folder in self.folders}
        models = {name: load(path, self.device) for name, path in folders.items()}
        comparisons = self._compare(models, self._datasets(list(folders.values())))
        self._write(comparisons, models)
        for found in comparisons:
            _print(found)

    def _check(self) -> None:
        from narlab.common.errors import check_seed
        from narlab.common.files import check_target

        check_seed(self.seed)
        if len(set(self.folders)) < 2:
            raise UsageError(f"comparing needs two runs or more, got {', '.join(map(str, self.folders)) or 'none'}")
        if self.json is not None:
            check_target(self.json)
        if self.plot is not None:
            from narlab.report.pictures.figures import check_path

            check_path(self.plot)

    def _datasets(self, folders: list[Path]) -> list[Dataset]:
        """What is asked for, in terms of the first run; with hints if any model needs them."""
        from narlab.data import Dataset
        from narlab.evaluation.data_request import DataRequest
        from narlab.models import hint_modes
        from narlab.training.folder import Folder

        runs = [Folder(folder).run().resolved() for folder in folders]
        own = runs[0].split("test" if self.dataset else self.split or "test")
        if any(hint_modes.get(run.hints).needs_hints for run in runs):
            own = Dataset(own.description, hints=True)
        request = DataRequest(
            self.dataset, self.split if self.dataset else None, self.sizes, self.graphs, self.count, self.seed
        )
        return request.datasets(own)

    def _compare(self, models: dict[str, Network], datasets: list[Dataset]) -> list[Comparison]:
        from narlab.cli.commands import names_in
        from narlab.evaluation.comparison import compare

        metrics = None if self.metrics is None else names_in("--metrics", self.metrics)
        with progress_bar() as bar:
            done = partial(bar.advance, bar.add_task("comparing", total=len(models) * sum(map(len, datasets))))
            return [compare(models, dataset, metrics=metrics, seed=self.seed, progress=done) for dataset in datasets]

    def _write(self, comparisons: list[Comparison], models: dict[str, Network]) -> None:
        from narlab.common.files import write_whole
        from narlab.evaluation.measurement import json_bytes

        algorithm = next(iter(models.values())).algorithm.name
        if self.json is not None:
            facts = {"algorithm": algorithm, "seed": self.seed}
            write_whole(self.json, json_bytes({**facts, "results": [found.as_dict() for found in comparisons]}))
        if self.plot is not None:
            from narlab.report.pictures.comparison_plot import plot_comparison

            plot_comparison(comparisons, self.plot, title=algorithm)


def _print(found: Comparison) -> None:
    """A table of the models, and a line for each difference."""
    some = next(iter(found.measured.values()))
    where = ", ".join(filter(None, [some.data, f"n={some.description.n}", some.description.graphs]))
    print(f"{where}: {some.count} graphs")
    titles = [metric.title for metric in some.metrics]
    rows = []
    for name, measurement in found.measured.items():
        cells = [(measurement.scores[m.name], measurement.intervals[m.name], m.text) for m in some.metrics]
        rows.append([name, *(f"{text(value)} [{text(at.low)}, {text(at.high)}]" for value, at, text in cells)])
    print_table(["model", *titles], rows, numbers=titles)
    for difference in found.differences:
        say(_words(difference))


def _words(difference: Difference) -> str:
    metric, interval = difference.metric, difference.interval
    turned = difference.better != difference.first
    ends = (-interval.high, -interval.low) if turned else (interval.low, interval.high)
    value, low, high = map(metric.text, (-difference.value if turned else difference.value, *ends))
    if difference.is_chance:
        both = f"{difference.first} and {difference.second}"
        return f"{metric.name}: {both} can't be told apart, {value} [{low}, {high}]"
    return f"{metric.name}: {difference.better} is better than {difference.worse}, by {value} [{low}, {high}]"


COMMAND = Compare
