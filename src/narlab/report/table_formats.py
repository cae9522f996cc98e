"""A table as text, Markdown, LaTeX and CSV: our mean ± std over seeds, the paper's number beside it, the difference.

Columns that no run has filled are left out while others have runs, except in CSV. A table that is too wide is cut into
parts of some columns each, which repeat the names of the rows.
"""

import csv
import io
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeVar

from narlab.algorithms import CLRS_30
from narlab.common import csv_cell, printable
from narlab.experiments.declaring.outcome import Cell, Number, Table
from narlab.report.latex import environment, escape, ruled
from narlab.report.table_words import (
    EMPTY,
    cell_of,
    decimals,
    difference_text,
    filled,
    heading,
    number_text,
    remarks,
)

T = TypeVar("T")
WIDTH = 120  # columns of a line of text
MARKDOWN_COLUMNS, LATEX_COLUMNS = 3, 2  # of a part, each with ours, paper and difference
GAP, GROUP_GAP = "  ", "    "
PRINTED = {
    "mpnn_fc": "MPNN-FC",
    "mpnn_g": "MPNN-G",
    "pgn": "PGN",
    "gat": "GAT",
    "two_wl": "2WL",
    "hybrid_average": "Hybrid-Average",
    "hybrid_sigmoid": "Hybrid-Sigmoid",
    "hybrid_average:mpnn_g+mpnn_g": "Average (MPNN-G, MPNN-G)",
    "hybrid_average:two_wl+two_wl": "Average (2WL, 2WL)",
    "scalar": "Scalar",
    "random_scalar": "Random Scalar",
    "sinusoidal": "Position Enc.",
    "edge_position": "Edge Pos.",
    "l_clrs": "L-CLRS",
    "l_clrs_len": "L-CLRS-Len",
    "l_clrs_deg": "L-CLRS-Deg",
    "l_clrs_len_deg": "L-CLRS-Len-Deg",
}
"""The paper's names of what has another one here."""
FIELDS = ("row", "column", "mean", "std", "seeds", "paper_mean", "paper_std", "difference", "within", "low", "high")


def as_text(table: Table, *, width: int = WIDTH) -> str:
    """The table in aligned columns, in parts of at most `width` characters a line where that can be."""
    table = _printable(filled(table))
    side = max(map(len, table.rows), default=0)
    groups = [_Group.of(table, column) for column in table.columns]
    for most in range(max(len(groups), 1), 0, -1):
        parts = balanced(groups, most)
        if all(side + sum(len(GROUP_GAP) + group.width for group in part) <= width for part in parts):
            break
    lines = [heading(table), ""]
    for part in parts:
        lines += [*_text_lines(table.rows, part, side), ""]
    return "\n".join([*lines, *remarks(table)]).rstrip() + "\n"


def as_markdown(table: Table) -> str:
    """The table as tables of Markdown."""
    table = filled(table)
    lines = [f"**{markdown_text(heading(table))}**", ""]
    for part in balanced([_Group.of(table, column) for column in table.columns], MARKDOWN_COLUMNS):
        heads = [name for group in part for name in (group.name, *group.heads[1:])]
        lines += [_bar(["", *heads]), _bar([":--", *("--:" for _ in heads)])]
        lines += [_bar([row, *(text for group in part for text in group.plain(k))]) for k, row in enumerate(table.rows)]
        lines.append("")
    for remark in remarks(table):
        lines += [markdown_text(remark), ""]
    return "\n".join(lines).rstrip() + "\n"


def as_latex(table: Table, *, with_paper: bool = True) -> str:
    r"""The table as floats of LaTeX, with the packages booktabs and graphicx; too wide ones are scaled down.

    Names are the paper's, and the best of our numbers in a row of several is bold. Without the paper's numbers the
    columns are ours alone, all in one table.
    """
    table = filled(table)
    if not with_paper:
        table = replace(table, cells={place: replace(cell, paper=None) for place, cell in table.cells.items()})
    best = _best(table)
    groups = [_Group.of(table, column) for column in table.columns]
    parts = balanced(groups, LATEX_COLUMNS if any(len(group.heads) > 1 for group in groups) else max(len(groups), 1))
    floats = []
    for k, part in enumerate(parts):
        of = f" (part {k + 1} of {len(parts)})" if len(parts) > 1 else ""
        body = [
            [escape(printed(row)), *(text for group in part for text in group.latex(n, bold=group.name in best[n]))]
            for n, row in enumerate(table.rows)
        ]
        tabular = ruled([(printed(group.name), group.heads) for group in part], body)
        label = "tab:" + re.sub(r"[^\w.:-]", "-", table.name) + (f"-{k + 1}" if k else "")
        below = remarks(table) if k == len(parts) - 1 else []
        floats.append(environment(tabular, heading(table) + of, label, below))
    return "% In the preamble: \\usepackage{booktabs, graphicx}\n" + "\n".join(floats)


def _best(table: Table) -> list[set[str]]:
    """Of each row, the columns of our best numbers, as they are printed; none where there is no choice."""
    if table.unit != "%" or len(table.columns) < 2:
        return [set() for _ in table.rows]
    best = []
    for row in table.rows:
        numbers = {column: cell_of(table, row, column).number for column in table.columns}
        means = {column: round(number.mean, 2) for column, number in numbers.items() if number is not None}
        best.append({column for column, mean in means.items() if len(means) > 1 and mean == max(means.values())})
    return best


def printed(name: str) -> str:
    """A row or column by the paper's name, if it is a task, a processor or a position encoding.

    >>> printed("mst_kruskal"), printed("two_wl"), printed("bfs, one to two")
    ('Mst Kruskal', '2WL', 'bfs, one to two')
    """
    return name.replace("_", " ").title() if name in (*CLRS_30, "mean") else PRINTED.get(name, name)


def as_csv(table: Table) -> str:
    """A line per entry, for programs: an unknown number is empty, `within` is 1 or 0.

    `low` and `high` are the 95 % interval that the size of the test set leaves around the paper's number.
    """
    content = io.StringIO()
    writer = csv.writer(content, lineterminator="\n")
    writer.writerow(FIELDS)
    for row in table.rows:
        for column in table.columns:
            cell = cell_of(table, row, column)
            ours, paper = cell.number or Number(math.nan), cell.paper or Number(math.nan)
            numbers = [_exact(ours.mean), _exact(ours.std), len(cell.ours), _exact(paper.mean), _exact(paper.std)]
            within = "" if cell.within is None else int(cell.within)
            interval = map(_exact, cell.interval or (None, None))
            writer.writerow([csv_cell(row), csv_cell(column), *numbers, _exact(cell.difference), within, *interval])
    return content.getvalue()


def _printable(table: Table) -> Table:
    """The table with names that don't steer a terminal."""
    cells = {(printable(row), printable(column)): cell for (row, column), cell in table.cells.items()}
    rows, columns, notes = (tuple(map(printable, texts)) for texts in (table.rows, table.columns, table.notes))
    return replace(table, title=printable(table.title), rows=rows, columns=columns, notes=notes, cells=cells)


def balanced(items: Sequence[T], most: int) -> list[Sequence[T]]:
    """The items in runs of at most so many, about equally long."""
    count = max(math.ceil(len(items) / most), 1)
    cuts = [round(k * len(items) / count) for k in range(count + 1)]
    return [items[cuts[k] : cuts[k + 1]] for k in range(count)]


@dataclass(frozen=True)
class _Group:
    """One column of a table with what stands beside each other in it: ours and, if the paper has it, its numbers."""

    name: str
    cells: tuple[Cell, ...]
    places: int
    heads: tuple[str, ...]

    @classmethod
    def of(cls, table: Table, column: str) -> "_Group":
        cells = tuple(cell_of(table, row, column) for row in table.rows)
        heads = ("ours", "paper", "diff") if any(cell.paper for cell in cells) else ("ours",)
        return cls(column, cells, decimals(table), heads)

    def plain(self, row: int) -> list[str]:
        """The texts of a row, not aligned."""
        cell = self.cells[row]
        texts = [number_text(number, self.places) for number in (cell.number, cell.paper)]
        return [*texts, difference_text(cell, self.places)][: len(self.heads)]

    def latex(self, row: int, *, bold: bool) -> list[str]:
        ours, *others = (_math(text) for text in self.plain(row))
        return [rf"\textbf{{{ours}}}".replace("$", r"\boldmath$", 1) if bold else ours, *others]

    @cached_property
    def aligned(self) -> list[str]:
        """The heads, then the texts of every row, at one width, with decimal points below each other."""
        columns = [_aligned([cell.number for cell in self.cells], self.places)]
        if len(self.heads) > 1:
            columns.append(_aligned([cell.paper for cell in self.cells], self.places))
            texts = [difference_text(cell, self.places) for cell in self.cells]
            columns.append([text if text.endswith("*") else text + " " for text in texts])
        padded = [_padded([head, *column]) for head, column in zip(self.heads, columns, strict=True)]
        return [GAP.join(line) for line in zip(*padded, strict=True)]

    @property
    def width(self) -> int:
        return max(len(self.name), len(self.aligned[0]))


def _text_lines(rows: Sequence[str], part: Sequence[_Group], side: int) -> Iterator[str]:
    yield " " * side + "".join(GROUP_GAP + group.name.center(group.width) for group in part).rstrip()
    columns = [[line.rjust(group.width) for line in group.aligned] for group in part]
    if any(len(group.heads) > 1 for group in part):
        yield (" " * side + "".join(GROUP_GAP + column[0] for column in columns)).rstrip()
    yield "─" * side + "".join(GROUP_GAP + "─" * group.width for group in part)
    for k, row in enumerate(rows):
        yield (row.ljust(side) + "".join(GROUP_GAP + column[k + 1] for column in columns)).rstrip()


def _aligned(numbers: Sequence[Number | None], places: int) -> list[str]:
    """Means below each other and deviations below each other."""
    halves = [number_text(number, places).partition(" ± ") for number in numbers]
    means = _padded([mean for mean, _, _ in halves])
    deviations = _padded([deviation for _, _, deviation in halves])
    if not any(deviations):
        return means
    marks = [" ± " if deviation else "   " for _, _, deviation in halves]
    return ["".join(parts) for parts in zip(means, marks, deviations, strict=True)]


def _padded(texts: Sequence[str]) -> list[str]:
    width = max(map(len, texts), default=0)
    return [text.rjust(width) for text in texts]


def _exact(value: float | None) -> str:
    return "" if value is None or math.isnan(value) else f"{value:.10g}"


def _bar(texts: Sequence[str]) -> str:
    return "| " + " | ".join(map(markdown_text, texts)) + " |"


def markdown_text(text: str) -> str:
    """Stars and outer underscores stay what they are (inside a word they do anyway), and a bar ends no cell."""
    return re.sub(r"[\\|*<`\[\]]|(?<!\w)_|_(?!\w)", r"\\\g<0>", " ".join(printable(text).split()))


def _math(text: str) -> str:
    if text == EMPTY:
        return "--"
    return "$" + text.replace("±", r"\pm").replace("*", "^{*}") + "$"
