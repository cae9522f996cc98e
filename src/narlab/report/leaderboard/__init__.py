"""One table that anyone can check: runs of ours, numbers that others published, chance and trivial rules.

It is made of run folders (`entries`) and of `cited.csv`, and written as Markdown for people (`page`) and as JSON for
programs (`write`), from which `narlab verify ROW` finds the weights of a row and evaluates them again.
"""

import json
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from narlab.algorithms import DISTINCT
from narlab.common.errors import Items, Number, Plain, Record, Text, UsageError, unknown
from narlab.common.files import check_target, read_json, write_whole
from narlab.experiments.declaring.results import SCORES
from narlab.report.leaderboard.entries import Entry, Rows, gather
from narlab.report.leaderboard.page import markdown

__all__ = ["DEFAULT", "numbers_of", "write"]

DEFAULT = Path("docs/leaderboard.md")
SCHEMA = Record(others=Items(Record({"folder": Text()}, dict.fromkeys(SCORES, Number(0, 1)), others=Plain())))
"""The rows by name, each with what is said of its runs."""


def write(folders: Iterable[Path], path: Path = DEFAULT, tasks: Sequence[str] = tuple(DISTINCT)) -> list[Path]:
    """Write the leaderboard of all runs below `folders` to `path`, and beside it the same as JSON.

    `tasks` are those whose baselines are computed, all 24 as a rule.
    """
    target = check_target(path, (".md",))
    rows = gather(folders)
    return [
        write_whole(target, markdown(rows, tasks, target.parent).encode(errors="backslashreplace")),
        write_whole(target.with_suffix(".json"), (json.dumps(_facts(rows, target.parent), indent=1) + "\n").encode()),
    ]


def _facts(rows: Rows, where: Path) -> dict[str, Any]:
    return {row: [_number(entry, where) for entry in entries] for row, entries in rows.entries.items()}


def _number(entry: Entry, where: Path) -> dict[str, Any]:
    folder = Path(os.path.relpath(entry.folder, where)).as_posix()
    return {
        "folder": folder,
        "algorithm": entry.run.algorithm,
        "seed": entry.run.seed,
        **{name: entry.result[name] for name in SCORES},
        "command": entry.command,
        "code": entry.code,
        "protocol": entry.protocol,
        "machine": entry.machine,
        "seconds": entry.result["seconds"],
        "weights": f"{folder}/best.safetensors",
        "sha256": entry.digest,
    }


def numbers_of(row: str, path: Path = DEFAULT) -> dict[Path, dict[str, Any]]:
    """What a row of the leaderboard at `path` says of each of its run folders."""
    facts = path.with_suffix(".json")
    try:
        rows = read_json(facts, SCHEMA, remedy="; narlab report --leaderboard writes it anew")
    except FileNotFoundError:
        raise UsageError(
            f"{row!r} is no run's folder, and there is no {str(facts)!r} to look it up in; give a folder, or say where "
            "the leaderboard is: --leaderboard PATH"
        ) from None
    if row not in rows:
        raise unknown("row of the leaderboard", row, rows)
    return {path.parent / number["folder"]: number for number in rows[row]}
