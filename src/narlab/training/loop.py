"""The training loop: train a run in a folder, from its beginning or from where it stopped."""

import json
import os
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from narlab.common.errors import Number, UsageError, Whole, brief
from narlab.common.machine import Flag, interruptions
from narlab.evaluation import metrics
from narlab.models import Network, depth
from narlab.training import environment, randomness
from narlab.training.environment import Machine, device_of
from narlab.training.folder import RESULT, Folder
from narlab.training.identity import protocol_name, run_name
from narlab.training.learner import FiniteCheck, Learner, Seen, check_bfloat16, check_fits, check_tensors, new_model
from narlab.training.reporting import PlainLines, Reporter
from narlab.training.run import ResolvedRun, Run

WEIGHTS = "sum of all weights' sizes"
NO_SCORES = ("step", "seconds", "protocol", "depth", "depths")  # what else a result has


class DivergedError(RuntimeError):
    """The loss, a gradient or a weight is no longer a finite number."""


class Interrupted(KeyboardInterrupt):
    """The run was stopped by the user, and can go on."""


@dataclass(frozen=True)
class Result:
    """What came out of a run: the chosen model's scores, and where everything is.

    `scores` has all of them by column: "val" and "test" of the benchmark's score, "val_graph", ... of other metrics.
    `protocol` names how they came about, `depth` is that of the chosen model; folders of older versions have neither.
    """

    run: ResolvedRun
    folder: Path
    step: int
    val: float
    val_graph: float
    test: float
    test_graph: float
    seconds: float
    scores: dict[str, float] = field(default_factory=dict)
    protocol: str = ""
    depth: int | str | None = None

    @classmethod
    def of(cls, run: ResolvedRun, folder: Path, columns: dict[str, Any]) -> "Result":
        """From the columns of result.json."""
        scores = {name: value for name, value in columns.items() if name not in NO_SCORES}
        facts = {name: columns[name] for name in ("protocol", "depth") if name in columns}
        return cls(run, folder, **{name: columns[name] for name in RESULT}, scores=scores, **facts)


def train(
    run: Run,
    out: str | os.PathLike | None = None,
    *,
    device: str = "cpu",
    threads: int | None = None,
    compile: bool = False,
    reporter: Reporter | None = None,
) -> Result:
    """Train `run` in the folder `out` and return its result; a folder with a part of it is gone on with.

    Interrupted and resumed, a run ends with the same bits as without, on the same machine and number of threads. With
    `compile`, PyTorch compiles the processor's step, which pays on a GPU; results then differ in their last bits.
    """
    if not isinstance(run, Run):
        raise UsageError(f"what is trained is a run such as narlab.Run('bfs'), got {brief(run)}")
    filled = run.resolved()
    machine = Machine.of(device, threads, compiles=compile)
    if filled.bfloat16:
        check_bfloat16(machine.device)
    folder = Folder(out if out is not None else default_folder(filled))
    reporter = reporter or PlainLines()
    check_fits(filled)
    folder.check(filled)  # before anything is left there
    if filled.warm_start is not None and not folder.is_run():
        _start_from(new_model(filled), filled.warm_start)
    with folder.locked(reporter.say), machine.limited(), interruptions() as interrupted:
        folder.begin(filled)
        done = folder.result()
        if done is not None:
            reporter.say(f"{folder.path} is done already")
            return Result.of(filled, folder.path, done)
        session = Session(filled, folder, machine, reporter)
        folder.add_session(environment.describe(filled, machine, session.step))
        try:
            return session.train(interrupted)
        finally:
            reporter.stop()


def default_folder(run: Run) -> Path:
    """`runs/NAME`, where the name tells runs with other settings apart."""
    return Path("runs") / run_name(run)


class Session:
    """One process's work on a run."""

    def __init__(self, run: ResolvedRun, folder: Folder, machine: Machine, reporter: Reporter) -> None:
        self.run, self.folder, self.machine, self.reporter = run, folder, machine, reporter
        self.learner = Learner(run, machine)
        self.recipe = self.learner.recipe
        self.splits = {name: split.with_threads(machine.threads) for name, split in self.recipe.splits(run).items()}
        self.step, self.seconds, self.numbers = 0, 0.0, FiniteCheck(self.machine.device)
        self.best: dict[str, Any] = {"step": 0}  # the columns of the evaluation that was chosen
        self.tested: dict[str, float] = {}  # the columns of the last evaluation's test, if there was one
        self._read_checkpoint()
        self.logged = max((line["step"] for line in folder.metrics()), default=0)  # the last line's step

    def train(self, interrupted: Flag) -> Result:
        """All steps that are left, then the result of the chosen model."""
        self.reporter.start(self.run, self.folder.path, self.step)
        self.learner.compile(self.run.split(self.run.rungs()[0]))
        while self.step < self.run.steps:
            self.folder.check_there()
            began = time.perf_counter()
            self._train_step()
            is_due = self._validates() or self.recipe.tests_after(self.step)
            if is_due:
                self._check_state()  # waits for the device, so that all of the steps' time counts
            self.seconds += time.perf_counter() - began
            if is_due:
                self._evaluate()
                self._write_checkpoint()
            if interrupted:
                self._write_checkpoint()
                raise self._interrupted()
        interrupted.at_once = True  # the test can take minutes, and nothing of it is kept
        try:
            return self._finish()
        except KeyboardInterrupt:
            raise self._interrupted() from None

    def _interrupted(self) -> Interrupted:
        again = f"narlab train --resume {self.folder.path}{self.machine.options}"
        return Interrupted(f"stopped after step {self.step}; go on with: {again}")

    def _validates(self) -> bool:
        """Whether the model is validated after this step."""
        return self.step % self.run.validate_every == 0 or self.step == self.run.steps

    def _train_step(self) -> None:
        batch = self.recipe.batch(self.run, self.splits, self.step).to(self.machine.device)
        self.learner.step(batch, self.step, self.note)
        self.step += 1
        self.reporter.step(self.step, self.numbers.last)

    def note(self, name: str, step: int, value: Tensor) -> None:
        """Watch over a number of a step."""
        self._check_finite(self.numbers.note(name, step, value))

    def _check_state(self) -> None:
        """See that all numbers so far are finite, and what the last step made of the weights."""
        sizes = [weights.detach().abs().sum() for weights in self.learner.model.parameters()]
        size = torch.stack(sizes).sum()
        self._check_finite(self.numbers.note(WEIGHTS, self.step, size) or self.numbers.look())

    def _check_finite(self, wrong: Seen | None) -> None:
        if wrong is not None:
            kept = f"the last good state is in {self.folder.path}" if self.best["step"] else "no state was saved yet"
            raise DivergedError(
                f"the {wrong.name} of step {wrong.step} is {wrong.value}; {kept}. "
                "Try a lower learning rate or another seed."
            )

    def _evaluate(self) -> None:
        """Validate, choose, and test, each where it is due; a test never chooses."""
        line: dict[str, Any] = {"step": self.step, "loss": self.numbers.total / (self.step - self.logged)}
        self.numbers.total, self.logged = 0.0, self.step
        validated: dict[str, Any] = {"step": self.step}
        for split in self.recipe.validated if self._validates() else ():
            validated |= self._scores(split, self.step)
        line |= validated
        self.tested = self._scores("test", self.step) if self.recipe.tests_after(self.step) else {}
        line |= self.tested
        if self._validates() and self.recipe.choose(validated, self.best if self.best["step"] else None):
            self.best = validated
            self.folder.write_tensors("best.safetensors", self.learner.evaluated.state_dict(), self.best)
        line |= {"learning_rate": self.learner.learning_rate, "seconds": self.seconds}
        self.folder.append_metrics(line)
        self.reporter.evaluation(line)

    def _scores(self, split: str, step: int) -> dict[str, float]:
        """The columns of all metrics on a split, with the random features of an evaluation after `step`."""
        seed = evaluation_seed(self.run, step)
        found = self.recipe.scores(self.learner.evaluated, self.splits[split], seed)
        return {metrics.column(split, metric): found[metrics.get(metric).name] for metric in self.run.metrics}

    def _finish(self) -> Result:
        model = self.learner.evaluated
        self.folder.write_tensors("last.safetensors", model.state_dict(), {"step": self.step})
        facts, trained_depth = load_weights(self.folder, model), model.depth
        self._check_chosen(facts, "best.safetensors: ")
        facts |= self._choose_depth(facts)
        is_tested = self.tested and facts["step"] == self.step and model.depth == trained_depth
        facts |= {**(self.tested if is_tested else self._scores("test", self.step)), "seconds": self.seconds}
        result = {**facts, "protocol": protocol_name(self.run), "depth": model.depth.setting}
        self.folder.write("result.json", (json.dumps(result, indent=1) + "\n").encode())
        return Result.of(self.run, self.folder.path, result)

    def _choose_depth(self, validated: dict[str, Any]) -> dict[str, Any]:
        """Give the chosen model the best of the depths that the recipe offers; what it is worth there and elsewhere."""
        model, best = self.learner.evaluated, validated
        chosen, values = model.depth, dict[str, float]()
        for offered in self.recipe.depths_to_choose():
            model.depth, columns = depth.parse(offered), validated
            if offered != self.run.depth:
                parts = [self._scores(split, validated["step"]) for split in self.recipe.validated]
                columns = {name: value for part in parts for name, value in part.items()}
            if not values or self.recipe.is_better(columns, best):
                chosen, best = model.depth, columns
            values[str(offered)] = self.recipe.value(columns)
        model.depth = chosen
        return {**best, "depths": values} if values else {}

    def _start_warm(self, source: str) -> None:
        for model in {self.learner.model, self.learner.evaluated}:
            said = _start_from(model, source)
        self.reporter.say(said)

    def _write_checkpoint(self) -> None:
        self._check_state()
        facts = {"step": self.step, "seconds": self.seconds, "losses": self.numbers.total, "best": self.best}
        self.folder.write_checkpoint(self.learner.state(), facts)

    def _check_checkpoint(self, tensors: dict[str, Tensor], facts: dict[str, Any]) -> None:
        Whole(1, self.run.steps).check(facts["step"], "step")
        Whole(0, facts["step"]).check(facts["best"]["step"], "best.step")
        if facts["best"]["step"]:
            self._check_chosen(facts["best"], "best.")
        self.learner.check_state(tensors, facts["step"])

    def _check_chosen(self, columns: dict[str, Any], where: str) -> None:
        """Raise a `UsageError` if the evaluation that was chosen has not all that later ones are compared by."""
        for split in self.recipe.validated:
            for name in (metrics.column(split, metric) for metric in self.run.metrics):
                Number(or_not_finite=True).check(columns.get(name), f"{where}{name}")

    def _read_checkpoint(self) -> None:
        found = self.folder.read_checkpoint(self._check_checkpoint)
        if found is None:
            self.folder.keep_metrics_until(0)
            if self.run.warm_start is not None:
                self._start_warm(self.run.warm_start)
            return
        tensors, facts, complaint = found
        if complaint:
            self.reporter.say(complaint)
        self.step, self.seconds, self.numbers.total = facts["step"], facts["seconds"], facts["losses"]
        self.best = facts["best"]
        self.learner.load_state(tensors, self.step)
        self.folder.keep_metrics_until(self.step)


def _start_from(model: Network, source: str) -> str:
    from narlab.training.warm_start import start_from  # few runs do

    return start_from(model, source)


def evaluation_seed(run: Run, step: int) -> int:
    """The seed of the random features with which a run is evaluated after a step; its result's test has the last."""
    return randomness.number(run.seed, randomness.EVALUATION, step)


def load(folder: str | os.PathLike, device: str = "cpu") -> Network:
    """The chosen model of a run's folder, ready to predict."""
    there = Folder(folder)
    where = device_of(device)
    model = new_model(there.run())
    load_weights(there, model)
    model.depth = depth.parse((there.result() or {}).get("depth", model.settings.depth))
    return model.to(where).eval()


def load_weights(folder: Folder, model: Network) -> dict[str, Any]:
    """Give the model the chosen weights of a run's folder; the step and the scores that they were chosen by."""
    weights, facts = folder.weights()
    try:
        check_tensors(weights, model.state_dict())
    except UsageError as error:
        where = f"the weights in {str(folder.path)!r} are not those of a model of its run.toml"
        raise UsageError(f"{where}: {error}") from error
    model.load_state_dict(weights)
    return facts
