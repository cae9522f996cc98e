"""What is measured: a model on a batch of some data set."""

from dataclasses import dataclass
from typing import Any

import torch

from narlab import data, models
from narlab.bench import flops
from narlab.bench.processes import Workload
from narlab.data import Dataset
from narlab.models.depth import PAPER
from narlab.models.network import Network
from narlab.models.settings import ModelSettings, ResolvedSettings

SEED = 1


@dataclass(frozen=True)
class Case:
    """A model and its batch; with `n`, of graphs of that size and `family` in place of those of `dataset`."""

    processor: str
    algorithm: str
    graphs: int
    dataset: str = "l_clrs"
    n: int | None = None
    family: str | None = None
    hidden: int | None = None
    depth: int = PAPER

    def check(self) -> None:
        """Raise a `ValueError` if there is no such model or data set."""
        self.settings()
        self.samples()

    def settings(self) -> ResolvedSettings:
        asked = ModelSettings(self.algorithm, processor=self.processor, hidden=self.hidden, depth=self.depth)
        return models.resolve(asked)

    def samples(self) -> Dataset:
        if self.n is None:
            return data.load(self.dataset, self.algorithm, "train")[: self.graphs]
        options: dict[str, Any] = {} if self.family is None else {"graphs": self.family}
        return data.custom(self.algorithm, n=self.n, count=self.graphs, seed=SEED, **options)

    @property
    def nodes(self) -> int:
        return self.n or self.samples().description.n

    @property
    def width(self) -> int:
        return self.settings().hidden

    def build(self) -> Network:
        return Network(self.settings())


def training_step(case: Case, *, kernels: bool) -> Workload:
    """A training step (forward, a loss, backward, clipping, Adam) on one batch that is made beforehand."""
    torch.manual_seed(SEED)
    model, batch = case.build(), models.make_batch(case.samples())
    model.uses_kernels = kernels
    optimiser = torch.optim.Adam(model.parameters(), lr=1e-4)

    def run() -> None:
        optimiser.zero_grad()
        total = torch.stack([logits.square().mean() for logits in model(batch).outputs.values()]).sum()
        total.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()

    return Workload(run, flops.by_pytorch(run) + flops.by_kernels(model, batch, backward=True))


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
