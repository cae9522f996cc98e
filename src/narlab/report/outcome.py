"""An outcome in a folder: all of it as JSON that can be read back, and each table and figure in its formats."""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from narlab.common import errors
from narlab.common.errors import Either, Items, Nothing, Record, Switch, Text, UsageError, Whole
from narlab.common.files import read_json, write_whole
from narlab.experiments.declaring.outcome import (
    Cell,
    Drawing,
    GraphPanel,
    Number,
    Outcome,
    Plot,
    Series,
    Table,
)
from narlab.report.table_formats import as_csv, as_latex, as_markdown, as_text

if TYPE_CHECKING:
    from narlab.report.pictures.figures import Look

FILE = "outcome.json"
TEXT, NAMES, NUMBER = Text(10_000), Items(Text(10_000), most=10_000), errors.Number()
PAIRS, NUMBERS, NOTHING = Items(Items(Whole(), 2, 2), most=10**6), Items(NUMBER), Nothing()
CELL = Record(
    {"row": TEXT, "column": TEXT, "ours": NUMBERS},
    {
        "paper": Either(NOTHING, Record({"mean": NUMBER}, {"std": Either(NOTHING, NUMBER)})),
        "elements": Either(NOTHING, Whole(1)),
    },
)
TABLE = Record(
    {"name": Text(), "title": TEXT, "rows": NAMES, "columns": NAMES, "cells": Items(CELL)},
    {"unit": Text(), "notes": NAMES},
)
SERIES = Record({"label": TEXT, "x": NUMBERS, "y": NUMBERS}, {"spread": Either(NOTHING, NUMBERS)})
PLOT = Record(
    {"name": Text(), "title": TEXT, "x_label": TEXT, "y_label": TEXT, "panels": Record(others=Items(SERIES))},
    {"points": Switch(), "alike": Switch(), "notes": NAMES},
)
PANEL = Record(
    {"title": TEXT, "n": Whole(0, 2000), "edges": PAIRS},
    {
        "directed": Switch(),
        "groups": Either(NOTHING, Items(Whole())),
        "marked": PAIRS,
        "labels": Either(NOTHING, NAMES),
        "positions": Either(NOTHING, Items(Items(NUMBER, 2, 2))),
        "layout": Text(),
    },
)
DRAWING = Record({"name": Text(), "title": TEXT, "panels": Items(PANEL)}, {"notes": NAMES})
SCHEMA = Record(
    {"experiment": Text(), "budget": Text(), "tables": Items(TABLE)},
    {"plots": Items(PLOT), "drawings": Items(DRAWING), "notes": NAMES},
)
"""What an outcome's file holds."""
TABLES = {".txt": as_text, ".md": as_markdown, ".tex": as_latex, ".csv": as_csv}


def write(outcome: Outcome, folder: Path, *, look: "Look | None" = None, with_paper: bool = True) -> list[Path]:
    """Write every table and figure, and last the whole outcome; each file is written whole or not at all.

    `look` is that of the figures; `with_paper` says whether tables in LaTeX have the paper's numbers, too.
    """
    from narlab.report.pictures import graph_drawings, plots  # here, because matplotlib takes long to load
    from narlab.report.pictures.figures import AS_DRAWN, KINDS, rendered

    forms: dict[str, Callable[[Table], str]] = {**TABLES, ".tex": partial(as_latex, with_paper=with_paper)}
    _check_names(outcome)
    written = []
    for table in with_all_notes(outcome):
        written += [
            write_whole(folder / f"{table.name}{suffix}", form(table).encode()) for suffix, form in forms.items()
        ]
    figures = [(plot.name, partial(plots.figure, plot)) for plot in outcome.plots]
    figures += [(drawing.name, partial(graph_drawings.figure, drawing)) for drawing in outcome.drawings]
    for name, draw in figures:
        written += [write_whole(folder / f"{name}.{kind}", rendered(draw, kind, look or AS_DRAWN)) for kind in KINDS]
    return [*written, write_whole(folder / FILE, _to_json(outcome).encode())]


def with_all_notes(outcome: Outcome) -> Iterator[Table]:
    """The tables, each with the whole outcome's notes, too, so that it stands for itself."""
    return (replace(table, notes=(*table.notes, *outcome.notes)) for table in outcome.tables)


def read(folder: Path) -> Outcome:
    """The outcome that was written to the folder."""
    path, remedy = Path(folder) / FILE, "; narlab reproduce writes it anew"
    try:
        values = read_json(path, SCHEMA, remedy=remedy)
    except FileNotFoundError:
        raise UsageError(f"{str(folder)!r} holds no outcome: it has no {FILE}; narlab reproduce writes it") from None
    try:
        return _from_json(values)
    except UsageError as error:
        raise UsageError(f"{str(path)!r} can't be read: {error}{remedy}") from error


def _check_names(outcome: Outcome) -> None:
    """Names become files beside each other."""
    figures = [*(plot.name for plot in outcome.plots), *(drawing.name for drawing in outcome.drawings)]
    for kind, names in (("tables", [table.name for table in outcome.tables]), ("figures", figures)):
        for name, count in Counter(names).items():
            if count > 1:
                raise UsageError(f"{outcome.experiment} has {count} {kind} called {name!r}; names must differ")
            if not name or Path(name).name != name or name.startswith("."):
                raise UsageError(f"{outcome.experiment}: {name!r} can't be the stem of a file's name")


def _to_json(outcome: Outcome) -> str:
    """Cells as a list, since keys of JSON are texts."""
    tables = [
        {**asdict(table), "cells": [{"row": row, "column": column, **asdict(cell)} for (row, column), cell in cells]}
        for table in outcome.tables
        for cells in [table.cells.items()]
    ]
    return json.dumps({**asdict(outcome), "tables": tables}, indent=1, ensure_ascii=False) + "\n"


def _from_json(values: dict[str, Any]) -> Outcome:
    return Outcome(
        experiment=values["experiment"],
        budget=values["budget"],
        tables=tuple(map(_table, values["tables"])),
        plots=tuple(map(_plot, values.get("plots", ()))),
        drawings=tuple(map(_drawing, values.get("drawings", ()))),
        notes=tuple(values.get("notes", ())),
    )


def _table(values: dict[str, Any]) -> Table:
    cells = {
        (cell["row"], cell["column"]): Cell(
            tuple(cell["ours"]),
            Number(**cell["paper"]) if cell.get("paper") else None,
            cell.get("elements"),  # older files have none
        )
        for cell in values["cells"]
    }
    return Table(**{**_tuples(values), "cells": cells})


def _plot(values: dict[str, Any]) -> Plot:
    panels = {title: tuple(map(_series, group)) for title, group in values["panels"].items()}
    return Plot(**{**_tuples(values), "panels": panels})


def _series(values: dict[str, Any]) -> Series:
    series = Series(**_tuples(values))
    if not len(series.x) == len(series.y) == len(series.x if series.spread is None else series.spread):
        raise UsageError(f"x, y and spread of {series.label!r} must have the same length")
    return series


def _drawing(values: dict[str, Any]) -> Drawing:
    return Drawing(**{**_tuples(values), "panels": tuple(map(_panel, values["panels"]))})


def _panel(values: dict[str, Any]) -> GraphPanel:
    panel = GraphPanel(**_tuples(values))
    if any(node >= panel.n for edge in (*panel.edges, *panel.marked) for node in edge):
        raise UsageError(f"the edges of {panel.title!r} must join nodes from 0 to {panel.n - 1}")
    for name in ("groups", "labels", "positions"):
        if getattr(panel, name) is not None and len(getattr(panel, name)) != panel.n:
            raise UsageError(f"{name} of {panel.title!r} must have one entry for each of its {panel.n} nodes")
    return panel


def _tuples(values: dict[str, Any]) -> dict[str, Any]:
    """The values with tuples, also of pairs, where JSON has lists."""
    return {name: _tuple(value) if isinstance(value, list) else value for name, value in values.items()}


def _tuple(items: list[Any]) -> tuple[Any, ...]:
    return tuple(tuple(item) if isinstance(item, list) else item for item in items)
