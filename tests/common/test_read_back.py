"""Whatever is written can be read back, and whatever text an option has is taken or refused in one line."""

import json
import math
import re
from contextlib import suppress
from dataclasses import replace

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some

from narlab.common import csv_cell, printable
from narlab.common.catalogue import split_options
from narlab.common.errors import Plain, UsageError, brief, check_integer
from narlab.common.files import read_json, write_whole
from narlab.data import graphs
from narlab.evaluation.measurement import from_json, json_bytes
from narlab.models import depth
from narlab.report.latex import escape
from narlab.report.page.markup import element
from narlab.report.table_formats import markdown_text
from narlab.training import Run, recipes
from narlab.training.folder import Folder

quick = settings(
    max_examples=20, database=None, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
NAMES = some.text(some.characters(categories=["L", "N", "P", "S"]), min_size=1, max_size=40)
NUMBERS = some.integers(-(2**63) + 1, 2**63 - 1) | some.floats(allow_nan=False)
VALUES = some.recursive(
    some.none() | some.booleans() | NUMBERS | some.text(max_size=20),
    lambda inner: some.lists(inner, max_size=3) | some.dictionaries(some.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@quick
@given(algorithm=NAMES, graphs=NAMES, hint_names=some.lists(NAMES, max_size=3), seed=some.integers(0, 2**32 - 1))
def test_runs(tmp_path, algorithm, graphs, hint_names, seed):
    run = Run(algorithm, graphs=graphs, hint_names=tuple(hint_names), seed=seed, learning_rate=1 / (seed + 1))
    (tmp_path / "run.toml").write_text(run.to_toml(), encoding="utf-8")
    assert Run.from_toml(tmp_path / "run.toml") == run


@quick
@given(text=some.text(max_size=30))
def test_any_text_of_a_run_is_read_back_or_refused(tmp_path, text):
    try:
        written = Run(text).to_toml().encode()
    except UnicodeEncodeError:  # half a character
        return
    (tmp_path / "run.toml").write_bytes(written)
    if text.isprintable():
        assert Run.from_toml(tmp_path / "run.toml").algorithm == text
    else:
        with pytest.raises(UsageError, match="without control characters"):
            Run.from_toml(tmp_path / "run.toml")


@quick
@given(value=VALUES)
def test_json(tmp_path, value):
    write_whole(tmp_path / "x.json", json.dumps(value).encode())
    assert read_json(tmp_path / "x.json", Plain()) == value
    assert brief(value).isprintable()


@quick
@given(values=some.dictionaries(some.text(max_size=5), some.floats(), max_size=4))
def test_numbers_that_json_has_not(values):
    found = from_json(json_bytes(values))
    assert found.keys() == values.keys()
    assert all(found[name] == value or math.isnan(value) for name, value in values.items())


@quick
@given(
    values=some.lists(some.floats(width=32, allow_nan=False, allow_infinity=False), max_size=20),
    step=some.integers(0, 99),
)
def test_tensors(tmp_path, values, step):
    tensors = {"w": torch.tensor(values), "n": torch.tensor(step)}
    Folder(tmp_path).write_tensors("best.safetensors", tensors, {"step": step, "val": 0.5})
    found, facts = Folder(tmp_path).weights()
    assert all(torch.equal(found[name], tensor) for name, tensor in tensors.items())
    assert facts == {"step": step, "val": 0.5}


@quick
@given(lines=some.lists(some.tuples(some.integers(0, 2**63 - 1), some.floats(0, 1)), max_size=5))
def test_metrics(tmp_path, lines):
    folder = Folder(tmp_path)
    (tmp_path / "metrics.jsonl").unlink(missing_ok=True)
    written = [{"step": step, "val": val, "val_gap": math.inf} for step, val in lines]
    for line in written:
        folder.append_metrics(line)
    assert folder.metrics() == written


@quick
@given(rule=some.sampled_from(["n", "log2(n)"]), factor=some.integers(1, 99), divisor=some.integers(1, 99))
def test_depths(rule, factor, divisor):
    found = depth.parse(f"{factor}*{rule}/{divisor}")
    assert depth.parse(found.setting) == found


@quick
@given(warm_up=some.integers(0, 10**6), averaging=some.none() | some.floats(0, 0.999))
def test_recipes(warm_up, averaging):
    recipe = replace(recipes.get("paper"), warm_up=warm_up, averaging=averaging)
    assert recipes.parse(recipes.describe(recipe)) == recipe


READERS = {
    "depth": depth.parse,
    "graphs": graphs.parse,
    "lists of graphs": graphs.parse_list,
    "recipe": recipes.parse,
    "options": split_options,
    "count": lambda text: check_integer("count", text, 0),
}


@pytest.mark.parametrize("option", READERS)
@quick
@given(text=some.text(max_size=30) | some.from_regex(r"(er|ws|regular|paper|n|2):?([a-z_]{1,6}=[-0-9.e]{0,6},?){0,3}"))
def test_texts_of_options(option, text):
    with suppress(UsageError):
        READERS[option](text)


@quick
@given(text=some.text(max_size=30))
def test_output_means_only_itself(text):
    assert printable(text).isprintable() or not printable(text)
    assert "<" not in element("p", text)[3:-4]
    assert "|" not in markdown_text(text).replace(r"\|", "")
    assert not re.search(r"(?<!\\)[$&#_%]", escape(text))
    cell = csv_cell(text)
    assert not cell.startswith(("=", "@", "\t", "\r"))
