"""A worker of a cluster, and how the files of a run come to it and back."""

import tempfile
import threading
import time
from collections import deque
from dataclasses import replace
from pathlib import Path

from narlab.common.machine import keep_freed_memory
from narlab.experiments.sweeping.attempt import attempt
from narlab.experiments.sweeping.jobs import ENDS, Event, Job, Kind
from narlab.training.folder import Folder

Files = dict[str, bytes]

PATIENCE = 20.0  # seconds to wait for the last files when the sweep is stopped
NEWS = 1.0  # seconds between two answers of a worker
SPARE = "checkpoint.previous.safetensors"  # comes back with the last files only
LAST = ("metrics.jsonl", "checkpoint.safetensors", "last.safetensors", "result.json")  # in the order they are written


def files_in(folder: Path) -> Files:
    """The files of a run's folder that another machine needs to go on with it."""
    if not folder.is_dir():
        return {}
    files = (file for file in sorted(folder.iterdir()) if file.is_file() and not file.name.startswith("."))
    return {file.name: file.read_bytes() for file in files}


def write_files(folder: Path, files: Files) -> None:
    """Write each file whole, and in an order in which the folder is one to go on from at any time."""
    folder.mkdir(parents=True, exist_ok=True)
    target = Folder(folder)
    for name in sorted(files, key=lambda name: LAST.index(name) if name in LAST else -1):
        target.write(name, files[name])


class RemoteWorker:
    """A worker of the cluster that trains one job in a folder of its own; `train` runs beside the other methods."""

    def __init__(self, job: Job, files: Files, *, threads: int, device: str, interval: float) -> None:
        self.scratch = tempfile.TemporaryDirectory(prefix="narlab-", ignore_cleanup_errors=True)
        self.job, self.asked = replace(job, folder=Path(self.scratch.name) / "run"), job
        self.threads, self.device, self.interval = threads, device, interval
        self.events: deque[Event] = deque()
        self.ending: Event | None = None
        self.copy: Files | None = None
        self.copied, self.has_changed = time.monotonic(), False
        self.hurry, self.looked = threading.Event(), threading.Event()
        write_files(self.job.folder, files)

    def train(self) -> tuple[list[Event], Files]:
        """What has happened since the last news, and all files."""
        keep_freed_memory()
        with self.scratch:
            attempt(self.job, self._note, threads=self.threads, device=self.device)
            assert self.ending is not None
            return [*self._drained(), self.ending], files_in(self.job.folder)

    def news(self) -> tuple[list[Event], Files | None]:
        """What has happened since the last news, after a moment, and the files if there is a new copy of them."""
        time.sleep(min(NEWS, self.interval))
        return self._drained(), self._taken()

    def farewell(self) -> Files | None:
        """The files as they are after the next step, if they are new; the folder is cleared away."""
        self.hurry.set()
        self.looked.wait(PATIENCE)
        self.scratch.cleanup()
        return self._taken()

    def _note(self, event: Event) -> None:
        """Keep an event of the job here as one of the job that was asked for."""
        value = event.value
        if event.kind is Kind.FAILED:
            value = [line.replace(str(self.job.folder), str(self.asked.folder)) for line in value]
        event = Event(event.kind, self.asked, value)
        if event.kind in ENDS:  # comes with the last files
            self.ending = event
            return
        self.events.append(event)
        if event.kind is Kind.EVALUATION:
            self.has_changed = True
        elif event.kind is Kind.STEP:  # the checkpoint of an evaluation is there when the next step is
            self._copy_if_due()

    def _copy_if_due(self) -> None:
        now, in_a_hurry = time.monotonic(), self.hurry.is_set()
        if self.has_changed and (in_a_hurry or now - self.copied >= self.interval):
            files = files_in(self.job.folder)
            self.copy = {name: content for name, content in files.items() if name != SPARE}
            self.copied, self.has_changed = now, False
        if in_a_hurry:
            self.looked.set()

    def _drained(self) -> list[Event]:
        return [self.events.popleft() for _ in range(len(self.events))]

    def _taken(self) -> Files | None:
        taken, self.copy = self.copy, None
        return taken
