"""A sweep of one's own: a TOML file of a run's settings, in which a list stands for several runs.

    algorithm = ["bfs", "dfs"]
    processor = ["mpnn_g", "two_wl"]
    steps = 1000
    seed = [1, 2, 3]

is 12 runs. Of settings that are lists themselves, `metrics`, `hint_names` and `pair_features`, a list of lists stands
for several.
"""

from dataclasses import fields
from itertools import product
from math import prod
from pathlib import Path
from typing import Any

from narlab.common.errors import UsageError, brief, unknown
from narlab.common.files import read_toml
from narlab.training import ResolvedRun, Run
from narlab.training.run import check_kinds

MOST_RUNS = 10_000
LISTS = ("metrics", "hint_names", "pair_features")


def read(path: Path) -> list[ResolvedRun]:
    """The runs of a file, each once, in the order of its lists; the last list changes fastest."""
    values = read_toml(path)
    known = [field.name for field in fields(Run)]
    for name in values:
        if name not in known:
            raise unknown(f"setting of a run in {str(path)!r}", name, known)
    if "algorithm" not in values:
        raise UsageError(f'{str(path)!r} names no algorithm; add one, such as algorithm = ["bfs", "dfs"]')
    choices = {name: _choices(path, name, value) for name, value in values.items()}
    count = prod(map(len, choices.values()))
    if count > MOST_RUNS:
        raise UsageError(f"{str(path)!r} stands for {brief(count)} runs; at most {MOST_RUNS} are possible")
    runs = [Run(**dict(zip(choices, chosen, strict=True))) for chosen in product(*choices.values())]
    return list(dict.fromkeys(run.resolved() for run in runs))


def _choices(path: Path, name: str, value: Any) -> list[Any]:
    is_one = not isinstance(value, list) or (name in LISTS and not any(isinstance(part, list) for part in value))
    found = [value] if is_one else value
    if not found:
        raise UsageError(f"{str(path)!r}: the list of {name} is empty; name at least one, or leave it out")
    for each in found:
        check_kinds({name: each}, f"{str(path)!r}: ")
    return found
