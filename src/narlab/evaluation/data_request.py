"""Which data a trained model is scored on: its own, a named data set, or any sizes and families of graphs."""

from dataclasses import dataclass

from narlab import algorithms, data
from narlab.common.errors import UsageError, check_integer, check_seed
from narlab.data import Dataset
from narlab.evaluation.metrics.pairs import JOINING_EDGE

COUNT = 100  # graphs of each size and family
EVALUATION = 2**31  # the highest bit of a seed: those of named data sets and of runs don't have it


def data_seed(seed: int) -> int:
    """The seed of the graphs that are generated for an evaluation with `seed`: never that of a run's own data.

    >>> data_seed(1) == 2**31 + 1
    True
    """
    return seed | EVALUATION


@dataclass(frozen=True)
class DataRequest:
    """Which data is asked for; nothing stands for the model's own test set.

    `sizes` and `graphs` are lists with commas, `16,32` and `er,regular:k=4`: every size is combined with every family.
    What is left out of the two is as in the model's own test set. `count` limits how many graphs of each. What `seed`
    generates is nobody's training, validation or test data.

    >>> own = data.load("l_clrs", "bfs", "test")
    >>> DataRequest(sizes="16,32", graphs="tree", count=10).datasets(own)
    [<Dataset custom/bfs/custom: 10 samples, n=16>, <Dataset custom/bfs/custom: 10 samples, n=32>]
    """

    dataset: str | None = None
    split: str | None = None
    sizes: str | None = None
    graphs: str | None = None
    count: int | None = None
    seed: int = 0

    @property
    def is_generated(self) -> bool:
        return self.sizes is not None or self.graphs is not None

    def datasets(self, own: Dataset) -> list[Dataset]:
        """The data that is asked for, of a model whose own data is `own`."""
        if self.is_generated:
            return self._generated(own)
        if self.dataset is None:
            return [self._first(own)]
        if self.dataset == "custom":
            raise UsageError("a custom data set is made by sizes and graphs: give those, and leave dataset out")
        return [
            self._first(
                data.load(
                    self.dataset, own.algorithm, "test" if self.split is None else self.split, hints=own.has_hints
                )
            )
        ]

    def _first(self, dataset: Dataset) -> Dataset:
        """As many samples of a data set as are asked for."""
        if self.count is None:
            return dataset
        check_integer("count", self.count, 1)
        if self.count > len(dataset):
            raise UsageError(f"{dataset.description.dataset!r} has {len(dataset)} samples here, got count={self.count}")
        if self.count % 2 and JOINING_EDGE in dataset[:1].marks:
            raise UsageError(
                f"{dataset.description.dataset!r} has pairs of graphs: count must be even, got {self.count}"
            )
        return dataset[: self.count]

    def _generated(self, own: Dataset) -> list[Dataset]:
        for option in ("dataset", "split"):
            if getattr(self, option) is not None:
                raise UsageError(f"{option} does not go with sizes and graphs: a named data set has its own")
        description = own.description
        if self.graphs is not None and not algorithms.get(description.algorithm).has_graph:
            raise UsageError(f"{description.algorithm} has no graph: leave graphs out")
        families = [description.graphs] if self.graphs is None else _families(self.graphs)
        sizes = [description.n] if self.sizes is None else _sizes(self.sizes)
        count = check_integer("count", COUNT if self.count is None else self.count, 1)
        weights = {} if description.weights is None else {"weights": description.weights}
        return [
            data.custom(
                description.algorithm,
                n=n,
                count=count,
                seed=data_seed(check_seed(self.seed)),
                hints=own.has_hints,
                **({} if family is None else {"graphs": family}),
                **weights,
            )
            for family in families
            for n in sizes
        ]


def _sizes(text: str) -> list[int]:
    try:
        return list(dict.fromkeys(int(piece) for piece in text.split(",")))
    except ValueError:
        raise UsageError(f"sizes are integers with commas between, such as 16,32,64, got {text!r}") from None


def _families(text: str) -> list[str]:
    return list(dict.fromkeys(map(data.graphs.describe, data.graphs.parse_list(text))))
