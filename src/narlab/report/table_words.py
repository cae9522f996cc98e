"""What a table says, in whatever format: its heading, the text of its entries, and the remarks below it."""

from dataclasses import replace

from narlab.experiments.declaring.outcome import ZERO, Cell, Number, Table

EMPTY = "–"


def has_runs(table: Table) -> bool:
    return any(cell.ours for cell in table.cells.values())


def filled(table: Table) -> Table:
    """The table with the columns that hold runs, and a note that names the others; all of it if there is no run."""
    empty = [column for column in table.columns if not any(cell_of(table, row, column).ours for row in table.rows)]
    if not empty or len(empty) == len(table.columns):
        return table
    columns = tuple(column for column in table.columns if column not in empty)
    cells = {(row, column): cell for (row, column), cell in table.cells.items() if column in columns}
    return replace(table, columns=columns, cells=cells, notes=(*table.notes, f"no runs yet: {', '.join(empty)}"))


def heading(table: Table) -> str:
    return f"{table.title}, in {table.unit}" if table.unit else table.title


def remarks(table: Table) -> list[str]:
    """What stands below a table: how to read it, its notes, and last how many entries are near the paper's."""
    return [text for text in (_legend(table), *table.notes, verdict(table)) if text]


def verdict(table: Table) -> str:
    """How many entries are within two of the paper's standard deviations; nothing if the paper has no numbers."""
    cells = [cell_of(table, row, column) for row in table.rows for column in table.columns]
    compared = [cell for cell in cells if cell.within is not None]
    waiting = sum(cell.paper is not None and cell.paper.std is not None and not cell.ours for cell in cells)
    near = sum(bool(cell.within) for cell in compared)
    wait = "waits for its runs" if waiting == 1 else "wait for their runs"
    if compared:
        text = f"{near} of {len(compared)} entries are within two of the paper's standard deviations"
        far = "; * marks the others" if near < len(compared) else ""
        flat = any(cell.paper is not None and cell.paper.std is not None and cell.paper.std < ZERO for cell in compared)
        zero = "; for ± 0.00, within the 95 % interval of a test set of its size" if flat else ""
        return f"{text}{zero}{far}{f'; {waiting} more {wait}' if waiting else ''}."
    if waiting:
        return f"No entry can be compared with the paper yet: {waiting} {wait}."
    known = any(cell.paper is not None for cell in cells)
    return "The paper gives no standard deviations of these numbers to compare with." if known else ""


def cell_of(table: Table, row: str, column: str) -> Cell:
    return table.cells.get((row, column), Cell())


def decimals(table: Table) -> int:
    """Two, but none for counts, which are whole numbers of another unit than %."""
    cells = table.cells.values()
    values = [value for cell in cells for value in (*cell.ours, *([cell.paper.mean] if cell.paper else []))]
    return 0 if table.unit != "%" and all(float(value).is_integer() for value in values) else 2


def number_text(number: Number | None, places: int) -> str:
    """89.86 ± 1.79, or – for none."""
    if number is None:
        return EMPTY
    return f"{number.mean:.{places}f}" + ("" if number.std is None else f" ± {number.std:.{max(places, 1)}f}")


def difference_text(cell: Cell, places: int) -> str:
    """+0.94, with a * if that is more than two of the paper's standard deviations; – if it is not known."""
    if cell.difference is None:
        return EMPTY
    text = f"{cell.difference:+.{places}f}"
    return (text if float(text) else text[1:]) + ("*" if cell.within is False else "")


def _legend(table: Table) -> str:
    """How to read the numbers; the seeds of a table with one value in each cell are told by its notes."""
    if not has_runs(table):
        return ""
    seeds = sorted({len(cell.ours) for cell in table.cells.values() if cell.ours})
    count = str(seeds[0]) if len(seeds) == 1 else f"{seeds[0]} to {seeds[-1]}"
    ours = [] if seeds == [1] else [f"ours: mean ± standard deviation over {count} seeds"]
    diff = ["diff: ours minus the paper's mean"] if any(cell.paper for cell in table.cells.values()) else []
    text = "; ".join([*ours, *diff])
    return f"{text[0].upper()}{text[1:]}." if text else ""
