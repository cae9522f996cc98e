"""The training loop: train a run in a folder, from its beginning or from where it stopped."""

import json
import math
import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

import torch

from narlab.common.errors import UsageError
from narlab.common.memory import keep_freed_memory
from narlab.evaluation import evaluate, loss
from narlab.evaluation.scores import Scores
from narlab.models import Batch, Network, Prediction, make_batch
from narlab.training import randomness
from narlab.training.compilation import compile_steps
from narlab.training.device import Machine, device_of
from narlab.training.folder import Folder, Tensors, clone
from narlab.training.precision import check_bfloat16, predict_in_bfloat16
from narlab.training.reporting import PlainLines, Reporter
from narlab.training.run import Run
from narlab.training.watch import LOSS, NORM, Seen, Watch


class DivergedError(RuntimeError):
    """The loss is no longer a finite number."""


class Interrupted(KeyboardInterrupt):
    """The run was stopped by the user, and can go on."""


@dataclass(frozen=True)
class Result:
    """What came out of a run: the chosen model's scores, and where everything is."""

    run: Run
    folder: Path
    step: int
    val: float
    val_graph: float
    test: float
    test_graph: float
    seconds: float


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
    run = run.resolved()
    machine = Machine.of(device, threads, compiles=compile)
    if run.bfloat16:
        check_bfloat16(machine.device)
    folder = Folder(out if out is not None else default_folder(run))
    reporter = reporter or PlainLines()
    with folder.locked(), machine.limited(), _interruptions() as interrupted:
        folder.begin(run)
        done = folder.result()
        if done is not None:
            reporter.say(f"{folder.path} is done already")
            return Result(run, folder.path, **done)
        keep_freed_memory()
        session = Session(run, folder, machine, reporter)
        try:
            return session.train(interrupted)
        finally:
            reporter.stop()


def default_folder(run: Run) -> Path:
    """`runs/ALGORITHM-DATASET-PROCESSOR-SEED`, as far as the defaults go."""
    return Path("runs") / f"{run.algorithm}-{run.dataset}-{run.processor.replace(':', '-')}-{run.seed}"


class Session:
    """One process's work on a run."""

    def __init__(self, run: Run, folder: Folder, machine: Machine, reporter: Reporter) -> None:
        self.run, self.folder, self.device, self.reporter = run, folder, machine.device, reporter
        self.model = new_model(run).to(self.device)
        if machine.compiles:
            compile_steps(self.model)
        weights = self.model.parameters()
        self.optimiser = torch.optim.Adam(weights, run.learning_rate, betas=(0.9, 0.999), eps=1e-8, fused=True)
        self.splits = {name: run.split(name).with_threads(machine.threads) for name in ("train", "val", "test")}
        self.step, self.seconds, self.watch = 0, 0.0, Watch(self.device)
        self.best: dict[str, Any] = {"val": -math.inf, "step": 0}
        self._read_checkpoint()

    def train(self, interrupted: "Flag") -> Result:
        """All steps that are left, then the result of the chosen model."""
        self.reporter.start(self.run, self.folder.path, self.step)
        counts = {name: len(split.lengths) for name, split in self.splits.items()}  # all are made now, and kept
        while self.step < self.run.steps:
            began = time.perf_counter()
            self._train_step(counts["train"])
            is_due = self.step % self.run.validate_every == 0 or self.step == self.run.steps
            if is_due:
                self._check_finite(self.watch.look())  # waits for the device, so that all of the steps' time counts
            self.seconds += time.perf_counter() - began
            if is_due:
                self._evaluate()
                self._write_checkpoint()
            if interrupted:
                self._write_checkpoint()
                raise Interrupted(
                    f"stopped after step {self.step}; go on with: narlab train --resume {self.folder.path}"
                )
        return self._finish()

    def _train_step(self, count: int) -> None:
        run = self.run
        for group in self.optimiser.param_groups:
            group["lr"] = run.learning_rate * 0.5 * (1 + math.cos(math.pi * self.step / run.steps))
        assert run.batch_size is not None
        indices = randomness.batch_indices(run.seed, self.step, run.batch_size, count)
        stream = randomness.generator(run.seed, randomness.BATCHES, self.step)
        batch = make_batch(self.splits["train"][indices], stream).to(self.device)
        self._find_gradients(batch)
        self.optimiser.step()
        self.step += 1
        self.reporter.step(self.step, self.watch.last)

    def _find_gradients(self, batch: Batch) -> None:
        """Nothing here may wait for a GPU, such as `.item()` would."""
        self.optimiser.zero_grad()
        total = loss(self._predict(batch), batch)
        self._check_finite(self.watch.note(LOSS, self.step + 1, total))
        total.backward()
        norm = torch.nn.utils.clip_grad_norm_(self.model.parameters(), self.run.clip)
        self._check_finite(self.watch.note(NORM, self.step + 1, norm))

    def _predict(self, batch: Batch) -> Prediction:
        return predict_in_bfloat16(self.model, batch) if self.run.bfloat16 else self.model(batch)

    def _check_finite(self, wrong: Seen | None) -> None:
        if wrong is not None:
            kept = f"the last good state is in {self.folder.path}" if self.best["step"] else "no state was saved yet"
            raise DivergedError(
                f"the {wrong.name} of step {wrong.step} is {wrong.value}; {kept}. "
                "Try a lower learning rate or another seed."
            )

    def _evaluate(self) -> None:
        """Validate, choose, and test where it is due; a test never chooses."""
        run = self.run
        since = (self.step - 1) % run.validate_every + 1
        val = self._scores("val")
        line = {"step": self.step, "loss": self.watch.total / since, "val": val.score, "val_graph": val.graph_score}
        self.watch.total = 0.0
        if self.step % run.test_every == 0 or self.step == run.steps:
            test = self._scores("test")
            line |= {"test": test.score, "test_graph": test.graph_score}
        if val.score >= self.best["val"]:  # the last among the best
            self.best = {"step": self.step, "val": val.score, "val_graph": val.graph_score}
            self.folder.write_tensors("best.safetensors", self.model.state_dict(), self.best)
        line |= {"learning_rate": self.optimiser.param_groups[0]["lr"], "seconds": self.seconds}
        self.folder.append_metrics(line)
        self.reporter.evaluation(line)

    def _scores(self, split: str) -> Scores:
        return evaluate(self.model, self.splits[split], seed=evaluation_seed(self.run, self.step))

    def _finish(self) -> Result:
        self.folder.write_tensors("last.safetensors", self.model.state_dict(), {"step": self.step})
        chosen, facts = self.folder.read_tensors("best.safetensors")
        self.model.load_state_dict(chosen)
        test = self._scores("test")
        result = {**facts, "test": test.score, "test_graph": test.graph_score, "seconds": self.seconds}
        self.folder.write("result.json", (json.dumps(result, indent=1) + "\n").encode())
        return Result(self.run, self.folder.path, **result)

    def _write_checkpoint(self) -> None:
        self._check_finite(self.watch.look())
        tensors: Tensors = {f"model/{name}": tensor for name, tensor in self.model.state_dict().items()}
        for name, parameter in self.model.named_parameters():
            moments = self.optimiser.state[parameter]
            for kind in ("exp_avg", "exp_avg_sq"):
                if kind in moments:
                    tensors[f"adam/{kind}/{name}"] = moments[kind]
        facts = {"step": self.step, "seconds": self.seconds, "losses": self.watch.total, "best": self.best}
        self.folder.write_checkpoint(tensors, facts)

    def _read_checkpoint(self) -> None:
        found = self.folder.read_checkpoint()
        if found is None:
            self.folder.keep_metrics_until(0)
            return
        tensors, facts, complaint = found
        if complaint:
            self.reporter.say(complaint)
        self.step, self.seconds, self.watch.total = facts["step"], facts["seconds"], facts["losses"]
        self.best = facts["best"]
        weights = {name: tensors[f"model/{name}"] for name in self.model.state_dict()}
        self.model.load_state_dict(weights)
        for name, parameter in self.model.named_parameters():
            if f"adam/exp_avg/{name}" in tensors:
                moments = {kind: tensors[f"adam/{kind}/{name}"].to(self.device) for kind in ("exp_avg", "exp_avg_sq")}
                self.optimiser.state[parameter] = {"step": torch.tensor(float(self.step)), **clone(moments)}
        self.folder.keep_metrics_until(self.step)


def evaluation_seed(run: Run, step: int) -> int:
    """The seed of the random features with which a run is evaluated after a step; its result's test has the last."""
    return randomness.number(run.seed, randomness.EVALUATION, step)


def new_model(run: Run) -> Network:
    """The run's model with its initial weights."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(randomness.number(run.seed, randomness.WEIGHTS))
        return Network(run.resolved().model_settings())


def load(folder: str | os.PathLike, device: str = "cpu") -> Network:
    """The chosen model of a run's folder, ready to predict."""
    there = Folder(folder)
    model = new_model(there.run())
    if not (there.path / "best.safetensors").exists():
        raise UsageError(f"{str(there.path)!r} has no chosen model yet: it is written at the first validation")
    weights, _ = there.read_tensors("best.safetensors")
    try:
        model.load_state_dict(weights)
    except RuntimeError:
        raise UsageError(f"the weights in {str(there.path)!r} are not those of a model of its run.toml") from None
    return model.to(device_of(device)).eval()


class Flag:
    """Set by a signal, looked at between steps."""

    def __init__(self) -> None:
        self.is_set = False

    def __bool__(self) -> bool:
        return self.is_set


@contextmanager
def _interruptions() -> Iterator[Flag]:
    """Note Ctrl-C instead of stopping in the middle of a step; a second one stops at once."""
    flag = Flag()

    def note(number: int, frame: FrameType | None) -> None:
        if flag.is_set:
            raise KeyboardInterrupt
        flag.is_set = True

    try:
        before = signal.signal(signal.SIGINT, note)
    except ValueError:  # signals belong to the main thread
        yield flag
        return
    try:
        yield flag
    finally:
        signal.signal(signal.SIGINT, before)
