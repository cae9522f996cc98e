"""`narlab bench models`."""

import json
from dataclasses import asdict, dataclass
from typing import Annotated

import tyro

from narlab.algorithms.engine.checking import check_integer
from narlab.cli.options import Switch
from narlab.cli.tables import print_table, progress_bar


@dataclass(frozen=True)
class BenchModels:
    """Measure a training step of each processor against its matrix products done alone, in the same run.

    The products are those of the forward pass three times, since a backward pass has them twice.

    Examples:
      narlab bench models
      narlab bench models mpnn_fc two_wl --algorithm quicksort --graphs 16 --json
    """

    processors: Annotated[tyro.conf.Positional[tuple[str, ...]], tyro.conf.arg(metavar="[PROCESSOR ...]")] = ()
    """Which processors; default: all."""
    algorithm: str = "quicksort"
    """On which algorithm's data."""
    graphs: int = 32
    """Graphs in a batch."""
    n: int = 16
    """Size of the graphs."""
    repeats: int = 5
    """The best of this many runs counts."""
    json: Switch = False
    """Print JSON instead of a table."""

    def run(self) -> None:
        from narlab.models.benchmark import StepTime, all_processors, step_times  # PyTorch takes seconds to load

        for name in ("graphs", "repeats"):
            check_integer(f"--{name}", getattr(self, name), 1)
        names = self.processors or all_processors()
        measured: list[StepTime] = []
        with progress_bar() as bar:
            task = bar.add_task("measuring", total=len(names))
            times = step_times(names, self.algorithm, graphs=self.graphs, nodes=self.n, repeats=self.repeats)
            for time in times:
                measured.append(time)
                bar.update(task, advance=1)
        if self.json:
            return print(json.dumps([{**asdict(time), "ratio": time.ratio} for time in measured], indent=1))
        columns = ["processor", "B", "N", "step s", "products s", "ratio", "GFLOP/s", "machine's GFLOP/s"]
        rows = [
            [
                time.processor,
                str(time.graphs),
                str(time.nodes),
                f"{time.step:.3f}",
                f"{time.products:.3f}",
                f"{time.ratio:.2f}",
                f"{time.rate:.0f}",
                f"{time.machine:.0f}",
            ]
            for time in measured
        ]
        return print_table(columns, rows, numbers=columns[1:])
