"""The reporters, one file each: where a run's evaluations are written beside its own metrics log.

A file holds a class `Reporter`, an `AbstractReporter` and a dataclass. Its fields behind `shown` are the options that
may follow its name: `wandb:project=mine,mode=offline`.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from narlab.common.catalogue import Catalogue, read_options, split_options
from narlab.training.folder import Folder
from narlab.training.reporting import Reporter
from narlab.training.run import ResolvedRun

__all__ = ["CATALOGUE", "AbstractReporter", "get", "names", "reporting_to"]


@dataclass
class AbstractReporter(ABC):
    """Writes evaluations somewhere, and passes all that it is told on to the reporter `shown`.

    A run that goes on may tell of an evaluation again, which was told before the run was broken off: it is written
    once. `check`, called before anything begins, says what is missing.
    """

    shown: Reporter

    def __post_init__(self) -> None:
        self.check()

    def check(self) -> None:  # noqa: B027 (most need nothing)
        """Raise a `UsageError` if a package is missing."""

    @abstractmethod
    def begin(self, run: ResolvedRun, folder: Folder) -> None:
        """A run begins or goes on; the evaluations so far are in the folder's metrics log."""

    @abstractmethod
    def write(self, line: dict[str, Any]) -> None:
        """A new evaluation, which the metrics log has already."""

    def end(self) -> None:  # noqa: B027
        """The run ends, or is broken off."""

    def start(self, run: ResolvedRun, folder: Path, step: int) -> None:
        self.begin(run, Folder(folder))
        self.shown.start(run, folder, step)

    def step(self, step: int, loss: float) -> None:
        self.shown.step(step, loss)

    def evaluation(self, line: dict[str, Any]) -> None:
        self.write(line)
        self.shown.evaluation(line)

    def say(self, text: str) -> None:
        self.shown.say(text)

    def stop(self) -> None:
        self.end()
        self.shown.stop()


def _is_reporter(thing: Any) -> bool:
    return isinstance(thing, type) and issubclass(thing, AbstractReporter)


CATALOGUE = Catalogue(
    kind="reporter",
    folder="narlab.training.reporters",
    attribute="Reporter",
    group="narlab.reporters",
    accepts=_is_reporter,
    wanted="a name, package.module:Name or a subclass of AbstractReporter",
)
names, get = CATALOGUE.names, CATALOGUE.get


def reporting_to(reporters: Iterable[str], shown: Reporter) -> Reporter:
    """A reporter that tells `shown` and all `reporters`, texts such as `csv` or `wandb:mode=offline`.

    >>> from narlab.training.reporting import PlainLines
    >>> type(reporting_to(["csv"], PlainLines())).__module__
    'narlab.training.reporters.csv'
    """
    for text in reporters:
        name, pieces = split_options(text)
        found = get(name)
        known = [field.name for field in fields(found) if field.name != "shown"]
        shown = found(shown, **read_options("reporter", name, pieces, of=found, known=known))
    return shown
