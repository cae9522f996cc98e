"""A run: one model, one data set, one algorithm, one seed, as a file that can be read back."""

import tomllib
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any

from narlab import data, models
from narlab.algorithms.engine.checking import check_integer, check_seed
from narlab.models.settings import Settings
from narlab.specs import did_you_mean, unknown

PAIR_PROCESSORS = ("two_wl", "hybrid")
CUSTOM = "custom"
CUSTOM_TRAINING, CUSTOM_EVALUATION = 10_000, 200
SEEDS = {"train": 1, "val": 2, "test": 3}


@dataclass(frozen=True)
class Run:
    """What is trained, on what, and how; the defaults are the paper's.

    `depth` is the number of recurrent steps T, or "trajectory"; `steps` is the number of training steps. Settings that
    are `None` get their value from the others in `resolved`. With the data set "custom", `n`, `test_n` and `graphs` say
    what it is. `samples` limits training to the first so many samples.
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

    def resolved(self) -> "Run":
        """The same run with every setting that follows from others filled in; raises a `ValueError` if it can't be."""
        chosen = models.settings_of(
            self.algorithm, processor=self.processor, hints=self.hints, hidden=self.hidden, steps=self.depth
        )
        attends_to_pairs = self.processor.startswith(PAIR_PROCESSORS)
        filled = replace(
            self,
            hidden=chosen.hidden,
            depth=chosen.steps,
            batch_size=self.batch_size if self.batch_size is not None else 16 if attends_to_pairs else 32,
        )
        filled._check()
        return filled

    def _check(self) -> None:
        models.check(self.model_settings())
        for name in ("steps", "batch_size", "validate_every", "test_every"):
            check_integer(name, getattr(self, name), 1)
        check_seed(self.seed)
        for name in ("learning_rate", "clip"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < float("inf"):
                raise ValueError(f"{name} must be a positive number, got {value!r}")
        if self.samples is not None:
            check_integer("samples", self.samples, 1)
        for split in SEEDS:
            self.split(split)

    def model_settings(self) -> Settings:
        assert self.hidden is not None
        assert self.depth is not None
        return Settings(
            self.algorithm,
            self.processor,
            self.position,
            self.hints,
            self.hidden,
            self.depth,
            self.hint_names,
            self.quantiser,
        )

    def split(self, name: str) -> data.Dataset:
        """The training, validation or test data."""
        needs_hints = models.hint_modes.mode(self.hints).needs_hints
        if name not in SEEDS:
            raise unknown("split", name, SEEDS)
        if self.dataset != CUSTOM:
            data.datasets.get(self.dataset)
            for option in ("n", "test_n", "graphs"):
                if getattr(self, option) is not None:
                    raise ValueError(
                        f"{option} is for the data set {CUSTOM!r}; {self.dataset!r} has all of its settings"
                    )
            dataset = data.load(self.dataset, self.algorithm, name, hints=needs_hints)
        else:
            if self.n is None:
                raise ValueError(f"the data set {CUSTOM!r} needs n, the size of its training graphs")
            n = self.test_n if name == "test" and self.test_n is not None else self.n
            count = (self.samples or CUSTOM_TRAINING) if name == "train" else CUSTOM_EVALUATION
            options = {} if self.graphs is None else {"graphs": self.graphs}
            dataset = data.custom(self.algorithm, n=n, count=count, seed=SEEDS[name], hints=needs_hints, **options)
        if name == "train" and self.samples is not None:
            if self.samples > len(dataset):
                raise ValueError(f"{self.dataset!r} has {len(dataset)} training samples, got samples={self.samples}")
            return dataset[: self.samples]
        return dataset

    def to_toml(self) -> str:
        """The run as TOML; settings that are `None` are left out."""
        lines = ["# A run of narlab. `narlab train --config FILE` trains it."]
        lines += [f"{name} = {_toml(value)}" for name, value in asdict(self).items() if value is not None]
        return "\n".join(lines) + "\n"

    @classmethod
    def from_toml(cls, path: Path) -> "Run":
        """The run in the file `path`."""
        try:
            values = tomllib.loads(path.read_text())
        except FileNotFoundError:
            raise ValueError(f"there is no file {str(path)!r}") from None
        except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
            raise ValueError(f"{str(path)!r} can't be read as TOML: {error}") from error
        known = {field.name for field in fields(cls)}
        for name in values:
            if name not in known:
                near = did_you_mean(name, known)
                raise ValueError(f"{str(path)!r} has an unknown key {name!r}; {near}Known: {', '.join(sorted(known))}")
        if "algorithm" not in values:
            raise ValueError(f"{str(path)!r} names no algorithm")
        if "hint_names" in values:
            values["hint_names"] = tuple(values["hint_names"])
        return cls(**values)


def _toml(value: Any) -> str:
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if isinstance(value, tuple | list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return str(value).lower() if isinstance(value, bool) else repr(value)
