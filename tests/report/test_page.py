"""The page: one HTML file that needs nothing else, with all that a folder holds."""

import json
import math
import re
import shutil
from dataclasses import replace
from html.parser import HTMLParser
from itertools import pairwise

import pytest

from narlab import training
from narlab.experiments.declaring import layout
from narlab.experiments.declaring.outcome import Cell, Drawing, GraphPanel, Number, Outcome, Plot, Series, Table
from narlab.experiments.sweeping.jobs import Job
from narlab.report import outcome as outcomes
from narlab.report.page import write_page
from narlab.report.page.markup import Markup, element, often
from narlab.report.table_words import EMPTY
from narlab.training import Run

pytestmark = pytest.mark.xdist_group("page of a folder")  # so that what they share is made once
VOID = {"meta", "img", "input", "br", "wbr"}
TABLE = Table(
    "scores",
    "Test scores",
    ("bfs", "dfs"),
    ("mpnn_g", "gat"),
    {("bfs", "mpnn_g"): Cell((98.0, 99.0), Number(98.6, 0.1)), ("dfs", "gat"): Cell((20.0,), Number(30.0, 1.0))},
)
PLOT = Plot("curves", "Curves", "x", "y", {"first": (Series("ID", (0.0, 1.0), (1.0, 2.0)),)}, notes=("Seen.",))
DRAWING = Drawing("graphs", "Graphs", (GraphPanel("ring", 3, ((0, 1), (1, 2)), layout="ring"),))
OUTCOME = Outcome("main", "short", (TABLE,), (PLOT,), (DRAWING,), ("One seed.",))


class Page(HTMLParser):
    """A page taken apart; it fails where elements aren't closed in order."""

    def __init__(self, content):
        super().__init__(convert_charrefs=True)
        self.elements, self.open, self.text = [], [], []
        self.feed(content)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        names = [name for name, _ in attrs]
        assert len(names) == len(set(names)), (tag, names)
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] not in ("style", "script"):
            self.text.append(data)

    def all(self, tag):
        return [attrs for name, attrs in self.elements if name == tag]

    def classes(self, tag, name):
        return [attrs for attrs in self.all(tag) if name in (attrs.get("class") or "").split()]


def read(path):
    return Page(path.read_text())


def wave(k):
    """A score that is never at rest."""
    return 0.8 + 0.1 * math.sin(37.0 * k)


def make_run(folder, *, evaluations=5, done=True, **settings):
    """A run's folder as training leaves it, without the training."""
    run = Run(**{"algorithm": "bfs", "steps": 100 * max(evaluations, 1), **settings}).resolved()
    folder.mkdir(parents=True)
    (folder / "run.toml").write_text(run.to_toml())
    lines = [
        {
            "step": 100 * k,
            "loss": 0.02 + math.exp(-k / 40),
            "val": wave(k),
            "val_graph": wave(k) / 2,
            "seconds": 2.0 * k,
        }
        | ({"test": 0.7, "test_graph": 0.2} if k % 10 == 0 or k == evaluations else {})
        for k in range(1, evaluations + 1)
    ]
    (folder / "metrics.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    if done:
        result = {"step": 100, "val": 0.912, "val_graph": 0.5, "test": 0.7345, "test_graph": 0.2, "seconds": 9.0}
        (folder / "result.json").write_text(json.dumps(result))
    return folder


def make_sweep(root):
    """A sweep's folder with an outcome and three runs."""
    outcomes.write(OUTCOME, layout.outcome_folder(root, "short", "main"))
    make_run(Job.of(root, "short", Run("bfs")).folder)
    make_run(Job.of(root, "short", Run("dfs")).folder, algorithm="dfs", done=False)
    make_run(Job.of(root, "paper", Run("bfs", seed=43)).folder, seed=43, evaluations=0, done=False)
    return root


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    return make_sweep(tmp_path_factory.mktemp("sweep") / "results")


@pytest.fixture
def sweep(made, tmp_path):
    """A sweep's folder to change at will."""
    return shutil.copytree(made, tmp_path / "results")


@pytest.fixture(scope="module")
def content(made, tmp_path_factory):
    """The page of a sweep."""
    return write_page(made, tmp_path_factory.mktemp("page") / "report.html").read_text()


def test_it_holds_every_table_figure_and_run(content):
    page = Page(content)
    text = " ".join(" ".join(page.text).split())
    assert "1 experiment, 1 table, 2 figures, 3 runs (1 done)" in text
    for part in (
        "Test scores, in %",
        "98.50 ± 0.50",
        "98.60 ± 0.10",
        "−0.10",
        "−10.00*",
        "One seed.",
        "73.45",
        "No evaluation yet.",
    ):
        assert part in text
    assert "1 of 2 entries are within two of the paper's standard deviations; * marks the others." in text
    alts = [attrs["alt"] for attrs in page.all("img")]
    assert alts == ["Curves: y against x. first: ID", "Graphs. ring: 3 nodes, 2 edges, 0 marked"]
    assert len(page.classes("details", "run")) == 3
    states = [attrs["class"].split(" ", 1)[1] for attrs in page.classes("details", "run")]
    assert sorted(states) == ["done", "not-begun", "unfinished"]


@pytest.mark.page
def test_it_fits_a_phone(browser, tmp_path):
    """Nothing but tables is wider than the screen, and those scroll by themselves; curves leave room for the page."""
    columns = tuple(f"processor_{k}" for k in range(9))
    wide = replace(TABLE, columns=columns, cells={("bfs", name): Cell((98.0,), Number(98.6, 0.1)) for name in columns})
    outcomes.write(replace(OUTCOME, tables=(wide,)), layout.outcome_folder(tmp_path, "short", "main"))
    for seed in range(30):
        make_run(Job.of(tmp_path, "short", Run("strongly_connected_components", seed=seed)).folder, seed=seed)
    phone = browser.new_context(viewport={"width": 400, "height": 800}, is_mobile=True)
    page = phone.new_page()
    page.goto(write_page(tmp_path, tmp_path / "report.html").as_uri())
    page.evaluate("document.querySelectorAll('details').forEach(run => { run.open = true })")
    page.evaluate("document.querySelectorAll('.choose').forEach(box => box.click())")
    assert page.evaluate("document.documentElement.scrollWidth") == 400
    assert page.evaluate("document.querySelector('.scores').offsetWidth") > 400
    assert page.evaluate("document.querySelector('.picture img').offsetWidth") <= 400
    assert page.locator("#overlay").bounding_box()["height"] <= 400
    number = page.locator("#overlay text").first.bounding_box()
    assert number["height"] >= 9
    assert number["x"] >= page.locator("#overlay svg").bounding_box()["x"]
    phone.close()


def test_a_table_without_runs_takes_no_room(tmp_path):
    waiting = replace(TABLE, title="Later", cells={("bfs", "gat"): Cell((), Number(33.25, 1.0))})
    outcomes.write(replace(OUTCOME, tables=(waiting,)), tmp_path / "short" / "main")
    page = read(write_page(tmp_path, tmp_path / "report.html"))
    text = " ".join(" ".join(page.text).split())
    assert "Later, in % No runs yet. Save as CSV · Markdown · LaTeX" in text
    assert "33.25" not in text


def test_it_needs_nothing_from_elsewhere(content):
    page = Page(content)
    for tag, attrs in page.elements:
        assert tag not in ("link", "iframe", "object", "embed", "base")
        for name in ("src", "href", "srcset", "action", "data", "xlink:href"):
            assert (attrs.get(name) or "#").startswith(("#", "data:")), (tag, attrs)
        assert not any(name.startswith("on") for name in attrs)
    assert "src" not in page.all("script")[0]
    assert not re.search(r"@import|url\(|https?://", content)
    (policy,) = [attrs["content"] for attrs in page.all("meta") if attrs.get("http-equiv")]
    assert "default-src 'none'" in policy


def test_it_is_accessible(content):
    page = Page(content)
    assert page.all("html") == [{"lang": "en"}]
    assert len(page.all("h1")) == len(page.all("main")) == len(page.all("title")) == 1
    levels = [int(tag[1]) for tag, _ in page.elements if re.fullmatch(r"h\d", tag)]
    assert all(later <= earlier + 1 for earlier, later in pairwise(levels))
    assert all(attrs.get("scope") in ("row", "col") for attrs in page.all("th"))
    assert all(attrs.get("alt") for attrs in page.all("img"))
    assert all(attrs.get("aria-label") or attrs.get("aria-hidden") for attrs in page.all("svg"))
    ids = [attrs["id"] for _, attrs in page.elements if "id" in attrs]
    assert len(ids) == len(set(ids))
    targets = {attrs["href"][1:] for attrs in page.all("a") if attrs["href"].startswith("#")}
    assert targets <= set(ids)
    assert len(targets) == 6  # the sections, and each run


def test_it_follows_light_and_dark_and_narrow_screens(content):
    assert "prefers-color-scheme: dark" in content
    assert "max-width: 52rem" in content
    assert 'name="viewport"' in content


NASTY = "<img src=x onerror=alert(1)> & \"'</script><script>alert(2)</script>"


def test_nothing_in_a_file_can_break_out(tmp_path):
    table = Table("t", NASTY, (NASTY,), (NASTY,), {(NASTY, NASTY): Cell((1.0,), Number(1.0, 1.0))}, NASTY, (NASTY,))
    plot = Plot("p", NASTY, NASTY, NASTY, {NASTY: (Series(NASTY, (0.0, 1.0), (0.0, 1.0)),)}, notes=(NASTY,))
    outcomes.write(Outcome(NASTY, NASTY, (table,), (plot,), notes=(NASTY,)), tmp_path / "x")
    folder = make_run(tmp_path / NASTY.replace("/", ""))
    (folder / "run.toml").write_text('algorithm = "<script>alert(3)</script>"\nseed = 7\ndataset = "\\"><b>"\n')
    broken = tmp_path / "<b>broken"
    broken.mkdir()
    (broken / "run.toml").write_text("<script>alert(4)</script> = 1")
    page = read(write_page(tmp_path, tmp_path / "report.html"))
    assert len(page.all("script")) == 1
    assert len(page.all("img")) == 1
    assert "onerror" not in page.all("img")[0]
    assert {attrs.get("class") for attrs in page.all("b")} == {None}
    assert len(page.all("b")) == 2  # the titles of the run's charts
    assert NASTY in "".join(page.text)
    assert "<b>broken" in "".join(page.text)


def test_what_cannot_be_read_is_told_and_the_rest_is_shown(sweep):
    (sweep / "short" / "main" / "outcome.json").write_text("{")
    runs = sorted((sweep / "short" / "runs").iterdir())
    (runs[0] / "result.json").write_text("[1]")
    (runs[1] / "metrics.jsonl").write_text('{"step": 100, "val": "high", "loss": NaN}\n7\n{"ste')
    page = read(write_page(sweep, sweep / "report.html"))
    text = "".join(page.text)
    assert "Not everything could be read" in text
    assert "short/main: " in text
    assert f"short/runs/{runs[0].name}: " in text
    assert f"short/runs/{runs[1].name}: " in text
    assert len(page.classes("details", "run")) == 1


def test_unfinished_work_in_hidden_folders_is_left_out(sweep):
    make_run(sweep / "short" / ".incoming" / "bfs")
    assert len(read(write_page(sweep, sweep / "report.html")).classes("details", "run")) == 3


def test_folders_of_runs_and_single_runs_have_pages(tmp_path):
    one = make_run(tmp_path / "runs" / "one")
    make_run(tmp_path / "runs" / "two", seed=43)
    assert len(read(write_page(tmp_path / "runs", tmp_path / "a.html")).classes("details", "run")) == 2
    page = read(write_page(one, tmp_path / "b.html"))
    assert [attrs["data-name"] for attrs in page.classes("details", "run")] == ["one"]
    assert "one" in "".join(page.text)


def test_a_trained_run_is_shown_with_its_numbers(tmp_path):
    run = Run("bfs", dataset="custom", n=6, hidden=8, depth=3, steps=4, validate_every=1, test_every=2, samples=50)
    result = training.train(run, tmp_path / "run", threads=1)
    page = read(write_page(tmp_path, tmp_path / "a.html"))
    text = " ".join(page.text)
    for score in (result.val, result.val_graph, result.test, result.test_graph):
        assert f"{100 * score:.2f}" in text
    lines = {attrs["class"]: attrs["points"].split() for attrs in page.all("polyline")}
    assert set(lines) == {"val-line", "val-line dashed", "test-line", "test-line dashed", "loss-line"}
    for points in lines.values():
        assert points[-1].startswith("360,")  # the last step
    assert len(lines["test-line"]) == 2
    dots = [attrs["d"].count("M") for attrs in page.classes("path", "dots")]
    assert sorted(dots) == [1, 1, 2, 2]  # two in the legend, two with the tests of steps 2 and 4
    assert "validate_every" in text


def test_two_hundred_runs_stay_light(tmp_path):
    for k in range(200):
        make_run(tmp_path / "runs" / f"run-{k}", evaluations=200, seed=k)
    path = write_page(tmp_path, tmp_path / "report.html")
    assert path.stat().st_size < 2_500_000
    assert len(read(path).classes("details", "run")) == 200


def test_the_bytes_are_the_same_each_time(sweep, tmp_path):
    first, second = (write_page(sweep, tmp_path / f"{k}.html").read_bytes() for k in range(2))
    assert first == second


@pytest.mark.parametrize(
    ("folder", "out", "message"),
    [
        ("none", "a.html", "there is no folder '.*none'; runs are made by narlab train"),
        ("empty", "a.html", "no runs below '.*empty'"),
        ("results", "a.pdf", "its name must end in .html or .htm"),
        ("results", "empty", "its name must end in"),
    ],
)
def test_mistakes_are_told(sweep, tmp_path, folder, out, message):
    (tmp_path / "empty").mkdir()
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(ValueError, match=message):
        write_page(tmp_path / folder, tmp_path / out)
    assert sorted(tmp_path.rglob("*")) == before


def test_an_element_that_is_made_once_tells_markup_from_text():
    assert often("td", Markup("<b>x</b>")) == "<td><b>x</b></td>"
    assert often("td", "<b>x</b>") == "<td>&lt;b&gt;x&lt;/b&gt;</td>"


def test_markup_is_escaped_unless_it_is_markup():
    assert element("p", "a<b", element("i", "&"), class_='"x"') == '<p class="&quot;x&quot;">a&lt;b<i>&amp;</i></p>'
    assert element("p", Markup("<br>")) == "<p><br></p>"
    assert element("input", hidden=True, value=None) == "<input hidden>"


def test_evaluations_of_a_run_are_shown(tmp_path):
    folder = make_run(tmp_path / "runs" / "bfs")
    facts = {"score": {"is_share": True}, "gap": {"is_share": False}}
    numbers = {"score": 0.5, "score_low": 0.4, "score_high": 0.625, "gap": "inf", "gap_low": 0.25, "gap_high": "inf"}
    record = {"data": "custom", "n": 64, "graphs": None, "count": 7, "metrics": facts, **numbers}
    (folder / "evaluations").mkdir()
    for name, date in (("a", "2026-11-15"), ("b", "2026-11-16")):
        content = {**record, "date": date, "description": {}, "n": {"a": 16, "b": 64}[name]}
        (folder / "evaluations" / f"{name}.json").write_text(json.dumps(content))
    (folder / "evaluations" / "broken.json").write_text("{")
    page = read(write_page(tmp_path / "runs", tmp_path / "a.html"))
    assert len(page.classes("div", "evaluations")) == 1
    cells = [text for text in page.text if text.strip()]
    start = cells.index("Evaluations of the chosen model, with 95 % intervals")
    assert cells[start + 1 : start + 7] == ["data", "n", "graphs", "count", "score %", "gap"]
    row = ["custom", "16", EMPTY, "7", "50.00 [40.00, 62.50]", "inf [0.25, inf]"]
    assert cells[start + 7 : start + 13] == row
    assert cells[start + 14] == "64"
    assert "can't be read and is left out" in " ".join(cells)


def test_runs_have_links_folders_and_curves_to_overlay(sweep):
    page = read(write_page(sweep, sweep / "report.html"))
    text = "".join(page.text)
    runs = page.classes("details", "run")
    assert len({attrs["id"] for attrs in runs}) == 3
    assert f"short/runs/{next((sweep / 'short/runs').iterdir()).name}" in text
    for attrs in runs:
        assert attrs["data-name"] in text
        assert json.loads(attrs["data-curves"]).keys() == {"val", "test", "loss"}
    assert len([attrs for attrs in page.all("input") if attrs.get("type") == "checkbox"]) == 3
    assert "val and test are the chosen model's scores" in text


def test_it_says_by_what_where_and_when_it_was_written(sweep):
    text = "".join(read(write_page(sweep, sweep / "report.html")).text)
    assert re.search(r"Written by narlab \d+\.\d+\.\d+ on \d{4}-\d{2}-\d{2}, on this machine: .*cores?, ", text)
