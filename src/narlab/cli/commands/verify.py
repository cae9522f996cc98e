"""`narlab verify`."""

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from tyro.conf import Positional, arg

LEADERBOARD = Path("docs/leaderboard.md")


@dataclass(frozen=True)
class Verify:
    """Evaluate the weights of a run, or of a row of the leaderboard, again: equal or not.

    Validation and test scores are computed as the run itself did, and must be the recorded ones to the last bit. The
    exit code is 0 if all are, 1 if not.

    Examples:
      narlab verify runs/bfs-l_clrs-mpnn_g-42
      narlab verify mpnn_g-20000-74a1c0
    """

    row: Annotated[Positional[str], arg(metavar="ROW")]
    """A row of the leaderboard, as printed there, or a run's folder."""
    leaderboard: Path = LEADERBOARD
    """Where the leaderboard is."""

    def run(self) -> None:
        from narlab.common import say
        from narlab.report.leaderboard import numbers_of  # here, because PyTorch takes long to load
        from narlab.report.leaderboard.verification import verify
        from narlab.training.folder import Folder

        folder = Path(self.row)
        claims = {folder: {}} if Folder(folder).is_run() else numbers_of(self.row, self.leaderboard)
        checks = []
        for each, claimed in claims.items():
            checks.append(verify(each, claimed))
            say(checks[-1].text)
        equal = sum(check.equal for check in checks)
        print(f"{equal} of {len(checks)} equal")
        if equal < len(checks):
            sys.exit(1)


COMMAND = Verify
