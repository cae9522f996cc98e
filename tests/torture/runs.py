"""Single runs: killed, stormed with signals, on a disk that fills; they go on and end as one that was left in peace."""

import os
import signal
import subprocess
import time
from contextlib import suppress
from pathlib import Path

from cases import PATIENCE, Place, SkippedError, WrongError, check_same, finish, start, wait_until

RUN = "bfs --dataset custom --n 6 --test-n 8 --hidden 8 --depth 3 --steps 300 --validate-every 20 --test-every 100"
MOMENTS = 3.0  # seconds after its folder is there, in which a run is hit
SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
STOPPED = (130, *(-number for number in SIGNALS))  # saved and said so, or hit before Python listens
LEAST_ROOM, MOST_ROOM = 4, 120  # kilobytes; a run leaves about 150


def command(folder: Path) -> list[str]:
    return ["train", *RUN.split(), "--threads", "1", "--out", str(folder)]


def in_peace(place: Place) -> Path:
    """The folder of the run that was left in peace, trained for the first case of a part."""
    folder = place.part / "in-peace"
    if not (folder / "result.json").exists():
        finish(place, *command(folder))
    return folder


def killed(place: Place) -> str:
    """Killed at up to three moments, then gone on with."""
    whole, times = in_peace(place), place.random.randint(1, 3)
    hits = sum(_hit(place, lambda process: process.send_signal(signal.SIGKILL)) for _ in range(times))
    finish(place, *command(place.folder))
    check_same(place.folder, whole)
    return f"hit {hits} times"


def _hit(place: Place, strike) -> bool:
    """Train, and strike at some moment; whether it came in time."""
    process = start(place, *command(place.folder))
    early = place.random.random() < 0.1
    if not early:
        wait_until((place.folder / ".lock").exists, process)
    time.sleep(place.random.uniform(0, MOMENTS))
    hit = process.poll() is None
    strike(process)
    _, err = process.communicate(timeout=PATIENCE)
    if "Traceback" in err:
        raise WrongError(f"a traceback: {err[-3000:]}")
    if process.returncode not in (0, -signal.SIGKILL, *STOPPED):
        raise WrongError(f"ended with {process.returncode}: {err[-2000:]}")
    return hit and process.returncode != 0


def stormed(place: Place) -> str:
    """One to five signals of stopping, close to each other, then gone on with."""
    whole = in_peace(place)

    def storm(process: subprocess.Popen[str]) -> None:
        for _ in range(place.random.randint(1, 5)):
            with suppress(ProcessLookupError):
                process.send_signal(place.random.choice(SIGNALS))
            time.sleep(place.random.uniform(0, 0.2))

    hit = _hit(place, storm)
    finish(place, *command(place.folder))
    check_same(place.folder, whole)
    return "stopped" if hit else "done before"


def short_of_room(place: Place) -> str:
    """On a disk of some kilobytes; once there is room, gone on with."""
    whole, room = in_peace(place), place.random.randint(LEAST_ROOM, MOST_ROOM)
    disk = place.part / f"disk-{place.number}"
    disk.mkdir()
    if os.geteuid() or _mount(disk, "-t", "tmpfs", "-o", f"size={room}k", "tmpfs"):
        raise SkippedError("no disk can be mounted here, which takes root")
    try:
        process = start(place, *command(disk / "run"))
        _, err = process.communicate(timeout=PATIENCE)
        told = err.strip().splitlines()
        if process.returncode not in (0, 2) or "Traceback" in err or (process.returncode and "cannot write" not in err):
            raise WrongError(f"with {room} kB ended with {process.returncode}: {err[-2000:]}")
        _mount(disk, "-o", "remount,size=10m")
        finish(place, *command(disk / "run"))
        check_same(disk / "run", whole)
    finally:
        subprocess.run(["umount", str(disk)], check=True)
    return "full" if told and process.returncode else "had room"


def _mount(disk: Path, *options: str) -> int:
    return subprocess.run(["mount", *options, str(disk)], capture_output=True, check=False).returncode
