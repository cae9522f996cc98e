"""A run's name, and that of its protocol.

A run's name is made of a canonical form of what differs from the defaults, so that it outlives new settings: one
that a later version adds changes no name as long as it has its default, whatever the order of fields or the form of
run.toml. Names are pinned by tests: what changes one orphans finished runs.
"""

import hashlib
import json
import re
from dataclasses import fields
from functools import lru_cache
from pathlib import Path
from typing import Any

from narlab.common.catalogue import split_options
from narlab.training import recipes
from narlab.training.recipes import MEANT_FOR, OVERRIDES
from narlab.training.run import ResolvedRun, Run

SHOWN = ("algorithm", "dataset", "processor", "position", "recipe", "seed")  # a name's parts, in this order
ALWAYS_SHOWN = ("algorithm", "dataset", "processor", "seed")
UNSAFE = r"[^\w.+=]"  # in the name of a folder on some system, or between parts
FOLLOWING = ("hidden", "depth", *OVERRIDES)  # settings whose default follows from others


def differences(run: Run) -> dict[str, Any]:
    """The settings that are not as they would be without saying so, in plain values by name.

    >>> differences(Run("bfs", processor="two_wl", batch_size=16, steps=2000))
    {'algorithm': 'bfs', 'processor': 'two_wl', 'steps': 2000}
    """
    filled = run.resolved()
    usual = _usual(filled.with_seeds(0, None))
    defaults = {field.name: field.default for field in fields(Run)}
    recipe = recipes.parse(filled.recipe)
    defaults |= {name: getattr(recipe, name) for name in MEANT_FOR}
    expected = {name: getattr(usual, name) if name in FOLLOWING else default for name, default in defaults.items()}
    found = {name: value for name, value in filled.settings().items() if value != expected[name]}
    return {name: _plain(value) for name, value in sorted(found.items())}


@lru_cache(maxsize=1024)  # runs of a sweep differ in their seeds most of all
def _usual(run: ResolvedRun) -> ResolvedRun:
    """The run without a word on what follows from other settings."""
    return Run(**{**run.settings(), **dict.fromkeys(FOLLOWING)}).resolved()


def run_name(run: Run) -> str:
    """A name that people can read and that tells any two different runs apart.

    It shows the algorithm, data set, processor and seed, the recipe where it is not the paper's, the position encoding
    where it is not the recipe's, and a digest of all else that differs.

    >>> run_name(Run("bfs")), run_name(Run("bfs", position="scalar", steps=2000))
    ('bfs-l_clrs-mpnn_g-42', 'bfs-l_clrs-mpnn_g-scalar-42-c11785d1')
    """
    filled, differing = run.resolved(), differences(run)
    shown = {name: str(getattr(filled, name)) for name in SHOWN if name in ALWAYS_SHOWN or name in differing}
    parts = [f"recipe={text}" if name == "recipe" else text for name, text in shown.items()]
    exact = {name for name, text in shown.items() if not re.search(UNSAFE, text)}
    rest = {name: value for name, value in differing.items() if name not in exact}
    digest = [hashlib.sha256(json.dumps(rest, sort_keys=True).encode()).hexdigest()[:8]] if rest else []
    return "-".join([*(re.sub(UNSAFE, "-", part) for part in parts), *digest])


def folder_in(parent: Path, run: Run) -> Path:
    """The folder of a run among others in `parent`: by its name, or by that of the first form if it is there."""
    named = parent / run_name(run)
    if named.exists() or not parent.is_dir():
        return named
    first = first_name(run)
    return parent / first if first is not None and (parent / first).is_dir() else named


def rename(folder: Path, run: Run) -> Path | None:
    """Give a folder whose name is of the first form today's; `None` if its name is another, or taken already."""
    if folder.name != first_name(run):
        return None
    target = folder.with_name(run_name(run))
    return None if target.exists() else folder.rename(target)


def protocol_name(run: Run) -> str:
    """How the run's numbers come about, in a short name: the recipe's and a digest of what `Recipe.protocol` says.

    Numbers of the same protocol can be compared, whatever the model, the algorithm and the seed: data, depth, what
    models are chosen on, and the metric were the same.

    >>> protocol_name(Run("bfs")) == protocol_name(Run("dfs", processor="two_wl", seed=1, steps=5))
    True
    """
    filled = run.resolved()
    facts = filled.training_recipe().protocol(filled)
    digest = hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()[:6]
    return f"{split_options(filled.recipe)[0]}-{digest}"


def _plain(value: Any) -> Any:
    """The same value in JSON's types, as any machine and any caller would write it."""
    if isinstance(value, bool | str):
        return value
    if isinstance(value, tuple | list):
        return [_plain(part) for part in value]
    number = float(value)
    return int(number) if number.is_integer() else number


FIRST_FIELDS = (
    "algorithm", "dataset", "processor", "position", "hints", "hint_names", "quantiser", "hidden", "depth", "steps",
    "batch_size", "learning_rate", "clip", "seed", "validate_every", "test_every", "samples", "n", "test_n", "graphs",
    "bfloat16",
)  # fmt: skip
"""What a run of version 0.1 had, in its order."""


def first_name(run: Run) -> str | None:
    """The name of a run's folder in a sweep of version 0.1: it has a digest of the text of all settings.

    `None` for a run with a setting that version did not have.
    """
    if not differences(run).keys() <= set(FIRST_FIELDS):
        return None
    filled = run.resolved()
    given = {name: getattr(filled, name) for name in FIRST_FIELDS}
    lines = ["# A run of narlab. `narlab train --config FILE` trains it."]
    lines += [
        f"{name} = {_first_text(value)}" for name, value in given.items() if not (value is None or value is False)
    ]
    digest = hashlib.sha256(("\n".join(lines) + "\n").encode()).hexdigest()[:8]
    parts = (filled.algorithm, filled.dataset, filled.processor.replace(":", "-"), filled.position, str(filled.seed))
    return "-".join((*parts, digest))


def _first_text(value: Any) -> str:
    if isinstance(value, tuple):
        return "[" + ", ".join(map(_first_text, value)) + "]"
    return f'"{value}"' if isinstance(value, str) else str(value).lower() if isinstance(value, bool) else str(value)
