"""Tables and progress in a terminal, and the same in plain lines in a pipe."""

import sys
from collections.abc import Sequence

from rich import box
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from narlab.common import printable

PIPE_WIDTH = 400  # columns: nothing is folded or cut in a pipe


def print_table(columns: Sequence[str], rows: Sequence[Sequence[str]], numbers: Sequence[str] = ()) -> None:
    """Print a table; the columns called in `numbers` are set right."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in columns:
        right = column in numbers
        table.add_column(
            Text(printable(column)), justify="right" if right else "left", no_wrap=right or column == columns[0]
        )
    for row in rows:
        table.add_row(*(Text(printable(cell)) for cell in row))  # [inf, inf] is an interval and no markup
    console().print(table)


def fits(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Whether a table finds room without a cell that is cut."""
    widths = (max(map(len, cells)) for cells in zip(columns, *rows, strict=True))
    return sum(widths) + 2 * (len(columns) - 1) <= console().width


def console() -> Console:
    """Standard output."""
    return Console(highlight=False) if sys.stdout.isatty() else Console(width=PIPE_WIDTH, highlight=False)


def progress_bar() -> Progress:
    """A bar with what is done and the time left, on standard error; nothing where that is no terminal."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
    )
    terminal = Console(stderr=True)
    return Progress(*columns, console=terminal, disable=not terminal.is_terminal)
