"""A model in training, and the one step that the loop takes, estimates time and benchmarks measure."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from narlab.evaluation import loss
from narlab.models import Batch, Network, Prediction
from narlab.training import randomness
from narlab.training.compilation import compile_steps
from narlab.training.device import Machine
from narlab.training.divergence import LOSS, NORM
from narlab.training.precision import predict_in_bfloat16
from narlab.training.run import ResolvedRun, Run

Tensors = dict[str, Tensor]
Note = Callable[[str, int, Tensor], object]  # is told the name, the step and the value of a number


def unnoted(name: str, step: int, value: Tensor) -> None:
    """Where nobody looks at the numbers of a step."""


class Learner:
    """All that a training step changes: weights, the optimiser's state, and what the recipe keeps beside them."""

    def __init__(self, run: ResolvedRun, machine: Machine) -> None:
        self.run, self.recipe = run, run.training_recipe()
        self.model = new_model(run).to(machine.device)
        self.average = self.recipe.average(self.model)
        if machine.compiles:
            for model in {self.model, self.evaluated}:
                compile_steps(model)
        self.optimiser = self.recipe.optimiser(self.model.parameters())

    @property
    def evaluated(self) -> Network:
        """The model whose scores count."""
        return self.average.model

    @property
    def learning_rate(self) -> float:
        """That of the last step."""
        return self.optimiser.param_groups[0]["lr"]

    def sample_batch(self) -> Batch:
        """A batch like those of training, made of the first samples of the data, which is quick."""
        splits = {name: split[: self.run.batch_size] for name, split in self.recipe.splits(self.run).items()}
        return self.recipe.batch(self.run, splits, 0).to(next(self.model.parameters()).device)

    def step(self, batch: Batch, step: int, note: Note = unnoted) -> None:
        """One training step, after `step` others."""
        for group in self.optimiser.param_groups:
            group["lr"] = self.recipe.learning_rate_at(step)
        self.find_gradients(batch, step, note)
        self.optimiser.step()
        self.average.update()

    def find_gradients(self, batch: Batch, step: int, note: Note = unnoted) -> None:
        """Nothing here may wait for a GPU, such as `.item()` would."""
        self.optimiser.zero_grad()
        total = loss(self._predict(batch, step), batch)
        note(LOSS, step + 1, total)
        total.backward()
        norm = torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.recipe.clip)
        note(NORM, step + 1, norm)

    def _predict(self, batch: Batch, step: int) -> Prediction:
        seed = randomness.number(self.run.seed, randomness.ASKING, step)
        if not self.run.bfloat16:
            return self.recipe.predict(self.model, batch, seed)
        return predict_in_bfloat16(self.model, batch, lambda model, batch: self.recipe.predict(model, batch, seed))

    def state(self) -> Tensors:
        """All tensors that a checkpoint must keep, by part and name."""
        return {
            **_under("model", self.model.state_dict()),
            **_under("optimiser", self._optimiser_state()),
            **_under("recipe", self.average.state_dict()),
        }

    def load_state(self, tensors: Tensors, step: int) -> None:
        """Go on from the tensors of a checkpoint after `step`; those of version 0.1 are understood."""
        self.model.load_state_dict(_of("model", tensors))
        self.average.load_state_dict(_of("recipe", tensors))
        kept = _of("optimiser", tensors) or _first_optimiser_state(tensors, step)
        state: dict[int, dict[str, Tensor]] = {}
        for index, name in enumerate(self._parameter_names()):
            if found := _of(name, kept):
                state[index] = {key: value.clone() for key, value in found.items()}  # steps change it in place
        settings = self.optimiser.state_dict()["param_groups"]
        self.optimiser.load_state_dict({"state": state, "param_groups": settings})  # it knows which device is whose

    def _optimiser_state(self) -> Tensors:
        names, state = self._parameter_names(), self.optimiser.state_dict()["state"]
        return {
            f"{names[index]}/{key}": torch.as_tensor(value)
            for index, values in state.items()
            for key, value in values.items()
        }

    def _parameter_names(self) -> list[str]:
        """In the optimiser's order."""
        names = {id(parameter): name for name, parameter in self.model.named_parameters()}
        return [names[id(parameter)] for group in self.optimiser.param_groups for parameter in group["params"]]


def new_model(run: Run) -> Network:
    """The run's model with its initial weights."""
    seed = run.seed if run.initial_seed is None else run.initial_seed
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(randomness.number(seed, randomness.WEIGHTS))
        return Network(run.resolved().model_settings())


def _under(part: str, tensors: dict[str, Any]) -> Tensors:
    return {f"{part}/{name}": tensor for name, tensor in tensors.items()}


def _of(part: str, tensors: Tensors) -> Tensors:
    return {name.removeprefix(f"{part}/"): tensor for name, tensor in tensors.items() if name.startswith(f"{part}/")}


def _first_optimiser_state(tensors: Tensors, step: int) -> Tensors:
    """Adam's state as version 0.1 kept it: `adam/exp_avg/NAME`, and the number of steps as a fact of the file."""
    state: Tensors = {}
    for key, moment in _of("adam", tensors).items():
        kind, _, name = key.partition("/")
        state |= {f"{name}/{kind}": moment, f"{name}/step": torch.tensor(float(step))}
    return state
