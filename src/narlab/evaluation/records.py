"""What evaluations leave in a run's folder: `evaluations/`, a JSON file for each data set that was measured.

A file holds the row of numbers, those of each output, what is said of the metrics, the description of the data, the
seed, the date and the versions: enough to show it without any package that a metric came from, and to do it again.
"""

import hashlib
import json
import os
import re
import time
from collections.abc import Callable
from dataclasses import asdict
from importlib import metadata
from pathlib import Path
from typing import Any

import narlab
from narlab.common.errors import Either, Nothing, Number, Plain, Record, Switch, Text, Whole
from narlab.common.files import inside, read_bytes, write_whole
from narlab.evaluation.measurement import Measurement, as_dict, from_json, json_bytes

FOLDER = "evaluations"
PACKAGES = ("torch", "numba", "numpy")
METRIC = Record(optional={"higher_is_better": Switch(), "is_share": Switch()}, others=Plain())
SCHEMA = Record(
    {"date": Text(), "description": Record(others=Plain()), "metrics": Record(others=METRIC)},
    {"data": Text(), "n": Whole(), "count": Whole(), "graphs": Either(Text(), Nothing()), "seed": Whole()},
    others=Plain(),
)
"""What `record` keeps."""


def keep(folder: str | os.PathLike, measurement: Measurement, *, seed: int) -> Path:
    """Write a measurement into the folder of the run whose model was measured; the same one again replaces it.

    >>> from narlab import data, evaluation, models
    >>> measured = evaluation.measure(models.build("bfs", hidden=8), data.custom("bfs", n=8, count=10))
    >>> keep("run", measured, seed=0).parent.name
    'evaluations'
    >>> [found["n"] for found in kept("run", complain=print)]
    [8]
    """
    return write_whole(
        inside(Path(folder), FOLDER) / _file_name(measurement, seed), json_bytes(record(measurement, seed))
    )


def record(measurement: Measurement, seed: int) -> dict[str, Any]:
    """All that is kept of a measurement."""
    facts = ("level", "higher_is_better", "is_share")
    return {
        **as_dict(measurement),
        "metrics": {metric.name: {fact: getattr(metric, fact) for fact in facts} for metric in measurement.metrics},
        "description": asdict(measurement.description),
        "seed": seed,
        "date": time.strftime("%Y-%m-%d %H:%M:%S %z"),
        "versions": {"narlab": narlab.__version__, **{package: metadata.version(package) for package in PACKAGES}},
    }


def _file_name(measurement: Measurement, seed: int) -> str:
    """A name for people, and a digest that tells apart all that they differ in."""
    description = measurement.description
    names = [metric.name for metric in measurement.metrics]
    known = {name: value for name, value in asdict(description).items() if name != "needle" or value is not None}
    at_depth = [] if measurement.depth is None else [measurement.depth]
    facts = json.dumps([known, measurement.count, seed, names, *at_depth]).encode()
    digest = hashlib.sha256(facts).hexdigest()[:8]
    parts = [measurement.data, f"n{description.n}", description.graphs or "", *(f"T={T}" for T in at_depth), digest]
    return re.sub(r"[^\w.=]+", "-", "-".join(filter(None, parts))) + ".json"


def kept(folder: str | os.PathLike, complain: Callable[[str], None]) -> list[dict[str, Any]]:
    """What the evaluations of a run have left in its folder, the oldest first.

    A file that can't be read is named to `complain` and left out.
    """
    found = []
    for path in sorted((Path(folder) / FOLDER).glob("*.json")):
        try:
            content = from_json(read_bytes(path))
            SCHEMA.check(content)
            Record(dict.fromkeys(content["metrics"], Number(or_not_finite=True)), others=Plain()).check(content)
            found.append(content)
        except (OSError, ValueError) as error:
            complain(f"{str(path)!r} can't be read and is left out: {error}")
    return sorted(found, key=lambda content: content["date"])
