"""`narlab show`."""

from dataclasses import dataclass
from pathlib import Path

from narlab import algorithms
from narlab.algorithms.engine import Algorithm, Execution
from narlab.cli.commands import AlgorithmName, OptionalPath, OptionalText
from narlab.common import say
from narlab.common.errors import UsageError
from narlab.data.single import single_inputs
from narlab.report.trace import trace

MOST_NODES = 1000  # of an instance that is printed with all steps


@dataclass(frozen=True)
class Show:
    """Print one instance of an algorithm: its input, every step and its output; and draw it.

    Examples:
      narlab show bfs
      narlab show dijkstra --n 16 --graphs regular:k=4 --png dijkstra.png
      narlab show insertion_sort --n 6 --animation sort.gif
      narlab show bfs --json mine.json          (the instance as narlab predict --input mine.json takes it)
    """

    algorithm: AlgorithmName
    """Name of the algorithm, as `narlab algorithms` lists them."""
    n: int = 8
    """Size of the instance."""
    seed: int = 0
    """Seed of the instance; without --graphs it is the benchmark's first sample with this seed."""
    graphs: OptionalText = None
    """Graph family, such as regular:k=4; only for graph algorithms."""
    png: OptionalPath = None
    """Draw input and output into this file, .png, .svg or .pdf."""

    animation: OptionalPath = None
    """Write the algorithm at work, step by step, into this file: .gif, or .html with a slider."""
    json: OptionalPath = None
    """Write the instance into this file, .json, to edit it and give it to `narlab predict --input`."""

    def run(self) -> None:
        algorithm = algorithms.get(self.algorithm)
        if self.n > MOST_NODES:
            raise UsageError(
                f"--n must be at most {MOST_NODES}, got {self.n}: an instance is printed with all steps; narlab "
                "generate writes larger ones to a file"
            )
        inputs = single_inputs(self.algorithm, n=self.n, seed=self.seed, graphs=self.graphs)
        if self.json is not None:
            self._write(self.json, algorithm, inputs)
        if self.animation is not None:
            self._check_animation(self.animation)
        execution = algorithm.execute(inputs)
        if self.png is not None:
            self._draw(self.png, algorithm, inputs, execution.outputs)
        if self.animation is not None:
            self._animate(self.animation, algorithm, inputs, execution)
        for line in trace(algorithm, inputs, execution):
            print(line)
        if self.png is not None:
            print()
            say(f"drawn: {self.png}")
        for written in filter(None, (self.animation, self.json)):
            print()
            say(f"written: {written}")

    @staticmethod
    def _write(path: Path, algorithm: Algorithm, inputs: dict) -> None:
        from narlab.algorithms.engine.instances import example, example_text
        from narlab.common.files import check_target, write_whole

        shown = example(algorithm, {name: array[0] for name, array in inputs.items()})
        write_whole(check_target(path, [".json"]), example_text(shown).encode())

    @staticmethod
    def _check_animation(path: Path) -> None:
        from narlab.report.pictures.animation import check_path

        check_path(path)

    @staticmethod
    def _animate(path: Path, algorithm: Algorithm, inputs: dict, execution: Execution) -> None:
        from narlab.report.pictures.animation import animate

        animate(algorithm, inputs, execution, path)

    @staticmethod
    def _draw(path: Path, algorithm: Algorithm, inputs: dict, outputs: dict) -> None:
        from narlab.report.pictures.instance import draw  # here, because matplotlib takes long to load

        given, answered = ({name: array[0] for name, array in stage.items()} for stage in (inputs, outputs))
        draw(algorithm, given, answered, path)


COMMAND = Show
