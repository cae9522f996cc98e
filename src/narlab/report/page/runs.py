"""The runs of a page: a line each, which opens to curves, scores and config."""

import json
import zlib
from itertools import groupby

from narlab.common import duration
from narlab.report.page import evaluations
from narlab.report.page.contents import RunEntry
from narlab.report.page.curves import Curve, chart, thinned
from narlab.report.page.markup import Markup, breakable, element, often
from narlab.report.table_words import EMPTY

COLUMNS = ("algorithm", "data set", "processor", "position", "seed", "step", "val", "test", "state")
SCORES = (
    ("val", "validation", "val-line", False),
    ("val_graph", "validation, graphs", "val-line dashed", False),
    ("test", "test", "test-line", True),
    ("test_graph", "test, graphs", "test-line dashed", True),
)


READING = (
    "A line is a run; it opens to curves, scores and settings, and its folder's name links to it. val and test are the "
    "chosen model's scores on validation and test data in percent: the share of right elements, of marks F1; at graph "
    "level, the share of graphs in which all elements are right. Of a run that is not done, they are the best "
    "validation and the latest test so far. In charts, a dot is a test, dashes are graph level, and the dotted upright "
    "line is the step at which the model was chosen."
)
OVERLAID = ("val", "test", "loss")
OVERLAY_POINTS = 50


def section(runs: tuple[RunEntry, ...]) -> Markup:
    """All runs, in the groups that their folders make, with a box to search them and a chart of those one chooses."""
    parts = [element("h2", "Runs"), element("p", READING, class_="note"), _search(len(runs)), _overlay()]
    for group, entries in groupby(runs, key=lambda entry: entry.group):
        head = element("div", *(element("span", name) for name in COLUMNS), class_="head", aria_hidden="true")
        title = [element("h3", group)] if group else []
        parts.append(element("div", *title, head, *map(_run, entries), class_="group"))
    return element("section", *parts, id="runs")


def _search(count: int) -> Markup:
    """Hidden until the script that it needs is there."""
    words = element("input", type="search", id="search", placeholder="bfs mpnn_g 42 done", autocomplete="off")
    choices = ("folder", "test", "val", "algorithm")
    order = element("select", *(element("option", name, value=name) for name in choices), id="order")
    return element(
        "form",
        element("label", "Find runs ", words),
        element("label", "Order ", order),
        element("output", f"{count} runs", id="count", for_="search"),
        id="find",
        hidden=True,
    )


def _overlay() -> Markup:
    """Where the script draws the curves of chosen runs; hidden until there is one."""
    choices = (("val", "validation, %"), ("test", "test, %"), ("loss", "training loss"))
    options = [element("option", text, value=name) for name, text in choices]
    which = element("label", "Chosen runs: ", element("select", *options, id="overlaid"))
    return element("div", which, element("div", id="overlay-chart"), id="overlay", hidden=True)


def anchor(entry: RunEntry) -> str:
    """What a link to the run ends in."""
    return f"run-{zlib.crc32(entry.where.encode()):08x}"


def _points(entry: RunEntry) -> str:
    """The run's curves in few points, for the chart of chosen runs."""
    curves = {}
    for name in OVERLAID:
        points = thinned(entry.curve(name), OVERLAY_POINTS)
        curves[name] = [[x, float(f"{y if name == 'loss' else 100 * y:.4g}")] for x, y in points]
    return json.dumps(curves, separators=(",", ":"))


def _run(entry: RunEntry) -> Markup:
    run, state = entry.run, entry.state
    model = (run.algorithm, *(name or EMPTY for name in (run.dataset, run.processor, run.position)))
    texts = (
        *model,
        str(run.seed),
        f"{entry.step}/{entry.steps}",
        _percent(entry.score("val")),
        _percent(entry.score("test")),
        state,
    )
    cells = [
        element("span", often("span", f"{name} ", class_="label"), breakable(text), class_=f"c{k}")
        for k, (name, text) in enumerate(zip(COLUMNS, texts, strict=True))
    ]
    body = element("div", _charts(entry), _facts(entry), class_="body")
    sorted_by = {f"data_{name}": f"{entry.score(name) or 0:.6f}" for name in ("val", "test")}
    return element(
        "details",
        element("summary", *cells, element("small", breakable(entry.where), class_="folder")),
        _name(entry),
        body,
        evaluations.table(entry.evaluations),
        class_=f"run {state.replace(' ', '-')}",
        id=anchor(entry),
        data_name=entry.name,
        data_algorithm=run.algorithm,
        data_curves=_points(entry),
        **sorted_by,
    )


def _name(entry: RunEntry) -> Markup:
    """The folder, with a link to the run and a box that puts its curves into the chart of chosen runs."""
    link = element("a", element("code", entry.where), href=f"#{anchor(entry)}", title="Link to this run")
    box = often("label", often("input", type="checkbox", class_="choose"), " overlay its curves", class_="needs-script")
    return element("p", link, " ", box, class_="name")


def _charts(entry: RunEntry) -> Markup:
    last = max(entry.steps, entry.step, 1)
    chosen = None if entry.result is None else entry.result.get("step")
    curves = [
        Curve(label, [(x, 100 * y) for x, y in entry.curve(name)], look, dots) for name, label, look, dots in SCORES
    ]
    scores = chart("Scores, %", curves, last=last, chosen=chosen, most=100)
    loss = chart(
        "Training loss", [Curve("mean since the evaluation before", entry.curve("loss"), "loss-line")], last=last
    )
    if not scores and not loss:
        return element("p", "No evaluation yet.", class_="note")
    return element("div", scores, loss, class_="charts")


def _facts(entry: RunEntry) -> Markup:
    which = "Scores of the chosen model" if entry.result is not None else "Best validation and latest test so far"
    head = often("tr", often("td"), *(often("th", name, scope="col") for name in ("node level", "graph level")))
    rows = [
        element(
            "tr",
            often("th", label, scope="row"),
            *(element("td", _percent(entry.score(name))) for name in (split, f"{split}_graph")),
        )
        for split, label in (("val", "validation"), ("test", "test"))
    ]
    scores = element("table", often("caption", which), often("thead", head), element("tbody", *rows))
    return element("div", scores, _config(entry), class_="facts")


def _config(entry: RunEntry) -> Markup:
    settings = {name: value for name, value in entry.run.settings().items() if value is not None}
    if entry.result is not None and "step" in entry.result:
        settings["chosen at step"] = entry.result["step"]
    if entry.seconds:
        settings["time"] = duration(entry.seconds)
    if entry.sessions:
        last = entry.sessions[-1]
        settings["trained by"] = ", ".join(f"{name} {last[name]}" for name in ("narlab", "torch") if last.get(name))
        settings["trained on"] = ", ".join(str(last[name]) for name in ("cpu", "device") if last.get(name))
        settings["trained at"] = str(last.get("began", ""))
    rows = [often("tr", often("th", name, scope="row"), often("td", _setting(v))) for name, v in settings.items()]
    return element("table", often("caption", "Config"), element("tbody", *rows))


def _setting(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, tuple | list) else str(value)


def _percent(score: float | None) -> str:
    return EMPTY if score is None else f"{100 * score:.2f}"
