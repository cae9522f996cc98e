"""Tables as text, Markdown, LaTeX and CSV."""

import csv
import io
import re

import pytest

from narlab.experiments.declaring.outcome import Cell, Number, Table
from narlab.report.latex import escape
from narlab.report.table_formats import as_csv, as_latex, as_markdown, as_text

NEAR = Cell((90.0, 92.0), Number(90.5, 0.5))
FAR = Cell((80.0, 84.0), Number(90.0, 1.0))
WAITING = Cell((), Number(7.25, 1.5))
TABLE = Table(
    "scores",
    "Test scores",
    ("bfs", "find_maximum_subarray_kadane"),
    ("mpnn_g", "2wl"),
    {("bfs", "mpnn_g"): NEAR, ("bfs", "2wl"): FAR, ("find_maximum_subarray_kadane", "mpnn_g"): WAITING},
    notes=("A note.",),
)
ROWS = tuple(f"algorithm_{k}" for k in range(30))
COLUMNS = tuple(f"processor_{k}" for k in range(8))
WIDE = Table("wide", "Wide", ROWS, COLUMNS, {(row, column): NEAR for row in ROWS for column in COLUMNS})


def without_numbers(**changes):
    return Table(**{"name": "t", "title": "T", "rows": ("a",), "columns": ("b",), "cells": {}, **changes})


def test_text_has_mean_std_paper_difference_and_the_verdict_last():
    assert as_text(TABLE).splitlines() == [
        "Test scores, in %",
        "",
        "                                              mpnn_g                                 2wl",
        "                                        ours         paper    diff            ours         paper    diff",
        "────────────────────────────    ──────────────────────────────────    ──────────────────────────────────",
        "bfs                             91.00 ± 1.00  90.50 ± 0.50  +0.50     82.00 ± 2.00  90.00 ± 1.00  -8.00*",
        "find_maximum_subarray_kadane        –          7.25 ± 1.50      –         –             –             –",
        "",
        "Ours: mean ± standard deviation over 2 seeds; diff: ours minus the paper's mean.",
        "A note.",
        "1 of 2 entries are within two of the paper's standard deviations; * marks the others; "
        "1 more waits for its runs.",
    ]


@pytest.mark.parametrize("form", [as_text, as_markdown, as_latex])
def test_columns_without_runs_are_left_out_and_named(form):
    waiting = {("a", "y"): WAITING, ("a", "x_1"): WAITING}
    some = form(Table("t", "T", ("a",), ("x", "y"), {("a", "x"): NEAR, ("a", "y"): WAITING}))
    assert "no runs yet: y" in some
    assert "7.25" not in some
    none = form(Table("t", "T", ("a",), ("x_1", "y"), waiting))
    assert none.count("7.25") == 2
    assert "no runs yet" not in none


def test_decimal_points_stand_below_each_other():
    cells = {("a", "x"): Cell((5.0, 6.0)), ("b", "x"): Cell((100.0, 80.0)), ("c", "x"): Cell((7.0,))}
    lines = as_text(Table("t", "T", ("a", "b", "c"), ("x",), cells)).splitlines()[4:7]
    assert len({line.index(".") for line in lines}) == 1


def test_a_wide_text_is_folded_and_complete():
    text = as_text(WIDE)
    assert max(map(len, text.splitlines())) <= 120
    assert text.count("91.00 ± 1.00") == 30 * 8
    assert len(re.findall(r"^algorithm_7 ", text, re.MULTILINE)) > 1
    assert max(map(len, as_text(WIDE, width=10_000).splitlines())) > 240
    assert as_text(WIDE, width=1).count("91.00 ± 1.00") == 30 * 8  # narrower than one column: still all of it


@pytest.mark.parametrize(
    ("table", "last"),
    [
        (without_numbers(cells={("a", "b"): WAITING}), "can be compared with the paper yet: 1 waits for its runs."),
        (without_numbers(cells={("a", "b"): Cell((1.0,), Number(1.0))}), "no standard deviations of these numbers"),
        (without_numbers(cells={("a", "b"): Cell((1.0, 2.0))}), "Ours: mean ± standard deviation over 2 seeds."),
        (without_numbers(cells={("a", "b"): Cell((1.0,))}), "1.00"),
        (without_numbers(), "–"),
        (WIDE, "240 of 240 entries are within two of the paper's standard deviations."),
    ],
)
def test_the_last_line_says_what_can_be_said(table, last):
    for form in (as_text, as_markdown):
        assert last in form(table).splitlines()[-1]


def test_counts_have_no_decimals_and_a_tiny_difference_no_sign():
    counts = without_numbers(cells={("a", "b"): Cell((12.0,))}, unit="graphs")
    assert "12" in as_text(counts)
    assert "12.0" not in as_text(counts)
    assert "T, in graphs" in as_text(counts)
    tiny = without_numbers(cells={("a", "b"): Cell((1.0,), Number(1.0001, 1.0))})
    assert "-0.00" not in as_text(tiny)


def test_markdown_tables_are_regular_and_hold_everything():
    lines = as_markdown(WIDE).splitlines()
    parts = [line for line in lines if line.startswith("|")]
    assert sum(line.count("91.00 ± 1.00") for line in parts) == 30 * 8
    heads = [k for k, line in enumerate(lines) if set(line) <= set("|:- ") and line]
    assert len(heads) == 3
    for head in heads:
        assert len({line.count("|") for line in lines[head - 1 : head + 31]}) == 1


def test_markdown_keeps_names_as_they_are():
    text = as_markdown(without_numbers(rows=("a|b", "_x_", "mpnn_g"), cells={("a|b", "b"): FAR}))
    assert r"| a\|b |" in text
    assert r"| \_x\_ |" in text
    assert "| mpnn_g |" in text
    assert r"-8.00\*" in text


def check_latex(text):
    """Environments and braces are balanced, each row has as many cells as its tabular has columns, all is escaped."""
    stack = []
    for kind, name in re.findall(r"\\(begin|end)\{(\w+)\}", text):
        if kind == "begin":
            stack.append(name)
        else:
            assert stack.pop() == name
    assert stack == []
    bare = re.sub(r"\\.", "", text)
    assert bare.count("{") == bare.count("}")
    assert bare.count("$") % 2 == 0
    for form, body in re.findall(r"\\begin\{tabular\}\{(\w+)\}(.*?)\\end\{tabular\}", text, re.DOTALL):
        for row in re.findall(r"^(.*) \\\\$", body, re.MULTILINE):
            spans = sum(int(span) - 1 for span in re.findall(r"\\multicolumn\{(\d+)\}", row))
            assert len(re.split(r"(?<!\\)&", row)) + spans == len(form)
    lines = [line for line in text.splitlines() if not line.startswith((r"\label", "% "))]
    plain = re.sub(r"\$[^$]*\$", "", "\n".join(lines).replace("{!}{%\n", ""))
    assert not re.search(r"(?<!\\)[%#_^~]", plain)


@pytest.mark.parametrize("table", [TABLE, WIDE, without_numbers(), without_numbers(rows=(), columns=())])
def test_latex_is_well_formed(table):
    check_latex(as_latex(table))


@pytest.mark.parametrize("name", ["[2pt] name", "* name"])
def test_latex_takes_no_row_for_the_end_of_the_one_before(name):
    rows = as_latex(without_numbers(rows=(name, name))).splitlines()
    assert not any(row.startswith(("[", "*")) for row in rows)


def test_latex_cannot_be_broken_by_names():
    nasty = r"50 % of $x_1$ & {a} \ ~^ # <b> | ± →"
    text = as_latex(without_numbers(title=nasty, rows=(nasty,), columns=(nasty,), notes=(nasty,)))
    check_latex(text)
    assert text.count(escape(nasty)) == 4
    assert r"50 \% of \$x\_1\$ \& \{a\} \textbackslash{}" in text


def test_latex_has_rules_numbers_and_marks():
    text = as_latex(TABLE)
    for rule in (r"\toprule", r"\midrule", r"\bottomrule", r"\cmidrule(lr){2-4}", r"\cmidrule(lr){5-7}"):
        assert text.count(rule) == 1
    assert r"\textbf{\boldmath$91.00 \pm 1.00$} & $90.50 \pm 0.50$ & $+0.50$" in text
    assert "$-8.00^{*}$" in text
    assert as_latex(WIDE).count(r"\begin{table}") == 4
    assert "part 4 of 4" in as_latex(WIDE)


def test_csv_is_a_line_per_entry():
    first, second, third, last = csv.DictReader(io.StringIO(as_csv(TABLE)))
    assert first == {
        "row": "bfs",
        "column": "mpnn_g",
        "mean": "91",
        "std": "1",
        "seeds": "2",
        "paper_mean": "90.5",
        "paper_std": "0.5",
        "difference": "0.5",
        "within": "1",
        "low": "",
        "high": "",
    }
    assert (second["difference"], second["within"]) == ("-8", "0")
    assert (third["mean"], third["seeds"], third["paper_mean"], third["within"]) == ("", "0", "7.25", "")
    assert set(last.values()) == {"find_maximum_subarray_kadane", "2wl", "", "0"}


def test_a_deviation_is_the_seeds_own():
    """The paper's quickselect is 29.36 ± 41.52: 88.08, 0 and 0."""
    number = Cell((88.08, 0.0, 0.0)).number
    assert f"{number.mean:.2f} ± {number.std:.2f}" == "29.36 ± 41.52"


@pytest.mark.parametrize(
    ("ours", "elements", "within"),
    [(99.85, 2048, True), (99.71, 2048, False), (95.0, 32, True), (99.992, None, True), (99.85, None, False)],
)
def test_equal_seeds_leave_the_interval_of_the_test_set(ours, elements, within):
    assert Cell((ours,), Number(100.0, 0.0), elements).within is within


def test_a_verdict_on_equal_seeds_says_its_rule():
    cell = Cell((99.9,), Number(100.0, 0.0), 2048)
    table = without_numbers(cells={("a", "b"): cell})
    assert "for ± 0.00, within the 95 % interval of a test set of its size" in as_text(table)
    (line,) = csv.DictReader(io.StringIO(as_csv(table)))
    assert (line["within"], round(float(line["low"]), 2), line["high"]) == ("1", 99.81, "100")


def test_latex_has_the_papers_names_and_the_best_in_bold():
    cells = {("mst_prim", "mpnn_g"): Cell((90.0,), Number(91.0, 1.0)), ("mst_prim", "two_wl"): Cell((80.0,))}
    table = Table("scores", "Scores", ("mst_prim",), ("mpnn_g", "two_wl"), cells)
    text = as_latex(table)
    check_latex(text)
    for part in ("Mst Prim", "MPNN-G", "2WL", r"\textbf{\boldmath$90.00$}", "paper"):
        assert part in text
    assert r"\textbf{\boldmath$80.00$}" not in text
    ours = as_latex(table, with_paper=False)
    check_latex(ours)
    assert "91.00" not in ours
    assert "paper" not in ours
