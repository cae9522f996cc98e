"""TensorBoard: every evaluation in `tensorboard/` of the run's folder, for `tensorboard --logdir runs`."""

import io
import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from narlab.common.errors import UsageError
from narlab.training.folder import Folder
from narlab.training.reporters import AbstractReporter
from narlab.training.run import ResolvedRun

NO_METRICS = ("step", "seconds")


@dataclass
class Reporter(AbstractReporter):
    """Writes event files.

    A run that goes on is written anew from its metrics log, so that TensorBoard shows each evaluation once, also those
    of a time when nothing was written for it.
    """

    def check(self) -> None:
        try:
            from tensorboard.compat.proto import event_pb2, summary_pb2
            from tensorboard.summary.writer.record_writer import RecordWriter
        except ImportError:
            raise UsageError("TensorBoard is not installed; get it with: pip install 'narlab[tensorboard]'") from None
        self._events: Any = event_pb2
        self._summaries: Any = summary_pb2
        self._record_writer: Any = RecordWriter

    def begin(self, run: ResolvedRun, folder: Folder) -> None:
        now = time.time()
        self._folder = folder
        self._file = f"tensorboard/events.out.tfevents.{now:.6f}"  # readers take files in the order of their names
        version = self._events.Event(wall_time=now, file_version="brain.Event:2")
        started = self._events.SessionLog(status=self._events.SessionLog.START)
        from_here = self._events.Event(wall_time=now, step=0, session_log=started)  # readers drop older files' events
        lines = folder.metrics()
        past = [self._event(line, now - (lines[-1]["seconds"] - line["seconds"])) for line in lines]
        self._write_events([version, from_here, *past])

    def write(self, line: dict[str, Any]) -> None:
        self._write_events([self._event(line, time.time())])

    def _event(self, line: dict[str, Any], seconds: float) -> Any:
        metrics = {name: value for name, value in line.items() if name not in NO_METRICS}
        values = [self._summaries.Summary.Value(tag=name, simple_value=value) for name, value in metrics.items()]
        return self._events.Event(wall_time=seconds, step=line["step"], summary=self._summaries.Summary(value=values))

    def _write_events(self, events: Iterable[Any]) -> None:
        """Append all events, or none: TensorBoard's own writer would fail in a thread where the disk is full."""
        records = io.BytesIO()
        writer = self._record_writer(records)
        for event in events:
            writer.write(event.SerializeToString())
        self._folder.append(self._file, records.getvalue())
