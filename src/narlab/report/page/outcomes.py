"""The experiments of a page: their tables and figures."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from narlab.experiments.declaring.outcome import Cell, Drawing, Outcome, Plot, Table
from narlab.report.outcome import with_all_notes
from narlab.report.page.contents import OutcomeEntry
from narlab.report.page.markup import Markup, breakable, data_uri, element, joined
from narlab.report.table_formats import as_csv, as_latex, as_markdown
from narlab.report.table_words import (
    EMPTY,
    cell_of,
    decimals,
    difference_text,
    filled,
    has_runs,
    heading,
    number_text,
    remarks,
)

HEAVY = 250_000  # bytes of an SVG from which the picture is a PNG
DOWNLOADS = (("CSV", "csv", as_csv), ("Markdown", "md", as_markdown), ("LaTeX", "tex", as_latex))


def anchor(entry: OutcomeEntry) -> str:
    """The name of its section."""
    return f"at-{entry.where}"


def section(entry: OutcomeEntry) -> Markup:
    """An experiment with all that it has."""
    outcome = entry.outcome
    title = element("h2", outcome.experiment, " ", element("small", f"budget {outcome.budget}"))
    notes = [element("p", note) for note in outcome.notes]
    drawn = _figures(outcome) if outcome.plots or outcome.drawings else []
    tables = map(_table, outcome.tables, with_all_notes(outcome))
    if not outcome.tables and not drawn:
        notes.append(element("p", "No table and no figure yet."))
    return element("section", title, *notes, *tables, *drawn, id=anchor(entry))


def overview(entries: Sequence[OutcomeEntry]) -> Markup:
    """A line for each experiment: what it has, and how near to the paper it is."""
    names = ("experiment", "budget", "tables", "figures", "entries with a run", "within two std of the paper")
    head = element("tr", *(element("th", name, scope="col") for name in names))
    rows = []
    for entry in entries:
        outcome = entry.outcome
        cells = [cell for table in outcome.tables for cell in table.cells.values()]
        judged = [cell.within for cell in cells if cell.within is not None]
        link = element("a", outcome.experiment, href=f"#{anchor(entry)}")
        figures = len(outcome.plots) + len(outcome.drawings)
        filled = f"{sum(bool(cell.ours) for cell in cells)} of {len(cells)}" if cells else EMPTY
        near = f"{sum(judged)} of {len(judged)}" if judged else EMPTY
        facts = (outcome.budget, str(len(outcome.tables)), str(figures), filled, near)
        rows.append(element("tr", element("th", link, scope="row"), *(element("td", fact) for fact in facts)))
    table = element("table", element("thead", head), element("tbody", *rows))
    return _scrolling(table, "experiments")


def _table(table: Table, to_save: Table) -> Markup:
    """Our number large, the paper's and the difference small below it, so that many columns fit."""
    if not has_runs(table):
        return element("article", element("h3", heading(table)), element("p", "No runs yet."), _downloads(to_save))
    table = filled(table)
    corner = element("td", class_="corner")
    head = element("tr", corner, *(element("th", breakable(name), scope="col") for name in table.columns))
    rows = [
        element(
            "tr", element("th", breakable(row), scope="row"), *(_cell(table, row, column) for column in table.columns)
        )
        for row in table.rows
    ]
    body = element("table", element("thead", head), element("tbody", *rows), class_="scores")
    has_paper = any(cell.paper for cell in table.cells.values())
    reading = ["Below our numbers: the paper's, and the difference."] if has_paper else []
    below = [element("p", text, class_="note") for text in (*reading, *remarks(table))]
    return element("article", element("h3", heading(table)), _scrolling(body, table.title), *below, _downloads(to_save))


def _cell(table: Table, row: str, column: str) -> Markup:
    cell, places = cell_of(table, row, column), decimals(table)
    parts = [element("span", number_text(cell.number, places), class_="ours")]
    if cell.paper is not None:
        label = element("span", "paper ", class_="label")
        parts.append(element("span", label, number_text(cell.paper, places), class_="paper"))
    if cell.difference is not None:
        parts.append(element("span", difference_text(cell, places).replace("-", "−"), class_=_judged(cell)))
    return element("td", *parts)


def _judged(cell: Cell) -> str:
    return "diff" if cell.within is None else "diff near" if cell.within else "diff far"


def _downloads(table: Table) -> Markup:
    links = [
        element("a", name, href=data_uri(form(table).encode(), "text/plain"), download=f"{table.name}.{suffix}")
        for name, suffix, form in DOWNLOADS
    ]
    return element("p", "Save as ", joined(links, " · "), class_="note")


def _figures(outcome: Outcome) -> list[Markup]:
    from narlab.report.pictures import graph_drawings, plots  # here, because matplotlib takes long to load

    figures: list[tuple[Any, str, Callable]] = [(plot, _told(plot), plots.figure) for plot in outcome.plots]
    figures += [(drawing, _panels(drawing), graph_drawings.figure) for drawing in outcome.drawings]
    return [
        _figure(shown.title, told, partial(draw, replace(shown, title="")), shown.notes)
        for shown, told, draw in figures
    ]


def _figure(title: str, told: str, draw: Callable[[], Any], notes: tuple[str, ...]) -> Markup:
    from narlab.report.pictures.figures import DPI, rendered

    content, kind, width = rendered(draw, "svg"), "image/svg+xml", None
    if len(content) > HEAVY:
        content, kind = rendered(draw, "png"), "image/png"
        width = str(int.from_bytes(content[16:20]) * 96 // DPI)  # the size in print, as an SVG has it
    picture = element("img", src=data_uri(content, kind), alt=told, width=width)
    caption = element("figcaption", " ".join(notes)) if notes else ""
    return element("article", element("h3", title), element("figure", picture, caption, class_="picture"))


def _told(plot: Plot) -> str:
    """A plot in words, for those who can't see it."""
    panels = "; ".join(
        f"{title}: {', '.join(series.label for series in group) or 'no runs yet'}"
        for title, group in plot.panels.items()
    )
    return f"{plot.title}: {plot.y_label} against {plot.x_label}. {panels}"


def _panels(drawing: Drawing) -> str:
    told = "; ".join(
        f"{panel.title}: {panel.n} nodes, {len(panel.edges)} edges, {len(panel.marked)} marked"
        for panel in drawing.panels
    )
    return f"{drawing.title}. {told}"


def _scrolling(table: Markup, label: str) -> Markup:
    """A table that scrolls by itself where the page is too narrow, also by keyboard."""
    return element("div", table, class_="scroll", tabindex="0", role="region", aria_label=label)
