"""`narlab show`."""

from dataclasses import dataclass
from pathlib import Path

from narlab import algorithms
from narlab.algorithms.engine import Algorithm
from narlab.cli.commands import AlgorithmName, OptionalPath, OptionalText
from narlab.data.single import single_inputs
from narlab.report.trace import trace


@dataclass(frozen=True)
class Show:
    """Print one instance of an algorithm: its input, every step and its output; and draw it.

    Examples:
      narlab show bfs
      narlab show dijkstra --n 16 --graphs regular:k=4 --png dijkstra.png
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
    """Draw input and output into this file, .png or .svg."""

    def run(self) -> None:
        algorithm = algorithms.get(self.algorithm)
        inputs = single_inputs(self.algorithm, n=self.n, seed=self.seed, graphs=self.graphs)
        execution = algorithm.execute(inputs)
        if self.png is not None:
            self._draw(self.png, algorithm, inputs, execution.outputs)
        for line in trace(algorithm, inputs, execution):
            print(line)
        if self.png is not None:
            print(f"\ndrawn: {self.png}")

    @staticmethod
    def _draw(path: Path, algorithm: Algorithm, inputs: dict, outputs: dict) -> None:
        from narlab.report.pictures.instance import draw  # here, because matplotlib takes long to load

        given, answered = ({name: array[0] for name, array in stage.items()} for stage in (inputs, outputs))
        draw(algorithm, given, answered, path)


COMMAND = Show
