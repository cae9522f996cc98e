"""`narlab evaluate`."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import partial
from inspect import getmodule
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import tyro

from narlab.cli.commands import ListOfNames, OptionalInteger, OptionalNumber, OptionalPath, OptionalText
from narlab.cli.terminal import fits, print_table, progress_bar
from narlab.common import say
from narlab.common.errors import UsageError

if TYPE_CHECKING:
    from narlab.data import Dataset
    from narlab.evaluation.measurement import Measurement
    from narlab.evaluation.metrics import Metric
    from narlab.models import Network
    from narlab.report.pictures.figures import Look
    from narlab.training import Run
    from narlab.training.folder import Folder

FACTS = ("data", "n", "graphs", "count")  # the first columns of a table
AT_DEPTHS = ("depth", "steps")  # and those after them where depths are asked for


@dataclass(frozen=True)
class Evaluate:
    """Score the chosen model of a run: on its test set, on a named data set, or on graphs of any size and family.

    Every number comes with a 95 % interval, a bootstrap over graphs. The result is also kept in the run's folder, in
    evaluations/.

    Examples:
      narlab evaluate runs/bfs-l_clrs-mpnn_g-42
      narlab evaluate quicksort@triangle --sizes 16,64,128
      narlab evaluate runs/bfs-l_clrs-mpnn_g-42 --sizes 16,32,64 --graphs er,regular:k=4,tree --plot sizes.png
      narlab evaluate runs/dfs-ladder-triangle-42 --sizes 32,64 --depths n/4,n/2,n,2*n,4*n --plot depths.png
      narlab evaluate bfs@triangle --sizes 16,32 --plot figure.pdf --plot-width 3.3 --plot-font-size 8 --plot-title ""
      narlab evaluate runs/bridges-l_clrs-mpnn_g-42 --dataset bridges_two_communities --json pairs.json
    """

    folder: Annotated[tyro.conf.Positional[Path], tyro.conf.arg(metavar="FOLDER")]
    """The run's folder, or a model that comes with narlab: quicksort@triangle."""
    sizes: OptionalText = None
    """Sizes with commas between, such as 16,32,64; default: the test set's."""
    graphs: OptionalText = None
    """Graph families with commas between, such as er,regular:k=4; default: the test set's."""
    dataset: OptionalText = None
    """A named data set instead of the run's own."""
    split: OptionalText = None
    """Which split of a data set; default: test."""
    depths: OptionalText = None
    """Depths with commas between, numbers or rules such as n/2,n,4*n; default: the chosen model's own."""
    count: OptionalInteger = None
    """Number of graphs: of each size and family (default 100), or the first ones of a data set (default all)."""
    metrics: ListOfNames = None
    """Metrics with commas between; default: score,graph_score,valid,valid_elements,gap,pairs, where they apply."""
    seed: OptionalInteger = None
    """Seed of the random graphs, node features and resamples; default 0, or on the run's own data the run's own."""
    device: str = "cpu"
    """Where the model runs: cpu or cuda."""
    csv: OptionalPath = None
    """Write the table to this file, scores from 0 to 1."""
    json: OptionalPath = None
    """Write everything to this file, scores from 0 to 1."""
    plot: OptionalPath = None
    """Draw scores against sizes, or against depths where they are given, into this file, .png, .svg or .pdf."""
    plot_width: OptionalNumber = None
    """Width of that figure in inches, such as 3.3 for a column of a paper; letters keep their size."""
    plot_font: OptionalText = None
    """Its font, such as "DejaVu Serif"."""
    plot_font_size: OptionalNumber = None
    """Its font size in points; default 9."""
    plot_title: OptionalText = None
    """Its title; "" for none; default: the algorithm and the processor."""

    def run(self) -> None:
        from narlab.training import load  # here, because PyTorch takes long to load
        from narlab.training.folder import Folder
        from narlab.training.pretrained import run_folder

        self._check()
        folder = Folder(run_folder(self.folder))
        model = load(folder.path, self.device)
        seed = self._seed(folder)
        measured = self._measure(model, self._datasets(folder.run().resolved(), seed), seed)
        self._write(model, measured, seed)
        _print(measured)
        if folder.path == self.folder:  # a model that comes with the package stays as it is
            self._keep(measured, seed)

    def _check(self) -> None:
        from narlab.common.errors import check_seed
        from narlab.common.files import check_targets

        if self.seed is not None:
            check_seed(self.seed)
        self._metrics()
        self._depths()
        check_targets({"--csv": self.csv, "--json": self.json})
        if self.plot is not None:
            from narlab.report.pictures.figures import check_path

            check_path(self.plot)
            self._look()

    def _metrics(self) -> tuple[Metric, ...] | None:
        """The metrics that are asked for."""
        from narlab.cli.commands import names_in
        from narlab.evaluation import metrics

        return None if self.metrics is None else metrics.get_all(names_in("--metrics", self.metrics))

    def _depths(self) -> list[int | str] | list[None]:
        """The depths that are asked for; the model's own, `None`, without a word."""
        from narlab.cli.commands import names_in
        from narlab.models import depth

        if self.depths is None:
            return [None]
        rules = [depth.parse(text) for text in names_in("--depths", self.depths)]
        if any(rule.is_trajectory for rule in rules):
            raise UsageError("--depths are numbers or rules such as n/2, got 'trajectory'")
        return list(dict.fromkeys(rule.setting for rule in rules))

    def _is_own(self, run: Run) -> bool:
        """Whether the run's own data is asked for."""
        return self.dataset in (None, run.dataset) and self.sizes is None and self.graphs is None

    def _seed(self, folder: Folder) -> int:
        """The seed that is asked for; else, on the run's own data, that with which the run came to its scores."""
        from narlab.training.loop import evaluation_seed

        run = folder.run().resolved()
        if self.seed is not None or not self._is_own(run):
            return self.seed or 0
        chosen_at = folder.weights()[1]["step"]
        return evaluation_seed(run, run.steps if self.split in (None, "train", "test") else chosen_at)

    def _datasets(self, run: Run, seed: int) -> list[Dataset]:
        from narlab.evaluation.data_request import DataRequest

        if not self._is_own(run):
            request = DataRequest(self.dataset, self.split, self.sizes, self.graphs, self.count, seed)
            return request.datasets(run.split("test"))
        return DataRequest(count=self.count).datasets(run.split("test" if self.split is None else self.split))

    def _measure(self, model: Network, datasets: list[Dataset], seed: int) -> list[Measurement]:
        from narlab.evaluation.measurement import measure, metrics_for

        metrics = [metrics_for(model.algorithm, dataset, self._metrics()) for dataset in datasets]  # before the work
        measured: list[Measurement] = []
        with progress_bar() as bar:
            depths = self._depths()
            done = partial(bar.advance, bar.add_task("evaluating", total=len(depths) * sum(map(len, datasets))))
            for dataset, chosen in zip(datasets, metrics, strict=True):
                for depth in depths:
                    measured.append(measure(model, dataset, metrics=chosen, depth=depth, seed=seed, progress=done))
        return measured

    def _write(self, model: Network, measured: list[Measurement], seed: int) -> None:
        from narlab.common.files import write_whole
        from narlab.evaluation.measurement import as_csv, as_json

        if self.csv is not None:
            write_whole(self.csv, as_csv(measured))
        if self.json is not None:
            facts = {"algorithm": model.algorithm.name, "folder": str(self.folder), "seed": seed}
            write_whole(self.json, as_json(measured, **facts))
        if self.plot is not None:
            from narlab.report.pictures.score_plot import plot_scores

            title = f"{model.algorithm.name}, {model.settings.processor}"
            plot_scores(measured, self.plot, title=title, look=self._look())

    def _look(self) -> Look:
        from narlab.report.pictures.figures import Look

        return Look(self.plot_width, self.plot_font, self.plot_font_size, self.plot_title)

    def _keep(self, measured: list[Measurement], seed: int) -> None:
        """Leave the result in the run's folder; somebody else's may be read only."""
        from narlab.evaluation.records import keep

        try:
            for measurement in measured:
                keep(self.folder, measurement, seed=seed)
        except UsageError as error:
            say(f"narlab: the result is not kept in the run's folder: {error}", sys.stderr)


def _print(measured: list[Measurement]) -> None:
    metrics = list(dict.fromkeys(metric for measurement in measured for metric in measurement.metrics))
    titles = [metric.title for metric in metrics]
    rows = [[*_facts(measurement), *(_cell(measurement, metric) for metric in metrics)] for measurement in measured]
    if fits([*_columns(measured), *titles], rows):
        print_table([*_columns(measured), *titles], rows, numbers=["n", "count", *AT_DEPTHS, *titles])
    else:
        _print_by_line(measured)
    for metric in metrics:
        if meaning := _meaning(metric):
            print(f"{metric.title}: {meaning}")
    for measurement in measured:
        for metric in measurement.metrics:
            lines = metric.remarks(measurement.details.get(metric.name, {}))
            for line in _with_where(lines, measurement) if len(measured) > 1 else lines:
                print(line)


def _meaning(metric: Metric) -> str:
    """What a metric is, in the words of the file that declares it; one without a file of its own says nothing."""
    module = getmodule(metric.counts)
    is_its_own = getattr(module, "METRIC", None) == metric
    return ((module and module.__doc__) or "").partition("\n")[0] if is_its_own else ""


def _print_by_line(measured: list[Measurement]) -> None:
    """A line for each metric, where a narrow terminal has no room for them side by side."""
    rows = [
        [*_facts(measurement), metric.title, _cell(measurement, metric)]
        for measurement in measured
        for metric in measurement.metrics
    ]
    print_table([*_columns(measured), "metric", "value"], rows, numbers=["n", "count", *AT_DEPTHS, "value"])


def _columns(measured: list[Measurement]) -> tuple[str, ...]:
    return FACTS if measured[0].depth is None else (*FACTS, *AT_DEPTHS)


def _facts(measurement: Measurement) -> list[str]:
    """What was measured, under `_columns`."""
    description = measurement.description
    at_depth = [] if measurement.depth is None else [str(measurement.depth), str(measurement.steps)]
    return [measurement.data, str(description.n), description.graphs or "-", str(measurement.count), *at_depth]


def _with_where(lines: tuple[str, ...], measurement: Measurement) -> list[str]:
    """Remarks, of which the first one says on which of several data sets."""
    description = measurement.description
    depth = None if measurement.depth is None else f"depth {measurement.depth}"
    where = ", ".join(filter(None, [measurement.data, f"n={description.n}", description.graphs, depth]))
    return [f"{where}: {line}" if k == 0 else line for k, line in enumerate(lines)]


def _cell(measurement: Measurement, metric: Metric) -> str:
    """A value with its interval."""
    if metric not in measurement.metrics:
        return "-"
    interval = measurement.intervals[metric.name]
    value, low, high = map(metric.text, (measurement.scores[metric.name], interval.low, interval.high))
    return f"{value} [{low}, {high}]"


COMMAND = Evaluate
