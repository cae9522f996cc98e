"""A model in training, the one step that the loop takes, estimates time and benchmarks measure, and its numbers."""

import math
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any, NamedTuple

import torch
from torch import Tensor

from narlab import algorithms
from narlab.common.compiling import elsewhere
from narlab.common.errors import UsageError, brief
from narlab.common.machine import check_memory
from narlab.data import Dataset
from narlab.evaluation import loss
from narlab.evaluation.prediction import BYTES_PER_PAIR
from narlab.models import Batch, Network, Prediction, depth
from narlab.models.batch import of_zeros
from narlab.models.kernels import all_threads
from narlab.models.topology import State
from narlab.training import randomness
from narlab.training.environment import Machine
from narlab.training.run import ResolvedRun, Run

Tensors = dict[str, Tensor]
LOSS, NORM = "loss", "gradient's norm"
AT_ONCE = ("cpu",)  # devices on which looking at a number costs nothing
BETWEEN_LOOKS = 100  # steps, elsewhere: to look is to wait until the device has done all that it was given
MAKE_A_SAMPLE = """
import sys
from narlab.data import Dataset, Description

Dataset(Description.from_json(sys.argv[1]))[0]
"""
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

    def sample_batch(self, step: int = 0) -> Batch:
        """A batch like that of a training step after `step` others, quickly made."""
        return self.recipe.sample_batch(self.run, step).to(next(self.model.parameters()).device)

    def compile(self, samples: Dataset) -> None:
        """Compile the kernels while another process compiles what makes the samples, if that was never done here."""
        of, uses_kernel = samples.description, self.model.uses_kernels and self.model.processor.kernel is not None
        is_on_cpu = next(self.model.parameters()).device.type == "cpu"  # elsewhere no kernel is used
        if torch.get_num_threads() > 1 and is_on_cpu and uses_kernel and not algorithms.get(of.algorithm).is_compiled:
            with elsewhere(MAKE_A_SAMPLE, of.to_json()):
                self.find_gradients(of_zeros(of.algorithm, of.n, hints=samples.has_hints), 0)
                self.optimiser.zero_grad()

    def step(self, batch: Batch, step: int, note: Note = unnoted) -> None:
        """One training step, after `step` others."""
        for group in self.optimiser.param_groups:
            group["lr"] = self.recipe.learning_rate_at(step)
        is_of_kernels = self.model.is_for_all_threads and not self.run.bfloat16
        with all_threads() if is_of_kernels else nullcontext():
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

    def check_state(self, tensors: Tensors, step: int) -> None:
        """Raise a `UsageError` unless the tensors of a checkpoint after `step` are all that it takes to go on."""
        check_tensors(_of("model", tensors), self.model.state_dict(), "model/")
        check_tensors(_of("recipe", tensors), self.average.state_dict(), "recipe/")
        kept = _of("optimiser", tensors) or _first_optimiser_state(tensors, step)
        parameters = dict(self.model.named_parameters())
        states = {name: _of(name, kept) for name in parameters}
        usual = {key: torch.zeros(()) for state in states.values() for key in state} or {"step": torch.zeros(())}
        for name, state in states.items():
            weights = parameters[name].detach().cpu()
            if not state and torch.equal(tensors[f"model/{name}"], weights):
                continue  # it has never had a gradient
            expected = {key: weights if state.get(key, weights).ndim else scalar for key, scalar in usual.items()}
            check_tensors(state, expected, f"optimiser/{name}/")

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


def check_fits(run: ResolvedRun) -> None:
    """Raise a `UsageError` if a training step or an evaluation needs more memory than there is.

    What is counted is the least that any model needs: weights with their gradients and moments, a batch's matrices, and
    the states of its nodes at every step, for the backward pass.
    """
    train = run.split(run.rungs()[0]).description
    rule = depth.parse(run.depth)
    steps = 1 if rule.is_trajectory or run.training_recipe().varies else rule.of(train.n)
    graph = 4 * train.n * (train.n + run.hidden * steps)
    what = f"a step with n={train.n}, hidden={run.hidden}, depth={run.depth}, batch_size={run.batch_size}"
    check_memory(what, 16 * run.hidden**2 + run.batch_size * graph, "take smaller ones")
    largest = max(split.description.n for split in run.training_recipe().splits(run).values())
    check_memory(f"an evaluation of graphs of {largest} nodes", BYTES_PER_PAIR * largest**2, "take smaller ones")


def new_model(run: Run) -> Network:
    """The run's model with its initial weights."""
    seed = run.seed if run.initial_seed is None else run.initial_seed
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(randomness.number(seed, randomness.WEIGHTS))
        return Network(run.resolved().model_settings())


def check_tensors(given: Tensors, expected: Tensors, where: str = "") -> None:
    """Raise a `UsageError` unless there is a tensor for each expected one, of its shape and dtype, and no other."""
    for name in (*expected, *given):
        if name not in given:
            raise UsageError(f"the tensor {where + name!r} is missing")
        if name not in expected:
            raise UsageError(f"the tensor {brief(where + name)} is none of the model's")
        for fact in ("shape", "dtype"):
            wanted, found = getattr(expected[name], fact), getattr(given[name], fact)
            if wanted != found:
                told, got = (list(value) if fact == "shape" else value for value in (wanted, found))
                raise UsageError(f"the tensor {where + name!r} must have {fact} {told}, got {got}")


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


def check_bfloat16(device: torch.device) -> None:
    """Raise a `ValueError` if the device can't multiply in half the bits."""
    if device.type == "cuda" and not torch.cuda.is_bf16_supported():
        raise UsageError(f"{torch.cuda.get_device_name(device)} does not know bfloat16; leave --bfloat16 out")


def predict_in_bfloat16(
    model: Network, batch: Batch, predict: Callable[[Network, Batch], Prediction] = Network.__call__
) -> Prediction:
    """What the model says with its matrix products in bfloat16; logits are in single precision again, for the loss."""
    before, model.uses_kernels = model.uses_kernels, False  # they know single precision only
    try:
        with torch.autocast(batch.random_features.device.type, torch.bfloat16):
            said = predict(model, batch)
    finally:
        model.uses_kernels = before
    return Prediction(_in_single(said.outputs), _in_single(said.hints), said.penalty.float())


def _in_single(logits: Tensors) -> Tensors:
    return {name: values.float() for name, values in logits.items()}


def compile_steps(model: Network, backend: str = "inductor") -> None:
    """Have `torch.compile` make the processor's step, which the kernels for CPUs would leave unused."""
    from torch._dynamo.exc import BackendCompilerFailed  # here, because it takes long to load

    compiled = torch.compile(model.processor.step, backend=backend)

    def step(state: State, prepared: Any) -> State:
        try:
            return compiled(state, prepared)
        except BackendCompilerFailed as error:
            cause = error.inner_exception
            why = f"{type(cause).__name__}: {cause}".splitlines()[0]
            raise UsageError(f"PyTorch can't compile on this machine: {why}; leave --compile out") from error

    model.processor.step = step  # type: ignore[method-assign]
    model.uses_kernels = False


class Unseen(NamedTuple):
    """A number that is on the device still."""

    name: str
    step: int
    value: Tensor


class Seen(NamedTuple):
    """A number of a step."""

    name: str
    step: int
    value: float


class FiniteCheck:
    """Takes the numbers of each step, and finds those that are not finite: at once on a CPU, elsewhere now and then.

    `total` is the sum of all losses looked at since it was last set to 0, `last` the last one.
    """

    def __init__(self, device: torch.device) -> None:
        self.total, self.last = 0.0, 0.0
        self._at_once = device.type in AT_ONCE
        self._unseen: list[Unseen] = []

    def note(self, name: str, step: int, value: Tensor) -> Seen | None:
        """Take a number, and say which one is not finite among those that are looked at now."""
        self._unseen.append(Unseen(name, step, value.detach()))
        is_due = self._at_once or (name == NORM and step - self._unseen[0].step >= BETWEEN_LOOKS - 1)
        return self.look() if is_due else None

    def look(self) -> Seen | None:
        """Look at all numbers that are left, in one go; the first that is not finite."""
        if not self._unseen:
            return None
        values = torch.stack([each.value for each in self._unseen]).tolist()
        found = [Seen(each.name, each.step, value) for each, value in zip(self._unseen, values, strict=True)]
        self._unseen.clear()
        for each in found:
            if not math.isfinite(each.value):
                return each
            if each.name == LOSS:
                self.total, self.last = self.total + each.value, each.value
        return None
