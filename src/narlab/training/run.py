"""A run: one model, one data set, one algorithm, one seed, as a file that can be read back."""

import tomllib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from functools import cache
from numbers import Integral, Real
from pathlib import Path
from typing import Any, get_args, get_type_hints

from narlab import data, models
from narlab.common.checks import check_integer, check_seed
from narlab.common.errors import UsageError
from narlab.common.names import did_you_mean, unknown
from narlab.models import ModelSettings, ResolvedSettings, hint_modes, processors
from narlab.models.depth import TRAJECTORY

CUSTOM = "custom"
CUSTOM_TRAINING, CUSTOM_EVALUATION = 10_000, 200
SEEDS = {"train": 1, "val": 2, "test": 3}
DEPTH = f"an integer of at least 1 or {TRAJECTORY!r}"
KINDS = {str: "a string", int: "an integer", float: "a number", bool: "true or false"}


@dataclass(frozen=True)
class Run:
    """What is trained, on what, and how; the defaults are the paper's.

    `depth` is the number of recurrent steps T, or "trajectory"; `steps` is the number of training steps. Settings that
    are `None` get their value from the others in `resolved`. With the data set "custom", `n`, `test_n` and `graphs` say
    what it is. `samples` limits training to the first so many samples. With `bfloat16` training steps multiply matrices
    in half the bits; the weights, the loss and every evaluation stay in single precision.
    """

    algorithm: str
    dataset: str = "l_clrs"
    processor: str = "mpnn_g"
    position: str = "random_scalar"
    hints: str = "none"
    hint_names: tuple[str, ...] | None = None
    quantiser: str | None = None
    hidden: int | None = None
    depth: int | str | None = None
    steps: int = 20_000
    batch_size: int | None = None
    learning_rate: float = 1e-4
    clip: float = 1.0
    seed: int = 42
    validate_every: int = 100
    test_every: int = 1000
    samples: int | None = None
    n: int | None = None
    test_n: int | None = None
    graphs: str | None = None
    bfloat16: bool = False

    def resolved(self) -> "Run":
        """The same run with every setting that follows from others filled in; raises a `ValueError` if it can't be."""
        check_kinds({field.name: getattr(self, field.name) for field in fields(self)})
        self._check_depth()
        chosen = self.model_settings()
        batch_size = processors.get(self.processor).batch_size
        filled = replace(
            self,
            hidden=chosen.hidden,
            depth=chosen.depth,
            hint_names=chosen.hint_names,
            batch_size=batch_size if self.batch_size is None else self.batch_size,
        )
        filled._check()
        return filled

    def _check_depth(self) -> None:
        """Before the model does, which also takes rules of n."""
        if self.depth is None or self.depth == TRAJECTORY:
            return
        if isinstance(self.depth, str) or self.depth < 1:
            raise UsageError(f"depth must be {DEPTH}, got {self.depth!r}")
        if hint_modes.get(self.hints).needs_hints:
            raise UsageError(f"hints={self.hints!r} needs depth={TRAJECTORY!r}, got depth={self.depth}")

    def _check(self) -> None:
        for name in ("steps", "batch_size", "validate_every", "test_every"):
            check_integer(name, getattr(self, name), 1)
        check_seed(self.seed)
        for name in ("learning_rate", "clip"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < float("inf"):
                raise UsageError(f"{name} must be a positive number, got {value!r}")
        if self.samples is not None:
            check_integer("samples", self.samples, 1)
        for split in SEEDS:
            self.split(split)

    def model_settings(self) -> ResolvedSettings:
        """The settings of the model, with all that follows from others."""
        asked = {field.name: getattr(self, field.name) for field in fields(ModelSettings) if hasattr(self, field.name)}
        return models.resolve(ModelSettings(**asked))

    def split(self, name: str) -> data.Dataset:
        """The training, validation or test data."""
        needs_hints = hint_modes.get(self.hints).needs_hints
        if name not in SEEDS:
            raise unknown("split", name, SEEDS)
        if self.dataset != CUSTOM:
            _check_trainable(self.dataset)
            for option in ("n", "test_n", "graphs"):
                if getattr(self, option) is not None:
                    raise UsageError(
                        f"{option} is for the data set {CUSTOM!r}; {self.dataset!r} has all of its settings"
                    )
            dataset = data.load(self.dataset, self.algorithm, name, hints=needs_hints)
        else:
            if self.n is None:
                raise UsageError(f"the data set {CUSTOM!r} needs n, the size of its training graphs")
            n = self.test_n if name == "test" and self.test_n is not None else self.n
            count = (self.samples or CUSTOM_TRAINING) if name == "train" else CUSTOM_EVALUATION
            options = {} if self.graphs is None else {"graphs": self.graphs}
            dataset = data.custom(self.algorithm, n=n, count=count, seed=SEEDS[name], hints=needs_hints, **options)
        if name == "train" and self.samples is not None:
            if self.samples > len(dataset):
                raise UsageError(f"{self.dataset!r} has {len(dataset)} training samples, got samples={self.samples}")
            return dataset[: self.samples]
        return dataset

    def to_toml(self) -> str:
        """The run as TOML; settings that are `None` or switched off are left out."""
        lines = ["# A run of narlab. `narlab train --config FILE` trains it."]
        given = {name: value for name, value in asdict(self).items() if value is not None and value is not False}
        lines += [f"{name} = {_toml(value)}" for name, value in given.items()]
        return "\n".join(lines) + "\n"

    @classmethod
    def from_toml(cls, path: Path, changes: Mapping[str, Any] | None = None) -> "Run":
        """The run in the file `path`; `changes` go before what the file says."""
        try:
            values = tomllib.loads(path.read_text())
        except FileNotFoundError:
            raise UsageError(f"there is no file {str(path)!r}") from None
        except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
            raise UsageError(f"{str(path)!r} can't be read as TOML: {error}") from error
        known = {field.name for field in fields(cls)}
        for name in values:
            if name not in known:
                near = did_you_mean(name, known)
                raise UsageError(f"{str(path)!r} has an unknown key {name!r}; {near}Known: {', '.join(sorted(known))}")
        check_kinds(values, f"{str(path)!r}: ")
        values |= changes or {}
        if "algorithm" not in values:
            raise UsageError(f'{str(path)!r} names no algorithm; add one, such as algorithm = "bfs"')
        if "hint_names" in values:
            values["hint_names"] = tuple(values["hint_names"])
        return cls(**values)


def trainable() -> tuple[str, ...]:
    """The data sets that a model can be trained on."""
    return (*(name for name in data.names() if "train" in data.datasets.get(name).SPLITS), CUSTOM)


def _check_trainable(dataset: str) -> None:
    if dataset in trainable():
        return
    if dataset in data.names():
        raise UsageError(
            f"the data set {dataset!r} has no training samples; it is for narlab evaluate. "
            f"To train on: {', '.join(trainable())}"
        )
    raise unknown("data set", dataset, trainable())


def check_kinds(values: Mapping[str, Any], where: str = "") -> None:
    """Raise a `ValueError` that begins with `where` if a setting is not of its kind, such as a text for a number."""
    for name, value in values.items():
        kinds = _kinds()[name]
        if not any(_is_a(kind, value) for kind in kinds):
            words = (KINDS.get(kind, "a list of strings") for kind in kinds if kind is not type(None))
            valid = DEPTH if name == "depth" else " or ".join(words)
            raise UsageError(f"{where}{name} must be {valid}, got {value!r}")


@cache
def _kinds() -> dict[str, tuple[Any, ...]]:
    """The kinds of value that each setting takes."""
    return {name: get_args(kind) or (kind,) for name, kind in get_type_hints(Run).items()}


def _is_a(kind: Any, value: Any) -> bool:
    if kind in (int, float):
        return isinstance(value, Integral if kind is int else Real) and not isinstance(value, bool)
    if kind in (str, bool, type(None)):
        return isinstance(value, kind)
    return isinstance(value, tuple | list) and all(isinstance(each, str) for each in value)


def _toml(value: Any) -> str:
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if isinstance(value, tuple | list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return str(value).lower() if isinstance(value, bool) else str(value)  # NumPy's numbers, too, read as numbers
