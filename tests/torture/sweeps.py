"""Sweeps whose process or workers are killed, and two sweeps on one folder: all runs end, with the usual bits."""

import json
import os
import signal
import time
from contextlib import suppress
from pathlib import Path

from cases import PATIENCE, Place, WrongError, check_same, finish, processes_of, start, wait_until

SWEEP = "reproduce main --budget smoke --algorithms bfs --workers 2 --threads 1"
MOMENTS = 8.0  # seconds after the first folder is there, in which a sweep is hit
RUNS = "smoke/runs"


def command(folder: Path) -> list[str]:
    return [*SWEEP.split(), "--out", str(folder)]


def in_peace(place: Place, sweep: str = SWEEP) -> Path:
    """The folder of the sweep that was left in peace, trained for the first case of a part."""
    folder = place.part / "in-peace"
    if not any(folder.rglob("outcome.json")):
        finish(place, *sweep.split(), "--out", str(folder))
    return folder


def check_all(place: Place, whole: Path) -> None:
    """Every run of a sweep is there and the same."""
    names = [sorted(folder.name for folder in (root / RUNS).iterdir()) for root in (place.folder, whole)]
    if names[0] != names[1]:
        raise WrongError(f"other runs: {names}")
    for name in names[0]:
        check_same(place.folder / RUNS / name, whole / RUNS / name)


def killed(place: Place) -> str:
    """The sweep's process or one of its workers is killed at a random moment, then the same command goes on."""
    whole, whom = in_peace(place), place.random.choice(("its process", "a worker"))
    sweep = start(place, *command(place.folder))
    wait_until((place.folder / RUNS).exists, sweep)
    time.sleep(place.random.uniform(0, MOMENTS))
    others = sorted(set(processes_of(place)) - {sweep.pid})
    victim = sweep.pid if whom == "its process" or not others else place.random.choice(others)
    with suppress(ProcessLookupError):
        os.kill(victim, signal.SIGKILL)
    _, err = sweep.communicate(timeout=PATIENCE)
    if "Traceback" in err:
        raise WrongError(f"a traceback: {err[-3000:]}")
    if victim != sweep.pid and sweep.returncode != 0:
        raise WrongError(f"a killed worker ended the sweep with {sweep.returncode}: {err[-2000:]}")
    finish(place, *command(place.folder))
    check_all(place, whole)
    return f"{whom} was killed" if sweep.returncode or victim != sweep.pid else "done before"


def doubled(place: Place) -> str:
    """Two sweeps work on one folder; no run is trained twice."""
    whole = in_peace(place)
    both = [start(place, *command(place.folder))]
    time.sleep(place.random.uniform(0, 3))
    both.append(start(place, *command(place.folder)))
    for sweep in both:
        _, err = sweep.communicate(timeout=PATIENCE)
        left_to_the_other = sweep.returncode == 1 and "another sweep still trains" in err
        if "Traceback" in err or (sweep.returncode != 0 and not left_to_the_other):
            raise WrongError(f"ended with {sweep.returncode}: {err[-2000:]}")
    check_all(place, whole)
    for folder in (place.folder / RUNS).iterdir():
        if (times := len(json.loads((folder / "environment.json").read_text()))) != 1:
            raise WrongError(f"{folder.name} was trained by {times} processes")
    return "each run trained once"
