"""The paper's numbers, which ship with the package: one CSV file per table, in `paper/` beside the experiments."""

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files

from narlab.common.errors import unknown
from narlab.experiments.declaring.outcome import Number

FOLDER = files("narlab.experiments").joinpath("paper")
OUR_NAMES = {
    "2wl": "two_wl",
    "average_mp_mp": "hybrid_average:mpnn_g+mpnn_g",
    "average_2wl_2wl": "hybrid_average:two_wl+two_wl",
    "average_mp_2wl": "hybrid_average",
    "sigmoid_mp_2wl": "hybrid_sigmoid",
    "scalar_index": "scalar",
    "random_scalar_index": "random_scalar",
}
"""Names of rows and columns that narlab spells differently."""


@dataclass(frozen=True)
class Numbers:
    """The numbers of one table by row and column."""

    cells: dict[tuple[str, str], Number] = field(default_factory=dict)

    def get(self, row: str, column: str) -> Number | None:
        return self.cells.get((row, column))

    def only(self, *rows: str) -> "Numbers":
        """The numbers of some rows."""
        return Numbers({key: number for key, number in self.cells.items() if key[0] in rows})

    def under(self, prefix: str) -> "Numbers":
        """The columns called `prefix/NAME`, as NAME."""
        start = f"{prefix}/"
        return Numbers(
            {
                (row, column.removeprefix(start)): number
                for (row, column), number in self.cells.items()
                if column.startswith(start)
            }
        )

    def mean(self, rows: Sequence[str], column: str, weights: Mapping[str, int] | None = None) -> Number | None:
        """The mean of the numbers of `rows`; `None` unless all of them are there."""
        found = [number for row in rows if (number := self.get(row, column)) is not None]
        if not found or len(found) < len(rows):
            return None
        weigh = [1 if weights is None else weights[row] for row in rows]
        return Number(sum(w * number.mean for w, number in zip(weigh, found, strict=True)) / sum(weigh))


@cache
def names() -> tuple[str, ...]:
    """The names of all tables."""
    return tuple(sorted(file.name.removesuffix(".csv") for file in FOLDER.iterdir() if file.name.endswith(".csv")))


@cache
def read(name: str) -> Numbers:
    """The table called `name`, with narlab's names of rows and columns."""
    if name not in names():
        raise unknown("table of the paper", name, names())
    lines = csv.DictReader(FOLDER.joinpath(f"{name}.csv").read_text("utf-8").splitlines())
    return Numbers(
        {
            (_ours(line["row"]), _ours(line["column"])): Number(
                float(line["mean"]), float(line["std"]) if line["std"] else None
            )
            for line in lines
        }
    )


def _ours(name: str) -> str:
    return OUR_NAMES.get(name, name)
