"""`narlab sweep`."""

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from tyro.conf import Positional, arg

from narlab.cli.commands import OptionalInteger, OptionalPath, Switch


@dataclass(frozen=True)
class Sweep:
    """Train all runs of a file of your own, in which a list stands for several settings; then show them side by side.

    The file is TOML, with a run's settings as in run.toml or `narlab train --help`:
      algorithm = ["bfs", "dfs"]
      processor = ["mpnn_g", "two_wl"]
      steps = 1000
      seed = [1, 2, 3]
    is 12 runs. Ctrl-C stops it, and the same command goes on; several may work on one folder at the same time.

    Examples:
      narlab sweep mine.toml --dry-run
      narlab sweep mine.toml --workers 2
      narlab sweep mine.toml --out runs/mine; narlab runs runs/mine --sort test; narlab report runs/mine
    """

    file: Annotated[Positional[Path], arg(metavar="FILE")]
    """The file, .toml."""
    out: OptionalPath = None
    """The folder of the runs; default: runs/ and the file's name without .toml."""
    dry_run: Switch = False
    """Train nothing: say what is to do, and how long it takes by steps that are measured."""
    workers: int = 1
    """Runs at a time."""
    threads: OptionalInteger = None
    """Cores for each run; default: its share of this machine's."""
    device: str = "cpu"
    """Where to train: cpu, cuda, ..."""

    def run(self) -> None:
        from narlab.cli.run_table import RunRow, print_rows
        from narlab.cli.sweeping import command_line, counts, print_estimate, train_jobs
        from narlab.common import say
        from narlab.common.files import check_folder
        from narlab.common.machine import keep_freed_memory
        from narlab.experiments.declaring import own_sweep
        from narlab.experiments.sweeping import sweep  # PyTorch takes seconds to load
        from narlab.experiments.sweeping.jobs import Job
        from narlab.experiments.sweeping.local import Local
        from narlab.training.identity import folder_in

        keep_freed_memory()
        engine = Local(self.workers, self.threads, self.device)
        root = self.out or Path("runs") / self.file.stem
        check_folder(root, "--out must be a folder" if self.out else f"cannot write {str(root)!r}")
        jobs = [Job(run, folder_in(root, run)) for run in own_sweep.read(self.file)]
        plan = sweep.plan(jobs)
        say(f"{root}: {counts(plan)}")
        if self.dry_run:
            return print_estimate(plan.left, workers=self.workers, threads=engine.share, device=self.device)
        ending = train_jobs(jobs, plan, engine, again=command_line("sweep", self))
        print_rows([RunRow.of(job.folder) for job in jobs])
        return ending.check()


COMMAND = Sweep
