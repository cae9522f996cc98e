"""What commands that train many runs have in common: what is to do, how long it takes, and doing it."""

import shlex
from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from narlab.cli.sweep_display import display
from narlab.cli.terminal import progress_bar
from narlab.common import counted, duration
from narlab.experiments.sweeping import sweep
from narlab.experiments.sweeping.estimate import estimate
from narlab.experiments.sweeping.jobs import Engine, Job
from narlab.experiments.sweeping.sweep import Ending, Plan


def counts(plan: Plan) -> str:
    """How many runs are done, begun and to do."""
    runs = counted(len(plan.done) + len(plan.left), "run")
    return f"{runs}, {len(plan.done)} done, {len(plan.begun)} begun, {len(plan.missing)} not begun"


def train_jobs(jobs: Sequence[Job], plan: Plan, engine: Engine, *, again: str) -> Ending:
    """Train what is left of a plan; `again` is the command that goes on after Ctrl-C."""
    if not plan.left:
        return Ending({}, {})
    steps = {job: sweep.reached(job) for job in plan.begun}
    try:
        with display(plan.left, steps) as shown:
            return sweep.execute(jobs, engine, shown)
    except KeyboardInterrupt:
        raise KeyboardInterrupt(f"stopped; what is done is kept, go on with: {again}") from None


def print_estimate(jobs: Sequence[Job], *, workers: int, threads: int, device: str) -> None:
    """Say how long the jobs take."""
    with progress_bar() as bar:
        task = bar.add_task("measuring a step of each kind of run", total=None)
        found = estimate(
            jobs,
            workers=workers,
            threads=threads,
            device=device,
            progress=lambda done, total: bar.update(task, completed=done, total=total),
        )
    print(
        f"about {duration(found.wall)} with {workers} at a time and {counted(threads, 'thread')} each "
        f"({duration(found.work)} of work), by the steps of {counted(found.kinds, 'kind')} of runs, measured on "
        "this machine"
    )


def command_line(name: str, command: Any) -> str:
    """The command line that gives a command's options; its first field is positional."""
    first, *others = fields(command)
    words = ["narlab", name, str(getattr(command, first.name))]
    for option in others:
        value = getattr(command, option.name)
        if value != option.default:
            words += [f"--{option.name.replace('_', '-')}", *([] if value is True else [str(value)])]
    return shlex.join(words)
