"""`narlab reproduce`."""

import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from tyro.conf import Positional, arg

from narlab.cli.commands import OptionalInteger, OptionalNumber, OptionalText, Switch
from narlab.cli.terminal import print_table, progress_bar
from narlab.common import say
from narlab.common.errors import UsageError, unknown
from narlab.common.files import check_folder

if TYPE_CHECKING:
    from rich.progress import Progress

    from narlab.experiments.declaring.selection import Selection
    from narlab.experiments.sweeping.jobs import Engine, Job
    from narlab.experiments.sweeping.local import Local
    from narlab.report.pictures.figures import Look

RAY_ONLY = ("address", "cpus", "gpus")
ENGINES = ("local", "ray")


@dataclass(frozen=True)
class Reproduce:
    """Reproduce a table or figure of the paper: train what is missing, then print our numbers beside the paper's.

    Without a name, it lists what there is, with the runs that are done and to do. Ctrl-C stops it, and the same command
    goes on. Several may work on one folder at the same time.

    Examples:
      narlab reproduce
      narlab reproduce main --dry-run --workers 2
      narlab reproduce main --algorithms bfs,dfs --seeds 42 --workers 2
      narlab reproduce hints --budget paper --engine ray --address 10.0.0.1:6379 --cpus 4
      narlab reproduce main --figure-width 3.3 --no-titles --latex-without-paper       (for a paper of your own)
    """

    name: Annotated[Positional[str | None], arg(metavar="[NAME]", help_behavior_hint="")] = None
    """Name of the table or figure; without it all are listed."""
    budget: str = "short"
    """smoke (tiny models: that everything works), quick (500 steps, one seed, tests of at most
    256 graphs), short (2,000) or paper (its own)."""
    algorithms: OptionalText = None
    """Only these tasks, such as bfs,dfs."""
    seeds: OptionalText = None
    """Only these seeds, such as 42,43."""
    only: OptionalText = None
    """Only runs with these settings, such as processor=mpnn_g,position=random_scalar."""
    out: Path = Path("results")
    """The folder of runs, tables and figures."""
    dry_run: Switch = False
    """Train nothing: say what is to do, and how long it takes by steps that are measured."""
    workers: OptionalInteger = None
    """Runs at a time; default 1, or as many as a Ray cluster has room for."""
    threads: OptionalInteger = None
    """Cores for each run; default: its share of this machine's."""
    device: str = "cpu"
    """Where to train: cpu, cuda, ..."""
    engine: str = "local"
    """local: processes on this machine; ray: a Ray cluster."""
    address: OptionalText = None
    """Address of the Ray cluster; default: one is started on this machine."""
    cpus: OptionalInteger = None
    """CPUs for each run on the cluster; default 1."""
    gpus: OptionalNumber = None
    """GPUs for each run on the cluster; default 0."""
    figure_width: OptionalNumber = None
    """Width of figures in inches, such as 3.3 for a column of a paper; letters keep their size."""
    font: OptionalText = None
    """Font of figures, such as "DejaVu Serif"."""
    font_size: OptionalNumber = None
    """Font size of figures in points; default 9."""
    no_titles: Switch = False
    """Figures without titles, for papers, whose captions say it."""
    latex_without_paper: Switch = False
    """Tables in LaTeX with our numbers alone."""

    def run(self) -> None:
        from narlab.cli.sweeping import counts, train_jobs
        from narlab.common.machine import keep_freed_memory
        from narlab.experiments.sweeping import sweep  # PyTorch takes seconds to load

        check_folder(self.out, "--out must be a folder")
        if self.name is None:
            return self._list()
        keep_freed_memory()
        if any((self.figure_width, self.font, self.font_size)):
            self._look()  # says now what can't be
        engine = self._engine()
        selection = self._selection(self.name)
        jobs = self._asked(self._jobs(selection))
        plan = sweep.plan(jobs)
        print(f"{self.name}, budget {self.budget}: {counts(plan)}")
        if self.dry_run:
            return self._estimate(plan.left)
        ending = train_jobs(jobs, plan, engine, again=self._command())
        self._tables(selection)
        return ending.check()

    def _list(self) -> None:
        from narlab import experiments
        from narlab.experiments.sweeping import sweep

        for option in ("algorithms", "seeds", "only"):
            if getattr(self, option) is not None:
                raise UsageError(f"--{option} needs a name: narlab reproduce NAME --{option} ...")
        rows = []
        for name in experiments.names():
            plan = sweep.plan(self._jobs(self._selection(name)))
            counts = [str(len(part)) for part in (plan.done, plan.begun, plan.missing)]
            rows.append([name, *counts, experiments.get(name).TITLE])
        print_table(["name", "done", "begun", "to do", "what"], rows, numbers=("done", "begun", "to do"))
        say(f"budget {self.budget}, folder {self.out}; narlab reproduce NAME trains what is to do")

    def _selection(self, name: str) -> "Selection":
        from narlab.experiments.declaring.selection import Selection

        algorithms = None if self.algorithms is None else _parts("--algorithms", self.algorithms)
        seeds = None if self.seeds is None else [_integer("--seeds", text) for text in _parts("--seeds", self.seeds)]
        return Selection.of(name, budget=self.budget, algorithms=algorithms, seeds=seeds)

    def _jobs(self, selection: "Selection") -> list["Job"]:
        from narlab.experiments.sweeping.jobs import Job

        return [Job.of(self.out, self.budget, run) for run in selection.runs()]

    def _asked(self, jobs: list["Job"]) -> list["Job"]:
        """The jobs that have the settings of --only."""
        from narlab.training import Run

        for text in [] if self.only is None else _parts("--only", self.only):
            name, separator, value = text.partition("=")
            if not separator:
                raise UsageError(f"--only needs settings such as processor=mpnn_g, got {text!r}")
            known = [field.name for field in fields(Run)]
            if name not in known:
                raise unknown("setting of a run in --only", name, known)
            values = sorted({str(getattr(job.run, name)) for job in jobs})
            if jobs and value not in values:
                raise unknown(f"{name} of {self.name}", value, values)
            jobs = [job for job in jobs if str(getattr(job.run, name)) == value]
        return jobs

    def _engine(self) -> "Engine":
        """The engine that the options describe."""
        if self.engine not in ENGINES:
            raise unknown("engine", self.engine, ENGINES)
        if self.engine == "ray":
            return self._cluster()
        for option in RAY_ONLY:
            if getattr(self, option) is not None:
                raise UsageError(f"--{option} is for a cluster: add --engine ray, or leave it out")
        return self._local()

    def _local(self) -> "Local":
        from narlab.experiments.sweeping.local import Local

        return Local(1 if self.workers is None else self.workers, self.threads, self.device)

    def _cluster(self) -> "Engine":
        from narlab.experiments.sweeping.cluster import Cluster

        if self.threads is not None:
            raise UsageError("--threads is for --engine local; on a cluster a run has as many as --cpus")
        if self.device != "cpu":
            raise UsageError("--device is for --engine local; on a cluster ask for GPUs: --gpus 1")
        cpus = 1 if self.cpus is None else self.cpus
        return Cluster(self.address, cpus=cpus, gpus=self.gpus or 0.0, workers=self.workers)

    def _estimate(self, jobs: Sequence["Job"]) -> None:
        from narlab.cli.sweeping import print_estimate

        threads = self._local().share if self.engine == "local" else self.cpus or 1
        print_estimate(jobs, workers=self.workers or 1, threads=threads, device=self.device)

    def _tables(self, selection: "Selection") -> None:
        """Write the outcome and print its tables."""
        from narlab.experiments.declaring import layout
        from narlab.report import outcome as outcomes
        from narlab.report.table_formats import WIDTH, as_text
        from narlab.report.table_words import has_runs

        with progress_bar() as bar:
            made = selection.outcome(self.out, _shown_on(bar))
        folder = layout.outcome_folder(self.out, self.budget, selection.name)
        written = outcomes.write(made, folder, look=self._look(), with_paper=not self.latex_without_paper)
        width = shutil.get_terminal_size((WIDTH, 0)).columns
        for table in filter(has_runs, made.tables):
            print(f"\n{as_text(table, width=width)}")
        for table in made.tables:
            if not has_runs(table):
                print(f"no runs yet: {table.title}")
        for note in made.notes:
            print(note)
        say(f"{len(written)} files in {folder}")

    def _look(self) -> "Look":
        from narlab.report.pictures.figures import Look

        return Look(self.figure_width, self.font, self.font_size, "" if self.no_titles else None)

    def _command(self) -> str:
        from narlab.cli.sweeping import command_line

        return command_line("reproduce", self)


def _shown_on(bar: "Progress") -> Callable[[str, int, int], None]:
    """Gives each analysis a line when it begins."""

    def show(name: str, done: int, graphs: int) -> None:
        if done == 0:
            bar.add_task(f"{name}: graphs", total=graphs)
        bar.update(bar.task_ids[-1], completed=done)

    return show


def _parts(option: str, text: str) -> list[str]:
    found = [part.strip() for part in text.split(",")]
    if not all(found):
        raise UsageError(f"{option} is a list with commas and no empty parts, got {text!r}")
    return found


def _integer(option: str, text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise UsageError(f"{option} must be integers such as 42,43, got {text!r}") from None


COMMAND = Reproduce
