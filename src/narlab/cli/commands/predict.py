"""`narlab predict`."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import tyro

from narlab.cli.commands import OptionalPath, Switch
from narlab.cli.terminal import progress_bar
from narlab.common import counted, say
from narlab.common.errors import UsageError

if TYPE_CHECKING:
    from narlab.algorithms.engine import Algorithm
    from narlab.data import Dataset
    from narlab.evaluation.judgement import Judgement
    from narlab.evaluation.metrics import Arrays
    from narlab.models.batch import Tensors


@dataclass(frozen=True)
class Predict:
    """Run the chosen model of a run on your own instances, and compare with what the algorithm itself answers.

    The input is JSON (input names and nested lists), NPZ or safetensors (arrays by input name, or a file of
    `narlab generate`), or an edge list (.txt, .csv). `narlab show bfs --json mine.json` writes one to start from, and
    `narlab algorithms bfs` explains the inputs. Of BFS, these three say the same, from node 0 along 0 - 1 - 2:
      mine.json  {"s": 0, "A": [[0, 1, 0], [1, 0, 1], [0, 1, 0]]}
      mine.json  {"s": 0, "edges": [[0, 1], [1, 2]]}       (a third number is a weight; "n": 8 adds nodes without edges)
      mine.csv   s,0 and 0,1 and 1,2, a line each
    A list of such instances, or arrays with a first axis, are several at once.

    An answer is valid if it is a correct one of the problem, though it may differ from the algorithm's own.

    Examples:
      narlab predict runs/bfs-l_clrs-mpnn_g-42 --input mine.json > answers.json
      narlab predict runs/bfs-l_clrs-mpnn_g-42 --input mine.npz --out answers.npz --png third.png --sample 2
      narlab predict runs/bfs-l_clrs-mpnn_g-42 --input mine.npz --out answers.npz --why
      narlab predict bfs@triangle --input mine.json --png wrong.pdf --only-wrong > answers.json
    """

    folder: Annotated[tyro.conf.Positional[Path], tyro.conf.arg(metavar="FOLDER")]
    """The run's folder, or a model that comes with narlab: quicksort@triangle."""
    input: Path
    """The instances, .json, .npz, .safetensors, or an edge list, .txt or .csv."""
    out: OptionalPath = None
    """Where the predictions go, .json or .npz; default: standard output as JSON, and all words to standard error."""
    png: OptionalPath = None
    """Draw prediction against truth of one instance, and its defects, into this file, .png, .svg or .pdf."""
    sample: int = 0
    """Which instance to draw, counted from 0."""
    only_wrong: Switch = False
    """Draw only what is wrong, so that graphs of 64 nodes can be read."""
    why: Switch = False
    """Say why answers are not valid, a line for each defect."""
    seed: int = 0
    """Seed of the random node features."""
    device: str = "cpu"
    """Where the model runs: cpu or cuda."""

    def run(self) -> None:
        from narlab.evaluation import predict  # here, because PyTorch takes long to load
        from narlab.evaluation.judgement import judge
        from narlab.evaluation.prediction import as_arrays
        from narlab.evaluation.user_instances import as_dataset, read_inputs
        from narlab.training import load
        from narlab.training.pretrained import run_folder

        self._check()
        model = load(run_folder(self.folder), self.device)
        algorithm = model.algorithm
        dataset = as_dataset(algorithm, read_inputs(self.input), hints=model.mode.needs_hints)
        if not 0 <= self.sample < len(dataset):
            raise UsageError(f"--sample must be from 0 to {len(dataset) - 1}, got {self.sample}")
        with progress_bar() as bar:
            done = partial(bar.advance, bar.add_task("predicting", total=len(dataset)))
            predicted, truth = predict(model, dataset, seed=self.seed, progress=done)
        answers = as_arrays(algorithm, predicted)
        judgement = judge(algorithm, dataset, answers)
        if self.png is not None:
            self._draw(self.png, algorithm, dataset, answers, judgement)
        self._write(algorithm, predicted)
        where = "" if self.out is None else f"{self.out}: "
        self._say(
            f"{where}predictions of {algorithm.name} on {counted(len(dataset), 'instance')} "
            f"of {dataset.description.n} nodes"
        )
        for line in _comparison(algorithm, predicted, truth):
            self._say(line)
        for line in judgement.lines(why=self.why):
            self._say(line)
        if self.png is not None:
            self._say(f"drawn: {self.png}")

    def _write(self, algorithm: Algorithm, predicted: Tensors) -> None:
        from narlab.evaluation.prediction import as_arrays
        from narlab.evaluation.user_instances import write_predictions

        if self.out is not None:
            write_predictions(algorithm, predicted, self.out)
        else:
            arrays = as_arrays(algorithm, predicted)
            print(json.dumps({name: array.tolist() for name, array in arrays.items()}))

    def _say(self, text: str) -> None:
        say(text, sys.stderr if self.out is None else sys.stdout)

    def _check(self) -> None:
        from narlab.common.errors import check_seed
        from narlab.common.files import check_target
        from narlab.evaluation.user_instances import SUFFIXES

        check_seed(self.seed)
        if self.out is not None:
            check_target(self.out, SUFFIXES)
            if self.out.resolve() == self.input.resolve():
                raise UsageError(f"--out {str(self.out)!r} is the input, which stays as it is; choose another file")
        if self.png is not None:
            from narlab.report.pictures.figures import check_path

            check_path(self.png)

    def _draw(self, path: Path, algorithm: Algorithm, dataset: Dataset, answers: Arrays, judgement: Judgement) -> None:
        from narlab.report.pictures.instance import draw

        stages = (dataset.inputs, dataset.outputs, answers)
        inputs, outputs, predicted = ({name: array[self.sample] for name, array in stage.items()} for stage in stages)
        defects = None if judgement.valid is None else judgement.defects(self.sample)
        show = not self.only_wrong
        draw(algorithm, inputs, outputs, path, predicted=predicted, defects=defects, shows_right=show)


def _comparison(algorithm: Algorithm, predicted: Tensors, truth: Tensors) -> Iterator[str]:
    from narlab.evaluation.user_instances import how_much_is_right

    for probe in algorithm.outputs:
        found = how_much_is_right(probe, predicted[probe.name], truth[probe.name])
        yield (
            f"{probe.name}: {found.right_elements} of {found.elements} elements are right, "
            f"{found.right_graphs} of {found.graphs} graphs are right in all of them"
        )


COMMAND = Predict
