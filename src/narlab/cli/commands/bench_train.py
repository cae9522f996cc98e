"""`narlab bench train`."""

import json
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import tyro

from narlab.cli.commands import ListOfNames, OptionalInteger, OptionalPath, Switch, integers_in, names_in
from narlab.cli.terminal import print_table, progress_bar
from narlab.common.errors import UsageError, check_integer
from narlab.common.files import check_target, write_whole
from narlab.common.machine import MOST_THREADS, check_memory

if TYPE_CHECKING:
    from narlab.bench.benches import Bench
    from narlab.bench.presentation import Presentation

NOTICEABLE = 0.15  # cores used by others
MOST = {"repeats": 10**6, "threads": MOST_THREADS, "batch_size": 10**9, "n": 2**15 - 1, "hidden": 2**16, "depth": 10**5}
SUSPECT = "seconds come out too long and ratios too large, since the plain path suffers most"


@dataclass(frozen=True)
class BenchTrain:
    """Measure a training step with compiled kernels against the plain path, and both against the machine.

    Both paths are measured in turns, each in a process of its own; the best run counts. Without names, the table of
    docs/speed.md is measured. Where a target is known, it is printed beside, scaled to this machine's GFLOP/s in a
    large matrix product; a hybrid's is what its two parts take, and a tenth. Memory is the peak of the whole process.

    Examples:
      narlab bench train --json train.json
      narlab bench train mpnn_g,two_wl --algorithms bfs,dfs --threads 1
      narlab bench train --scaling
      narlab bench train --evaluation --overhead --repeats 2
    """

    processors: Annotated[
        tyro.conf.Positional[str | None], tyro.conf.arg(metavar="[PROCESSOR,...]", help_behavior_hint="")
    ] = None
    """Only these processors."""
    algorithms: ListOfNames = None
    """Only these algorithms; with processors, also pairs that the table does not have."""
    scaling: Switch = False
    """Instead, how a step grows with n, and the exponent that fits."""
    evaluation: Switch = False
    """Instead, evaluate 32 graphs of n=64."""
    overhead: Switch = False
    """Instead, the share of a real run's steps that is not the model."""
    repeats: int = 5
    """The best of this many runs counts."""
    threads: OptionalInteger = None
    """How many cores to use; default: all."""
    batch_size: OptionalInteger = None
    """Graphs in a batch, in place of the table's (with --scaling: of the largest n)."""
    n: OptionalInteger = None
    """Size of the graphs, in place of the data set's."""
    sizes: str = "8,16,32,64,128"
    """The sizes of --scaling."""
    hidden: OptionalInteger = None
    """Width, in place of the paper's."""
    depth: OptionalInteger = None
    """Recurrent steps, in place of the table's."""
    json: OptionalPath = None
    """Write everything that was measured to this file, too."""

    def run(self) -> None:
        self._check()
        from narlab.bench import benches  # PyTorch takes seconds to load

        chosen = [kind for kind in ("scaling", "evaluation", "overhead") if getattr(self, kind)] or ["training"]
        request = benches.Request(
            processors=names_in("PROCESSOR", self.processors),
            algorithms=names_in("--algorithms", self.algorithms),
            sizes=integers_in("--sizes", self.sizes),
            repeats=self.repeats,
            threads=self.threads,
            changes={"graphs": self.batch_size, "n": self.n, "hidden": self.hidden, "depth": self.depth},
        )
        made = {kind: benches.KINDS[kind](request) for kind in chosen}
        report: dict[str, Any] = {**announce(self.threads, SUSPECT), "repeats": self.repeats}
        for kind, bench in made.items():
            rows = measured(bench)
            show(bench.present(rows), rows, SUSPECT)
            report[kind] = [benches.as_data(row) for row in rows]
        if self.json is not None:
            write_whole(self.json, (json.dumps(report, indent=1) + "\n").encode())

    def _check(self) -> None:
        for name, most in MOST.items():
            if getattr(self, name) is not None:
                check_integer(f"--{name.replace('_', '-')}", getattr(self, name), 1, most)
        graph = (self.n or 16) * ((self.n or 16) + (self.hidden or 1) * (self.depth or 1))
        check_memory("a step of these sizes", 4 * graph * (self.batch_size or 1), "take smaller ones")
        if self.scaling and self.n is not None:
            raise UsageError("--n has no meaning with --scaling; --sizes are its sizes")
        if len(integers_in("--sizes", self.sizes)) < 2:
            raise UsageError(f"--sizes must be two sizes or more, got {self.sizes}")
        if self.json is not None:
            check_target(self.json, (".json",))


def announce(threads: int | None, suspect: str) -> dict[str, Any]:
    """Say which machine it is, and what to make of numbers if it is busy; the same for machines."""
    import torch

    from narlab.bench import machine, machine_load, presentation

    warn_if_busy(machine_load.used_by_others(), "are using", suspect)
    facts, threads = machine.facts(), threads or torch.get_num_threads()
    print(presentation.of_machine(facts, threads))
    return {"machine": facts, "threads": threads}


def measured(bench: "Bench") -> list[Any]:
    """The rows, one after the other."""
    rows = []
    with progress_bar() as bar:
        task = bar.add_task("measuring", total=len(bench.measurements))
        for measure in bench.measurements:
            rows.append(measure())
            bar.update(task, advance=1)
    return rows


def show(shown: "Presentation", rows: list[Any], suspect: str) -> None:
    """Print what was measured, and what to make of it if the machine was busy."""
    print_table(shown.columns, shown.rows, numbers=shown.numbers)
    for line in shown.lines:
        print(line)
    warn_if_busy(max(row.others for row in rows), "used", suspect)


def warn_if_busy(cores: float, use: str, so: str) -> None:
    """Say on standard error that others disturb the measurement."""
    if cores > NOTICEABLE:
        print(f"narlab: warning: other processes {use} {cores:.1f} cores: {so}", file=sys.stderr, flush=True)


COMMAND = BenchTrain
