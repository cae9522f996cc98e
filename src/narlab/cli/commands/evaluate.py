"""`narlab evaluate`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import tyro

from narlab.cli.options import OptionalInteger, OptionalPath, OptionalText
from narlab.cli.terminal import print_table, progress_bar

if TYPE_CHECKING:
    from narlab.data import Dataset
    from narlab.evaluation.intervals import Interval
    from narlab.evaluation.measurement import Measurement
    from narlab.evaluation.pairs import PairOutcomes
    from narlab.models import Network
    from narlab.training import Run
    from narlab.training.folder import Folder


@dataclass(frozen=True)
class Evaluate:
    """Score the chosen model of a run: on its test set, on a named data set, or on graphs of any size and family.

    Every score comes with a 95 % interval, a bootstrap over graphs.

    Examples:
      narlab evaluate runs/bfs-l_clrs-mpnn_g-42
      narlab evaluate runs/bfs-l_clrs-mpnn_g-42 --sizes 16,32,64 --graphs er,regular:k=4,tree --plot sizes.png
      narlab evaluate runs/bridges-l_clrs-mpnn_g-42 --dataset bridges_two_communities --json pairs.json
    """

    folder: Annotated[tyro.conf.Positional[Path], tyro.conf.arg(metavar="FOLDER")]
    """The run's folder."""
    sizes: OptionalText = None
    """Sizes with commas between, such as 16,32,64; default: the test set's."""
    graphs: OptionalText = None
    """Graph families with commas between, such as er,regular:k=4; default: the test set's."""
    dataset: OptionalText = None
    """A named data set instead of the run's own."""
    split: OptionalText = None
    """Which split of a data set; default: test."""
    count: OptionalInteger = None
    """Number of graphs: of each size and family (default 100), or the first ones of a data set (default all)."""
    seed: OptionalInteger = None
    """Seed of the random graphs, node features and resamples; default 0, or on the run's own data the run's own."""
    device: str = "cpu"
    """Where the model runs: cpu or cuda."""
    csv: OptionalPath = None
    """Write the table to this file, scores from 0 to 1."""
    json: OptionalPath = None
    """Write everything to this file, scores from 0 to 1."""
    plot: OptionalPath = None
    """Draw scores against sizes into this file, .png or .svg."""

    def run(self) -> None:
        from narlab.training import load  # here, because PyTorch takes long to load
        from narlab.training.folder import Folder

        self._check()
        model = load(self.folder, self.device)
        folder = Folder(self.folder)
        seed = self._seed(folder)
        measured = self._measure(model, self._datasets(folder.run().resolved(), seed), seed)
        self._write(model, measured, seed)
        _print(measured)

    def _check(self) -> None:
        from narlab.common.checks import check_seed
        from narlab.common.files import check_target

        if self.seed is not None:
            check_seed(self.seed)
        for path in (self.csv, self.json):
            if path is not None:
                check_target(path)
        if self.plot is not None:
            from narlab.report.pictures.figures import check_path

            check_path(self.plot)

    def _is_own(self, run: Run) -> bool:
        """Whether the run's own data is asked for."""
        return self.dataset in (None, run.dataset) and self.sizes is None and self.graphs is None

    def _seed(self, folder: Folder) -> int:
        """The seed that is asked for; else, on the run's own data, that with which the run came to its scores."""
        from narlab.training.loop import evaluation_seed

        run = folder.run()
        if self.seed is not None or not self._is_own(run):
            return self.seed or 0
        chosen_at = folder.read_tensors("best.safetensors")[1]["step"]
        return evaluation_seed(run, chosen_at if self.split == "val" else run.steps)

    def _datasets(self, run: Run, seed: int) -> list[Dataset]:
        from narlab.common.names import unknown
        from narlab.evaluation.choice import Choice
        from narlab.training.run import SEEDS

        if not self._is_own(run):
            choice = Choice(self.dataset, self.split, self.sizes, self.graphs, self.count, seed)
            return choice.datasets(run.split("test"))
        split = self.split or "test"
        if split not in SEEDS:
            raise unknown(f"split of {run.dataset!r}", split, SEEDS)
        return Choice(count=self.count).datasets(run.split(split))

    def _measure(self, model: Network, datasets: list[Dataset], seed: int) -> list[Measurement]:
        from narlab.evaluation.measurement import measure

        measured: list[Measurement] = []
        with progress_bar() as bar:
            task = bar.add_task("evaluating", total=sum(map(len, datasets)))
            for dataset in datasets:
                measured.append(
                    measure(model, dataset, seed=seed, progress=lambda done: bar.update(task, advance=done))
                )
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

            plot_scores(measured, self.plot, title=f"{model.algorithm.name}, {model.settings.processor}")


def _print(measured: list[Measurement]) -> None:
    columns = ["data", "n", "graphs", "count", "score %", "graph score %"]
    rows = [
        [
            each.data,
            str(each.description.n),
            each.description.graphs or "-",
            str(each.count),
            _percent(each.scores.score, each.intervals.score),
            _percent(each.scores.graph_score, each.intervals.graph_score),
        ]
        for each in measured
    ]
    print_table(columns, rows, numbers=["n", "count", "score %", "graph score %"])
    for each in measured:
        if each.pairs is not None:
            _print_pairs(each.pairs)


def _percent(score: float, interval: Interval) -> str:
    return f"{100 * score:.2f} [{100 * interval.low:.2f}, {100 * interval.high:.2f}]"


def _print_pairs(pairs: PairOutcomes) -> None:
    from narlab.evaluation.pairs import CHANCE

    share = f"{100 * pairs.accuracy:.2f} % of {pairs.count} pairs"
    print(f"{share} are right in both graphs; chance is {100 * CHANCE:.0f} %.")
    print("The joining edge, a bridge in graph A and none in graph B:")
    rows = [
        ["right", "right", str(pairs.right_right)],
        ["right", "wrong", str(pairs.right_wrong)],
        ["wrong", "right", str(pairs.wrong_right)],
        ["wrong", "wrong", str(pairs.wrong_wrong)],
    ]
    print_table(["in A", "in B", "pairs"], rows, numbers=["pairs"])


COMMAND = Evaluate
