"""A data set: samples of one algorithm, made when they are first looked at."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple, overload

import numpy as np

from narlab.common.errors import UsageError
from narlab.data import generation
from narlab.data.generation import Arrays, Description, Samples

KEPT_BYTES = 2**24  # of samples that are made ahead of their use
GROWTH = 4  # each time, so many times as many as before: the first ones are there soon


class Sample(NamedTuple):
    """The probes of one instance by name, without a batch axis; `hints` [T, ...] is empty where none were asked for.

    `length` is the number of rows of hints that the instance itself has, `algorithm` the name of what it is one of.
    """

    algorithm: str
    inputs: Arrays
    outputs: Arrays
    hints: Arrays
    length: int


class Dataset:
    """Samples of one algorithm: `inputs`, `outputs`, `lengths`, and `hints` where they were asked for.

    Nothing is made before it is looked at, and a slice or an array of indices makes only its own samples:

    >>> train = narlab.data.load("l_clrs", "bfs", "train", hints=True)
    >>> len(train), train[:32].hints["pi_h"].shape[0]
    (100000, 32)

    One index gives one sample, so that a `torch.utils.data.DataLoader` can read it; `narlab.models.collate` makes
    batches for models of what it reads:

    >>> train[3].inputs["A"].shape
    (16, 16)
    """

    def __init__(
        self,
        description: Description,
        *,
        hints: bool = False,
        bounds: tuple[int, int] | None = None,
        made: Samples | None = None,
        threads: int | None = None,
    ) -> None:
        self.description = description
        self.has_hints = hints
        self._bounds = bounds or (0, description.count)
        self._threads = threads
        self._kept: tuple[np.ndarray, Samples] | None = None  # places in increasing order, and what is there
        if made is not None:
            self._samples = made

    def __len__(self) -> int:
        return len(self._samples.lengths) if self._is_made else self._bounds[1] - self._bounds[0]

    def __repr__(self) -> str:
        of = self.description
        return f"<Dataset {of.dataset}/{of.algorithm}/{of.split}: {len(self)} samples, n={of.n}>"

    @overload
    def __getitem__(self, key: int) -> Sample: ...

    @overload
    def __getitem__(self, key: slice | np.ndarray | list[int]) -> "Dataset": ...

    def __getitem__(self, key: int | slice | np.ndarray | list[int]) -> "Dataset | Sample":
        """The samples at a slice or at an array of indices, as a data set; or the one at an index, as a `Sample`."""
        if isinstance(key, int | np.integer):
            if not -len(self) <= key < len(self):
                raise IndexError(f"sample {key} of a data set of {len(self)}")
            (sample,) = self[int(key) % len(self) : int(key) % len(self) + 1].__getitems__([0])
            return sample
        if self._is_made or self.description.stream == "official":
            return self._like(made=self._samples[key])
        if isinstance(key, slice):
            start, stop, step = key.indices(len(self))
            if step == 1:
                first = self._bounds[0]
                return self._like(bounds=(first + start, first + max(start, stop)))
        places = np.arange(len(self))[key]
        return self._like(made=self._from_kept(places) or self._made_at(places))

    def _from_kept(self, places: np.ndarray) -> Samples | None:
        """The samples at `places`, if all of them are kept."""
        if self._kept is None:
            return None
        kept, samples = self._kept
        found = kept.searchsorted(places).clip(max=len(kept) - 1)
        return samples[found] if (kept[found] == places).all() else None

    def _made_at(self, places: np.ndarray) -> Samples:
        return generation.at(self.description, self._bounds[0] + places, threads=self._threads)

    def __getitems__(self, indices: list[int]) -> list[Sample]:
        """The samples of a batch, which a `DataLoader` asks for; hints have as many rows as the longest needs."""
        part = self[np.asarray(indices)]
        hints = part.hints if part.has_hints else {}

        def of(arrays: Arrays, k: int) -> Arrays:
            return {name: array[k] for name, array in arrays.items()}

        return [
            Sample(part.algorithm, of(part.inputs, k), of(part.outputs, k), of(hints, k), int(length))
            for k, length in enumerate(part.lengths)
        ]

    def with_threads(self, count: int | None) -> "Dataset":
        """The same samples, made by at most `count` threads, or on all cores; they are the same with any number."""
        made = self._samples if self._is_made else None
        return Dataset(self.description, hints=self.has_hints, bounds=self._bounds, made=made, threads=count)

    def _like(self, *, bounds: tuple[int, int] | None = None, made: Samples | None = None) -> "Dataset":
        return Dataset(self.description, hints=self.has_hints, bounds=bounds, made=made, threads=self._threads)

    def chunks(self, size: int) -> Iterator["Dataset"]:
        """The data set in pieces of at most `size` samples, the next ones made while one is in use."""
        if self._is_made or self.description.stream == "official":
            for start in range(0, len(self), size):
                yield self[start : start + size]
        else:
            pieces = generation.stream(
                self.description, *self._bounds, size, hints=self.has_hints, threads=self._threads
            )
            for piece in pieces:
                yield self._like(made=piece)

    def read_ahead(self, places: np.ndarray, upcoming: Callable[[int], np.ndarray]) -> "Dataset":
        """The samples at `places`; where they are not kept yet, more are made at once and kept instead of those before.

        `upcoming(count)` names at least `places`, and as many as it likes of the `count` samples that are wanted next.
        A long data set can so be read in any order, batch by batch, without making all of it: what is kept grows from
        a batch to a few megabytes.
        """
        if self._is_made or self.description.stream == "official":
            return self[places]
        if self._from_kept(places) is None:
            count = self._room(len(places))
            wanted = np.arange(len(self)) if count >= len(self) else np.unique(upcoming(count))
            self._kept = wanted, self._made_at(wanted)
        return self[places]

    def _room(self, least: int) -> int:
        """How many samples to keep next."""
        if self._kept is None:
            return least
        count, size = len(self._kept[0]), self._kept[1].nbytes
        return max(least, int(count * min(GROWTH, KEPT_BYTES / size)))

    @property
    def _is_made(self) -> bool:
        return "_samples" in self.__dict__

    @cached_property
    def _samples(self) -> Samples:
        if self.description.stream == "official":
            return generation.official(self.description, self._threads)
        return generation.fast(self.description, *self._bounds, threads=self._threads)

    @property
    def algorithm(self) -> str:
        return self.description.algorithm

    @property
    def inputs(self) -> Arrays:
        """The input probes, [count, ...] by name."""
        return self._samples.inputs

    @property
    def outputs(self) -> Arrays:
        """The output probes, [count, ...] by name."""
        return self._samples.outputs

    @property
    def lengths(self) -> np.ndarray:
        """How many rows of hints each sample has, [count]."""
        return self._samples.lengths

    @property
    def marks(self) -> Arrays:
        """What a data set says of its samples beyond the probes; `bridges_two_communities` has `joining_edge`."""
        return self._samples.marks

    @property
    def hints(self) -> Arrays:
        """The hint probes, [count, T, ...] by name, zero after each sample's own length."""
        if not self.has_hints:
            raise UsageError("this data set was loaded without hints; ask for them with hints=True")
        if self._samples.hints is None:
            made = generation.hints(self.description, self._samples, self._threads)
            self._samples = replace(self._samples, hints=made)
        assert self._samples.hints is not None
        return self._samples.hints
