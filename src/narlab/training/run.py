"""A run: one model, one data set, one algorithm, one recipe, one seed, as a file that can be read back."""

import json
from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import dataclass, fields, replace
from functools import cache, lru_cache
from numbers import Integral, Real
from pathlib import Path
from typing import Any, Self, get_args, get_type_hints

from narlab import algorithms, data, models
from narlab.common.errors import LARGEST, Text, UsageError, brief, check_integer, check_seed, did_you_mean, unknown
from narlab.common.files import read_toml
from narlab.data import datasets
from narlab.evaluation import metrics
from narlab.models import ModelSettings, ResolvedSettings, depth, hint_modes, positions, processors, readouts
from narlab.training import recipes
from narlab.training.recipes import MEANT_FOR, OVERRIDES, Recipe

CUSTOM = "custom"
CUSTOM_TRAINING, CUSTOM_EVALUATION = 10_000, 200
OF_MODEL = tuple(field.name for field in fields(ModelSettings))
SEEDS = {"train": 1, "val": 2, "test": 3}
KINDS = {str: "a string", int: "an integer", float: "a number", bool: "true or false"}


@dataclass(frozen=True, eq=False)
class Run:
    """What is trained, on what, and how; the defaults are those of the paper's recipe.

    Settings that are `None` get their value from the recipe, the processor or the hints in `resolved`. Wherever a name
    goes, the thing itself is taken, too: `Run(my_algorithm, processor=MyProcessor)`; the run holds its name then.

    Arguments:
        algorithm, dataset, processor, position, hints, quantiser: names, or `package.module:Name` from outside.
        hint_names: only these hints; `None`: all.
        hidden: the width H.
        depth: the number of recurrent steps T, a rule of the graph's size such as "n/2", or "trajectory".
        readout: how outputs are read from the states.
        relations: the inputs are relations of pairs of nodes.
        pair_features: names of features of pairs that are made of the inputs before the first step.
        recipe: how it is trained and chosen, with options: "paper:averaging=0.999".
        steps, batch_size, learning_rate, clip, validate_every, test_every, metrics: instead of the recipe's.
        seed: decides everything that is random.
        initial_seed: draw the initial weights by this seed, so that runs of other seeds begin with the same ones.
        samples, test_samples: train, and test, on the first so many samples only.
        n, test_n, graphs: what the data set "custom" is.
        bfloat16: training steps multiply matrices in half the bits; weights, loss and evaluations stay in single.
        warm_start: begin with the weights of another run, a folder or a name such as "bfs@triangle", where they fit.

    >>> run = Run("bfs", processor="two_wl", steps=2000).resolved()
    >>> run.hidden, run.depth, run.batch_size, run.learning_rate
    (128, 32, 16, 0.0001)
    """

    algorithm: str
    dataset: str | None = None
    processor: str | None = None
    position: str | None = None
    hints: str = "none"
    hint_names: tuple[str, ...] | None = None
    quantiser: str | None = None
    hidden: int | None = None
    depth: int | str | None = None
    readout: str | None = None
    relations: bool | None = None
    pair_features: tuple[str, ...] | None = None
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
    initial_seed: int | None = None
    warm_start: str | None = None
    test_samples: int | None = None

    def __post_init__(self) -> None:
        for name, text_of in TEXTS.items():
            value = getattr(self, name)
            if value is not None and (not isinstance(value, str) or name in SPELLED):
                object.__setattr__(self, name, text_of(value))
        if isinstance(self.metrics, tuple | list):
            named = dict.fromkeys(map(metrics.CATALOGUE.name_of, self.metrics))  # each once
            object.__setattr__(self, "metrics", tuple(named))
        if isinstance(self.pair_features, tuple | list):
            found = models.pair_features.names_of(self.pair_features) if self.pair_features else ()
            object.__setattr__(self, "pair_features", found)
        if isinstance(self.hint_names, list):
            object.__setattr__(self, "hint_names", tuple(self.hint_names))

    def __eq__(self, other: object) -> bool:
        """Runs are equal if their settings are; a resolved one equals one that was given all of them."""
        return isinstance(other, Run) and self.settings() == other.settings()

    def __hash__(self) -> int:
        return hash(tuple(self.settings().values()))

    def settings(self) -> dict[str, Any]:
        """All settings by name."""
        return {name: getattr(self, name) for name in SETTINGS}

    def resolved(self) -> "ResolvedRun":
        """The same run with every setting that follows from others filled in; raises a `ValueError` if it can't be."""
        check_kinds(self.settings())  # before they are hashed
        check_seed(self.seed)
        if self.initial_seed is not None:
            check_seed(self.initial_seed)
        return _resolved(self.with_seeds(0, None)).with_seeds(self.seed, self.initial_seed)

    def with_seeds(self, seed: int, initial_seed: int | None) -> Self:
        """The same run with other seeds, from which nothing follows."""
        changed = copy(self)
        object.__setattr__(changed, "seed", seed)
        object.__setattr__(changed, "initial_seed", initial_seed)
        return changed

    def _filled_in(self) -> "ResolvedRun":
        recipe = recipes.parse(self.recipe)
        given = {name: value for name, value in self.settings().items() if value is not None}
        of_recipe = {name: getattr(recipe, name) for name in (*OVERRIDES, *MEANT_FOR)}
        decided = {**of_recipe, **given}
        if decided["batch_size"] is None:
            decided["batch_size"] = processors.get(decided["processor"]).batch_size
        if decided["validate_every"] is None:
            decided["validate_every"] = max(1, decided["steps"] // 10)
        model = models.resolve(ModelSettings(**{name: decided[name] for name in OF_MODEL if name in decided}))
        filled = {**decided, **vars(model), "recipe": recipes.describe(self.recipe)}
        run = ResolvedRun(**filled)
        run.check()
        object.__setattr__(run, "_is_checked", True)
        return run

    def split_names(self) -> tuple[str, ...]:
        """The splits that the run's data set has."""
        if self._dataset == CUSTOM:
            return tuple(SEEDS)
        return datasets.splits(datasets.get(self._dataset), self.algorithm)

    def rungs(self) -> tuple[str, ...]:
        """The splits to train on in turn, each as often as it is to be drawn; "train" alone if there are no others."""
        return ("train",) if self._dataset == CUSTOM else datasets.rungs(datasets.get(self._dataset), self.algorithm)

    def split(self, name: str) -> data.Dataset:
        """The training, validation or test data, or another split of the run's data set."""
        dataset = self._custom(name) if self._dataset == CUSTOM else self._named(name)
        if self.samples is not None and name in ("train", *self.rungs()):
            if self.samples > len(dataset):
                raise UsageError(f"{self._dataset!r} has {len(dataset)} training samples, got samples={self.samples}")
            return dataset[: self.samples]
        if self.test_samples is not None and name == "test":
            if self.test_samples > len(dataset):
                raise UsageError(f"{self._dataset!r} has {len(dataset)} tests, got test_samples={self.test_samples}")
            return dataset[: self.test_samples]
        return dataset

    @property
    def _dataset(self) -> str:
        """The data set's name; where the run has none, the recipe's."""
        return self.dataset or recipes.parse(self.recipe).dataset

    @property
    def needs_hints(self) -> bool:
        return hint_modes.get(self.hints).needs_hints

    def _named(self, split: str) -> data.Dataset:
        for option in ("n", "test_n", "graphs"):
            if getattr(self, option) is not None:
                raise UsageError(f"{option} is for the data set {CUSTOM!r}; {self._dataset!r} has all of its settings")
        return data.load(self._dataset, self.algorithm, split, hints=self.needs_hints)

    def _custom(self, split: str) -> data.Dataset:
        if split not in SEEDS:
            raise unknown(f"split of {CUSTOM!r}", split, SEEDS)
        if self.n is None:
            raise UsageError(f"the data set {CUSTOM!r} needs n, the size of its training graphs")
        n = self.test_n if split == "test" and self.test_n is not None else self.n
        count = (self.samples or CUSTOM_TRAINING) if split == "train" else CUSTOM_EVALUATION
        options = {} if self.graphs is None else {"graphs": self.graphs}
        return data.custom(self.algorithm, n=n, count=count, seed=SEEDS[split], hints=self.needs_hints, **options)

    def to_toml(self) -> str:
        """The run as TOML; settings that are `None`, or switched off and so without a word, are left out."""
        usual = {field.name: field.default for field in fields(Run)}
        off = {name for name, value in self.settings().items() if value is False and usual[name] is False}
        given = {name: value for name, value in self.settings().items() if value is not None and name not in off}
        lines = ["# A run of narlab. `narlab train --config FILE` trains it."]
        return "\n".join([*lines, *(f"{name} = {_toml(value)}" for name, value in given.items()), ""])

    @classmethod
    def from_toml(cls, path: Path, changes: Mapping[str, Any] | None = None) -> Self:
        """The run in the file `path`; `changes` go before what the file says."""
        values = read_toml(path)
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


SETTINGS = tuple(field.name for field in fields(Run))


@dataclass(frozen=True, eq=False, kw_only=True)
class ResolvedRun(Run):
    """A run that can be trained: every setting that follows from others is there. `Run.resolved` makes it."""

    dataset: str
    processor: str
    position: str
    readout: str
    relations: bool
    pair_features: tuple[str, ...]
    hidden: int
    depth: int | str
    steps: int
    batch_size: int
    learning_rate: float
    clip: float
    validate_every: int
    test_every: int
    metrics: tuple[str, ...]

    def resolved(self) -> "ResolvedRun":
        """This run, if it was checked already; one that `dataclasses.replace` has made was not."""
        return self if "_is_checked" in self.__dict__ else super().resolved()

    def training_recipe(self) -> Recipe:
        """The recipe with the run's own settings in it."""
        own = {name: getattr(self, name) for name in (*OVERRIDES, *MEANT_FOR)}
        return replace(recipes.parse(self.recipe), **own)

    def model_settings(self) -> ResolvedSettings:
        """The settings of the model alone."""
        return ResolvedSettings(**{name: getattr(self, name) for name in OF_MODEL})

    def check(self) -> None:
        """Raise a `ValueError` for settings of data and training that can't be."""
        _check_trainable(self._dataset)
        for name in ("samples", "test_samples"):
            if getattr(self, name) is not None:
                check_integer(name, getattr(self, name), 1)
        recipe = self.training_recipe()
        recipe.check(self)
        recipe.splits(self)


@lru_cache(maxsize=4096)  # tables and lists of experiments ask for the same runs again and again, with other seeds
def _resolved(run: Run) -> ResolvedRun:
    return run._filled_in()


def _toml(value: Any) -> str:
    """A value as TOML, which Python reads and does not write."""
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")  # a text of JSON is one of TOML
    if isinstance(value, tuple | list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return str(value).lower() if isinstance(value, bool) else str(value)  # NumPy's numbers, too, read as numbers


TEXTS: dict[str, Callable[[Any], str]] = {
    "algorithm": algorithms.CATALOGUE.name_of,
    "dataset": datasets.CATALOGUE.name_of,
    "processor": processors.name_of,
    "position": positions.name_of,
    "hints": hint_modes.name_of,
    "quantiser": lambda quantiser: models.quantisers.name_of(quantiser),
    "readout": readouts.name_of,
    "recipe": recipes.describe,
    "graphs": lambda family: data.graphs.describe(data.graphs.parse(family)),
}
"""The names of things that are given as objects, or with other capitals."""
SPELLED = ("algorithm", "dataset", "processor", "position", "hints", "readout")


def trainable() -> tuple[str, ...]:
    """The data sets that a model can be trained on."""
    return (*(name for name in data.names() if "train" in data.datasets.get(name).SPLITS), CUSTOM)


def _check_trainable(dataset: str) -> None:
    if dataset == CUSTOM:
        return
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
        is_plain = type(value) in (str, bool, type(None)) and type(value) in kinds  # most are
        if not is_plain and not any(_is_a(kind, value) for kind in kinds):
            words = (KINDS.get(kind, "a list of strings") for kind in kinds if kind is not type(None))
            valid = depth.VALID if name == "depth" else " or ".join(words)
            raise UsageError(f"{where}{name} must be {valid}, got {brief(value)}")
        for text in value if isinstance(value, tuple | list) else [value]:
            if isinstance(text, str):
                Text().check(text, f"{where}{name}")


@cache
def _kinds() -> dict[str, tuple[Any, ...]]:
    """The kinds of value that each setting takes."""
    return {name: get_args(kind) or (kind,) for name, kind in get_type_hints(Run).items()}


def _is_a(kind: Any, value: Any) -> bool:
    if kind in (int, float):
        is_number = isinstance(value, Integral if kind is int else Real) and not isinstance(value, bool)
        return is_number and abs(value) <= (LARGEST if isinstance(value, Integral) else float("inf"))
    if kind in (str, bool, type(None)):
        return isinstance(value, kind)
    return isinstance(value, tuple | list) and all(isinstance(each, str) for each in value)
