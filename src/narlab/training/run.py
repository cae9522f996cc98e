"""A run: one model, one data set, one algorithm, one recipe, one seed, as a file that can be read back."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from functools import cache
from numbers import Integral, Real
from pathlib import Path
from typing import Any, Self, get_args, get_type_hints

from narlab import algorithms, data, models
from narlab.common.checks import check_integer, check_seed
from narlab.common.errors import UsageError
from narlab.common.names import did_you_mean, unknown
from narlab.data import datasets, graphs
from narlab.evaluation import metrics
from narlab.models import (
    ModelSettings,
    ResolvedSettings,
    depth,
    hint_modes,
    positions,
    processors,
    quantisers,
    readouts,
)
from narlab.training import recipes, toml
from narlab.training.recipes import OVERRIDES, Recipe

CUSTOM = "custom"
CUSTOM_TRAINING, CUSTOM_EVALUATION = 10_000, 200
OF_MODEL = tuple(field.name for field in fields(ModelSettings))
SEEDS = {"train": 1, "val": 2, "test": 3}
KINDS = {str: "a string", int: "an integer", float: "a number", bool: "true or false"}


@dataclass(frozen=True, eq=False)
class Run:
    """What is trained, on what, and how; the defaults are the paper's.

    Settings that are `None` get their value from the recipe, the processor or the hints in `resolved`. Wherever a name
    goes, the thing itself is taken, too: `Run(my_algorithm, processor=MyProcessor)`; the run holds its name then.

    Arguments:
        algorithm, dataset, processor, position, hints, quantiser: names, or `package.module:Name` from outside.
        hint_names: only these hints; `None`: all.
        hidden: the width H.
        depth: the number of recurrent steps T, a rule of the graph's size such as "n/2", or "trajectory".
        readout: how outputs are read from the states.
        relations: the inputs are relations of pairs of nodes.
        recipe: how it is trained and chosen, with options: "paper:averaging=0.999".
        steps, batch_size, learning_rate, clip, validate_every, test_every, metrics: instead of the recipe's.
        samples: train on the first so many samples only.
        n, test_n, graphs: what the data set "custom" is.
        bfloat16: training steps multiply matrices in half the bits; weights, loss and evaluations stay in single.

    >>> run = Run("bfs", processor="two_wl", steps=2000).resolved()
    >>> run.hidden, run.depth, run.batch_size, run.learning_rate
    (128, 32, 16, 0.0001)
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
    readout: str = "paper"
    relations: bool = False
    recipe: str = "paper"
    steps: int | None = None
    batch_size: int | None = None
    learning_rate: float | None = None
    clip: float | None = None
    seed: int = 42
    validate_every: int | None = None
    test_every: int | None = None
    metrics: tuple[str, ...] | None = None
    samples: int | None = None
    n: int | None = None
    test_n: int | None = None
    graphs: str | None = None
    bfloat16: bool = False

    def __post_init__(self) -> None:
        for name, text_of in TEXTS.items():
            value = getattr(self, name)
            if value is not None and not isinstance(value, str):
                object.__setattr__(self, name, text_of(value))
        if isinstance(self.metrics, tuple | list):
            object.__setattr__(self, "metrics", tuple(map(metrics.CATALOGUE.name_of, self.metrics)))
        if isinstance(self.hint_names, list):
            object.__setattr__(self, "hint_names", tuple(self.hint_names))

    def __eq__(self, other: object) -> bool:
        """Runs are equal if their settings are; a resolved one equals one that was given all of them."""
        return isinstance(other, Run) and self.settings() == other.settings()

    def __hash__(self) -> int:
        return hash(tuple(self.settings().values()))

    def settings(self) -> dict[str, Any]:
        """All settings by name."""
        return {field.name: getattr(self, field.name) for field in fields(Run)}

    def resolved(self) -> "ResolvedRun":
        """The same run with every setting that follows from others filled in; raises a `ValueError` if it can't be."""
        check_kinds(self.settings())
        recipe = recipes.parse(self.recipe)
        given = {name: value for name, value in self.settings().items() if value is not None}
        of_recipe = {name: getattr(recipe, name) for name in (*OVERRIDES, "depth")}
        if recipe.batch_size is None:
            of_recipe["batch_size"] = processors.get(self.processor).batch_size
        decided = {**of_recipe, **given}
        model = models.resolve(ModelSettings(**{name: decided[name] for name in OF_MODEL if name in decided}))
        filled = {**decided, **vars(model), "recipe": recipes.describe(self.recipe)}
        run = ResolvedRun(**filled)
        run.check()
        return run

    def split(self, name: str) -> data.Dataset:
        """The training, validation or test data."""
        if name not in SEEDS:
            raise unknown("split", name, SEEDS)
        dataset = self._custom(name) if self.dataset == CUSTOM else self._named(name)
        if name == "train" and self.samples is not None:
            if self.samples > len(dataset):
                raise UsageError(f"{self.dataset!r} has {len(dataset)} training samples, got samples={self.samples}")
            return dataset[: self.samples]
        return dataset

    @property
    def needs_hints(self) -> bool:
        return hint_modes.get(self.hints).needs_hints

    def _named(self, split: str) -> data.Dataset:
        _check_trainable(self.dataset)
        for option in ("n", "test_n", "graphs"):
            if getattr(self, option) is not None:
                raise UsageError(f"{option} is for the data set {CUSTOM!r}; {self.dataset!r} has all of its settings")
        return data.load(self.dataset, self.algorithm, split, hints=self.needs_hints)

    def _custom(self, split: str) -> data.Dataset:
        if self.n is None:
            raise UsageError(f"the data set {CUSTOM!r} needs n, the size of its training graphs")
        n = self.test_n if split == "test" and self.test_n is not None else self.n
        count = (self.samples or CUSTOM_TRAINING) if split == "train" else CUSTOM_EVALUATION
        options = {} if self.graphs is None else {"graphs": self.graphs}
        return data.custom(self.algorithm, n=n, count=count, seed=SEEDS[split], hints=self.needs_hints, **options)

    def to_toml(self) -> str:
        """The run as TOML; settings that are `None` or switched off are left out."""
        given = {name: value for name, value in self.settings().items() if value is not None and value is not False}
        return toml.text("A run of narlab. `narlab train --config FILE` trains it.", given)

    @classmethod
    def from_toml(cls, path: Path, changes: Mapping[str, Any] | None = None) -> Self:
        """The run in the file `path`; `changes` go before what the file says."""
        values = toml.read(path)
        known = {field.name for field in fields(cls)}
        for name in values:
            if name not in known:
                near = did_you_mean(name, known)
                raise UsageError(f"{str(path)!r} has an unknown key {name!r}; {near}Known: {', '.join(sorted(known))}")
        check_kinds(values, f"{str(path)!r}: ")
        values |= changes or {}
        if "algorithm" not in values:
            raise UsageError(f'{str(path)!r} names no algorithm; add one, such as algorithm = "bfs"')
        return cls(**values)


@dataclass(frozen=True, eq=False, kw_only=True)
class ResolvedRun(Run):
    """A run that can be trained: every setting that follows from others is there. `Run.resolved` makes it."""

    hidden: int
    depth: int | str
    steps: int
    batch_size: int
    learning_rate: float
    clip: float
    validate_every: int
    test_every: int
    metrics: tuple[str, ...]

    def training_recipe(self) -> Recipe:
        """The recipe with the run's own settings in it."""
        own = {name: getattr(self, name) for name in OVERRIDES}
        return replace(recipes.parse(self.recipe), depth=self.depth, **own)

    def model_settings(self) -> ResolvedSettings:
        """The settings of the model alone."""
        return ResolvedSettings(**{name: getattr(self, name) for name in OF_MODEL})

    def check(self) -> None:
        """Raise a `ValueError` for settings of data and training that can't be."""
        check_seed(self.seed)
        if self.samples is not None:
            check_integer("samples", self.samples, 1)
        self.training_recipe().splits(self)


def _family_text(family: Any) -> str:
    return graphs.describe(graphs.parse(family))


TEXTS: dict[str, Callable[[Any], str]] = {
    "algorithm": algorithms.CATALOGUE.name_of,
    "dataset": datasets.CATALOGUE.name_of,
    "processor": processors.name_of,
    "position": positions.name_of,
    "hints": hint_modes.name_of,
    "quantiser": quantisers.name_of,
    "readout": readouts.name_of,
    "recipe": recipes.describe,
    "graphs": _family_text,
}
"""The names of things that are given as objects."""


def trainable() -> tuple[str, ...]:
    """The data sets that a model can be trained on."""
    return (*(name for name in data.names() if "train" in data.datasets.get(name).SPLITS), CUSTOM)


def _check_trainable(dataset: str) -> None:
    if dataset not in data.names() and ":" not in dataset:
        raise unknown("data set", dataset, trainable())
    if "train" not in datasets.get(dataset).SPLITS:
        raise UsageError(
            f"the data set {dataset!r} has no training samples; it is for narlab evaluate. "
            f"To train on: {', '.join(trainable())}"
        )


def check_kinds(values: Mapping[str, Any], where: str = "") -> None:
    """Raise a `ValueError` that begins with `where` if a setting is not of its kind, such as a text for a number."""
    for name, value in values.items():
        kinds = _kinds()[name]
        if not any(_is_a(kind, value) for kind in kinds):
            words = (KINDS.get(kind, "a list of strings") for kind in kinds if kind is not type(None))
            valid = depth.VALID if name == "depth" else " or ".join(words)
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
