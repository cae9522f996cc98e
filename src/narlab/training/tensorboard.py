"""Metrics for TensorBoard, beside another reporter."""

import io
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from narlab.common.errors import UsageError
from narlab.training.folder import Folder
from narlab.training.reporting import Reporter
from narlab.training.run import ResolvedRun

NO_METRICS = ("step", "seconds")


class TensorBoard:
    """Writes every evaluation to `tensorboard/` in the run's folder, and passes all on to `shown`.

    A run that goes on is written anew from its metrics log, so that TensorBoard shows each evaluation once, also those
    of a time when nothing was written for it.
    """

    def __init__(self, shown: Reporter) -> None:
        try:
            from tensorboard.compat.proto import event_pb2, summary_pb2
            from tensorboard.summary.writer.record_writer import RecordWriter
        except ImportError:
            raise UsageError("TensorBoard is not installed; get it with: pip install 'narlab[tensorboard]'") from None
        self._events: Any = event_pb2
        self._summaries: Any = summary_pb2
        self._record_writer: Any = RecordWriter
        self._folder = Folder("")
        self._file = ""
        self._shown = shown

    def start(self, run: ResolvedRun, folder: Path, step: int) -> None:
        now = time.time()
        self._folder = Folder(folder)
        self._file = f"tensorboard/events.out.tfevents.{now:.6f}"  # readers take files in the order of their names
        version = self._events.Event(wall_time=now, file_version="brain.Event:2")
        started = self._events.SessionLog(status=self._events.SessionLog.START)
        from_here = self._events.Event(wall_time=now, step=0, session_log=started)  # readers drop older files' events
        lines = self._folder.metrics()
        past = [self._event(line, now - (lines[-1]["seconds"] - line["seconds"])) for line in lines]
        self._write([version, from_here, *past])
        self._shown.start(run, folder, step)

    def step(self, step: int, loss: float) -> None:
        self._shown.step(step, loss)

    def evaluation(self, line: dict[str, Any]) -> None:
        self._write([self._event(line, time.time())])
        self._shown.evaluation(line)

    def say(self, text: str) -> None:
        self._shown.say(text)

    def stop(self) -> None:
        self._shown.stop()

    def _event(self, line: dict[str, Any], seconds: float) -> Any:
        metrics = {name: value for name, value in line.items() if name not in NO_METRICS}
        values = [self._summaries.Summary.Value(tag=name, simple_value=value) for name, value in metrics.items()]
        return self._events.Event(wall_time=seconds, step=line["step"], summary=self._summaries.Summary(value=values))

    def _write(self, events: Iterable[Any]) -> None:
        """Append all events, or none: TensorBoard's own writer would fail in a thread where the disk is full."""
        records = io.BytesIO()
        writer = self._record_writer(records)
        for event in events:
            writer.write(event.SerializeToString())
        self._folder.append(self._file, records.getvalue())
