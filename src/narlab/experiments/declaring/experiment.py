"""What an experiment's file declares."""

from collections.abc import Sequence
from typing import Protocol

from narlab.experiments.declaring.outcome import Outcome
from narlab.experiments.declaring.results import Results
from narlab.training import Run


class Experiment(Protocol):
    """A table or figure of the paper; a module of `narlab.experiments` is one."""

    __doc__: str | None
    TITLE: str
    ALGORITHMS: tuple[str, ...]

    def runs(self, algorithms: Sequence[str], seeds: Sequence[int]) -> list[Run]:
        """What has to be trained, at the paper's settings."""

    def outcome(self, results: Results, algorithms: Sequence[str], seeds: Sequence[int]) -> Outcome:
        """Tables and figures of what is done; what is missing leaves empty cells and a note."""
