"""One HTML file with all that a folder holds; it opens without a network, in light and dark, on any width."""

import platform
import time
from pathlib import Path

from narlab import __version__
from narlab.common import counted, duration
from narlab.common.files import check_target, write_whole
from narlab.common.machine import cores
from narlab.report.page import outcomes, runs
from narlab.report.page.contents import Contents, gather
from narlab.report.page.markup import Markup, element
from narlab.report.page.script import SCRIPT
from narlab.report.page.style import STYLE
from narlab.training.environment import cpu_model

SUFFIXES = (".html", ".htm")
POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'unsafe-inline'; base-uri 'none'"


def write_page(folder: str | Path, path: str | Path) -> Path:
    """Write the report of a sweep's folder, of a folder of runs, or of one run's; the file is whole or not at all."""
    target = check_target(path, SUFFIXES)
    return write_whole(target, page(gather(Path(folder))).encode())


def page(contents: Contents) -> str:
    """The whole file."""
    title = f"{contents.title}: narlab report"
    head = element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", http_equiv="Content-Security-Policy", content=POLICY),
        element("title", title),
        element("style", Markup(STYLE)),
    )
    parts = [_overview(contents), *map(outcomes.section, contents.outcomes)]
    if contents.runs:
        parts.append(runs.section(contents.runs))
    body = element("body", _header(contents), _navigation(contents), element("main", *parts), _script())
    return "<!DOCTYPE html>\n" + element("html", head, "\n", body, lang="en") + "\n"


def _script() -> Markup:
    return element("script", Markup(SCRIPT))


def _header(contents: Contents) -> Markup:
    lines = [element("p", text, class_="lead") for text in (_summary(contents), _written())]
    return element("header", element("h1", contents.title), *lines)


def _written() -> str:
    """By what, where and when."""
    machine = f"{cpu_model()}, {counted(cores(), 'core')}, {platform.system()}, Python {platform.python_version()}"
    return f"Written by narlab {__version__} on {time.strftime('%Y-%m-%d')}, on this machine: {machine}."


def _summary(contents: Contents) -> str:
    shown = [entry.outcome for entry in contents.outcomes]
    tables = sum(len(outcome.tables) for outcome in shown)
    figures = sum(len(outcome.plots) + len(outcome.drawings) for outcome in shown)
    done = sum(entry.state == "done" for entry in contents.runs)
    counts = [
        (len(contents.outcomes), "experiment"),
        (tables, "table"),
        (figures, "figure"),
        (len(contents.runs), "run"),
    ]
    parts = [f"{count} {noun if count == 1 else noun + 's'}" for count, noun in counts if count]
    seconds = sum(entry.seconds for entry in contents.runs)
    spent = f" ({done} done), {duration(seconds)} of training" if contents.runs else ""
    return f"A report of narlab: {', '.join(parts)}{spent}."


def _navigation(contents: Contents) -> Markup:
    several = len({entry.outcome.budget for entry in contents.outcomes}) > 1
    links = [element("a", "Overview", href="#overview")]
    for entry in contents.outcomes:
        budget = [" ", element("small", entry.outcome.budget)] if several else []
        links.append(element("a", entry.outcome.experiment, *budget, href=f"#{outcomes.anchor(entry)}"))
    if contents.runs:
        links.append(element("a", "Runs", href="#runs"))
    items = [element("li", link) for link in links]
    return element("nav", element("ul", *items), aria_label="Sections")


def _overview(contents: Contents) -> Markup:
    parts = [element("h2", "Overview")]
    if contents.complaints:
        lines = [element("li", complaint) for complaint in contents.complaints]
        parts.append(
            element("div", element("p", "Not everything could be read:"), element("ul", *lines), class_="complaints")
        )
    if contents.outcomes:
        parts.append(outcomes.overview(contents.outcomes))
    else:
        parts.append(element("p", "These are runs; tables and figures come from narlab reproduce."))
    return element("section", *parts, id="overview")
