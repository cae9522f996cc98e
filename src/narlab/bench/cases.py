"""What is measured: a model on a batch of some data set."""

from dataclasses import dataclass, replace
from typing import Any

import torch

from narlab import data, models
from narlab.bench import flops
from narlab.bench.processes import Workload
from narlab.data import Dataset
from narlab.models import hint_modes
from narlab.models.depth import PAPER
from narlab.models.network import Network
from narlab.models.settings import ModelSettings, ResolvedSettings
from narlab.training import ResolvedRun, Run
from narlab.training.environment import Machine
from narlab.training.learner import Learner

SEED = 1


@dataclass(frozen=True)
class Case:
    """A model and its batch; with `n`, of graphs of that size and `family` in place of those of `dataset`.

    With `of_pairs` the model sees its inputs as relations in order and is read from its states of pairs. With `hints`
    it makes as many steps as its algorithm did, whatever `depth` says.
    """

    processor: str
    algorithm: str
    graphs: int
    dataset: str = "l_clrs"
    n: int | None = None
    family: str | None = None
    hidden: int | None = None
    depth: int = PAPER
    of_pairs: bool = False
    hints: str = "none"

    def check(self) -> None:
        """Raise a `ValueError` if there is no such model or data set."""
        self.settings()
        self.samples()

    def settings(self) -> ResolvedSettings:
        asked = ModelSettings(self.algorithm, processor=self.processor, hidden=self.hidden)
        return models.resolve(replace(asked, **self._choices))

    @property
    def has_hints(self) -> bool:
        return hint_modes.get(self.hints).needs_hints

    @property
    def _choices(self) -> dict[str, Any]:
        """How the model is told its inputs and its hints, how many steps it makes, and how it is read."""
        ends = {"relations": True, "position": "order", "readout": "pairs"} if self.of_pairs else {}
        return ends | {"hints": self.hints, "depth": None if self.has_hints else self.depth}

    def samples(self) -> Dataset:
        if self.n is None:
            return data.load(self.dataset, self.algorithm, "train", hints=self.has_hints)[: self.graphs]
        options: dict[str, Any] = {} if self.family is None else {"graphs": self.family}
        return data.custom(self.algorithm, n=self.n, count=self.graphs, seed=SEED, hints=self.has_hints, **options)

    @property
    def edges(self) -> int:
        """How many pairs of nodes the processor sees in all graphs of the batch."""
        model = self.build()
        topology = model.graphs_of(models.make_batch(self.samples())).topology(model.processor.pairs)
        return len(topology.index[0])

    @property
    def nodes(self) -> int:
        return self.n or self.samples().description.n

    @property
    def width(self) -> int:
        return self.settings().hidden

    def build(self) -> Network:
        return Network(self.settings())

    def run(self, **settings: Any) -> ResolvedRun:
        """A run whose training steps are this case's."""
        run = Run(
            self.algorithm,
            dataset=self.dataset if self.n is None else "custom",
            processor=self.processor,
            hidden=self.hidden,
            batch_size=self.graphs,
            n=self.n,
            graphs=None if self.n is None else self.family,
        )
        return replace(run, **self._choices, **settings).resolved()


def training_step(case: Case, *, kernels: bool) -> Workload:
    """A training step, as a run takes it, on one batch that is made beforehand."""
    learner = Learner(case.run(), Machine.of("cpu"))
    learner.model.uses_kernels = kernels
    batch = learner.sample_batch()

    def run() -> None:
        learner.step(batch, 0)

    return Workload(run, flops.by_pytorch(run) + flops.by_kernels(learner.model, batch, backward=True))


def evaluation(case: Case, *, at_a_time: int) -> Workload:
    """The outputs of all graphs without gradients, in batches of `at_a_time`, made beforehand."""
    torch.manual_seed(SEED)
    model = case.build().eval()
    batches = [models.make_batch(part) for part in case.samples().chunks(at_a_time)]

    @torch.inference_mode()
    def run(chosen: int | None = None) -> None:
        for batch in batches[:chosen]:
            model(batch)

    by_kernels = sum(flops.by_kernels(model, batch, backward=False) for batch in batches)
    return Workload(run, len(batches) * flops.by_pytorch(lambda: run(1)) + by_kernels)
