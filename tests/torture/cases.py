"""What all kinds of torture share: processes of narlab, what runs leave, and the count of cases that were right."""

import json
import os
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

MARK = "NARLAB_TORTURE"  # in the environment of every process that belongs to a case, so that orphans are found
PATIENCE = 900.0  # seconds for a command that should end, also on a machine that is busy
WEIGHTS = ("run.toml", "best.safetensors", "last.safetensors")


class WrongError(AssertionError):
    """A case did not end as it should."""


class SkippedError(Exception):
    """A case can't be tried here."""


@dataclass(frozen=True)
class Place:
    """Where a case happens: the folder of its part, its number, and what decides its moments."""

    part: Path
    number: int
    random: Random

    @property
    def folder(self) -> Path:
        """The case's own."""
        return self.part / str(self.number)

    @property
    def mark(self) -> str:
        return f"{os.getpid()}-{self.part.name}-{self.number}"


@dataclass
class Count:
    """The cases of one part."""

    name: str
    asked: int
    right: int = 0
    wrong: list[str] = field(default_factory=list)
    skipped: str = ""
    facts: dict[str, int] = field(default_factory=dict)

    def do(self, one: Callable[[Place], str], place: Place) -> None:
        """Do a case; it returns a word on what happened in it."""
        if self.skipped:
            return
        place.part.mkdir(parents=True, exist_ok=True)
        try:
            fact = one(place)
            orphans = [str(number) for number in still_there(place)]
            if orphans:
                raise WrongError(f"left over: processes {', '.join(orphans)}")
        except SkippedError as why:
            self.skipped = str(why)
        except Exception as error:  # the other cases are to be tried all the same
            text = f"{self.name} {place.number}: {error}"
            self.wrong.append(text)
            print(text if isinstance(error, WrongError) else traceback.format_exc(), flush=True)
        else:
            self.right += 1
            self.facts[fact] = self.facts.get(fact, 0) + 1
            print(f"{self.name} {place.number}: right ({fact})", flush=True)
        finally:
            end_all(place)

    def __str__(self) -> str:
        if self.skipped:
            return f"{self.name}: skipped, {self.skipped}"
        tried = self.right + len(self.wrong)
        short = f", {self.asked - tried} not begun for want of time" if tried < self.asked else ""
        told = "; ".join(f"{count} {fact}" for fact, count in sorted(self.facts.items()))
        return f"{self.name}: {self.right} of {tried} right ({told or 'none'}){short}"


def start(place: Place, *arguments: str) -> subprocess.Popen[str]:
    """A process of the command `narlab`, in a group of its own."""
    command = [sys.executable, "-m", "narlab", *arguments]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen(
        command, text=True, env={**os.environ, MARK: place.mark}, start_new_session=True, cwd=place.part, **pipes
    )


def finish(place: Place, *arguments: str) -> str:
    """All that a command says, which must end well."""
    process = start(place, *arguments)
    out, err = process.communicate(timeout=PATIENCE)
    if process.returncode != 0:
        raise WrongError(f"narlab {' '.join(arguments)} ended with {process.returncode}: {err[-2000:]}")
    return out + err


def leavings(folder: Path) -> tuple:
    """All that a run leaves but the seconds it took; each evaluation is there once, and no half file."""
    lines = [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]
    steps = [line["step"] for line in lines]
    if steps != sorted(set(steps)):
        raise WrongError(f"{folder}: evaluations after steps {steps}")
    if left := [file.name for file in folder.iterdir() if "unfinished" in file.name]:
        raise WrongError(f"{folder}: left half written: {', '.join(left)}")
    result = json.loads((folder / "result.json").read_text())
    weights = [(folder / name).read_bytes() for name in WEIGHTS]
    return weights, [line | {"seconds": 0} for line in lines], result | {"seconds": 0}


def check_same(ours: Path, theirs: Path) -> None:
    """Two folders hold the same run to the bit."""
    if leavings(ours) != leavings(theirs):
        raise WrongError(f"{ours} differs from {theirs}")


def processes_of(place: Place) -> Iterator[int]:
    """The processes that belong to a case, whoever has started them."""
    told = f"{MARK}={place.mark}".encode()
    for file in Path("/proc").glob("[0-9]*/environ"):
        with suppress(OSError):
            if told in file.read_bytes().split(b"\0") and _is_alive(file.parent):
                yield int(file.parent.name)


def _is_alive(process: Path) -> bool:
    return (process / "stat").read_text().rpartition(")")[2].split()[0] != "Z"


def still_there(place: Place, seconds: float = 15.0) -> list[int]:
    """The processes of a case that have not ended by themselves after so long."""
    until = time.monotonic() + seconds
    while (found := list(processes_of(place))) and time.monotonic() < until:
        time.sleep(0.2)
    return found


def end_all(place: Place) -> None:
    for number in list(processes_of(place)):
        with suppress(ProcessLookupError):
            os.kill(number, signal.SIGKILL)


def wait_until(holds: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    """Until it holds, or the process has ended."""
    until = time.monotonic() + PATIENCE
    while not holds() and process.poll() is None and time.monotonic() < until:
        time.sleep(0.01)
