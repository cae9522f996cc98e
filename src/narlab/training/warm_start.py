"""Beginning where another run ended: with its chosen weights, or with its checkpoint and more steps."""

import os
from dataclasses import replace
from pathlib import Path

import torch

from narlab.common.errors import UsageError
from narlab.models import Network
from narlab.training.folder import Folder
from narlab.training.pretrained import run_folder
from narlab.training.run import ResolvedRun

NAMED = 3  # tensors, in what is said of those that stay new


def start_from(model: Network, source: str) -> str:
    """Give `model` the chosen weights of the run `source` that fit by name and shape; say which.

    Those of the processor must fit: it is what models of different algorithms have in common.
    """
    weights, _ = Folder(run_folder(source)).weights()
    own = model.state_dict()
    fitting = {name: tensor for name, tensor in weights.items() if name in own and own[name].shape == tensor.shape}
    new = [name for name in own if name not in fitting]
    wrong = next((name for name in new if name.startswith("processor.")), None)
    if wrong is not None or not fitting:
        raise UsageError(
            f"the weights of {source!r} do not fit this run's processor, {model.settings.processor} of width "
            f"{model.settings.hidden}: take the processor and the width of that run"
        )
    with torch.no_grad():
        for name, tensor in fitting.items():
            own[name].copy_(tensor)
    others = f"; new: {', '.join(new[:NAMED])}" + (", ..." if len(new) > NAMED else "") if new else ""
    return f"begins with {len(fitting)} of {len(own)} tensors of {source}{others}"


def extend(folder: str | os.PathLike, steps: int) -> ResolvedRun:
    """Let the run of a folder go on for more steps than it was made for; it is trained then like any other.

    The learning rate from there on is that of a run of `steps`. Its result so far becomes result.STEPS.json.
    """
    there = Folder(folder)
    run = there.run()
    if steps == run.steps:
        return run
    if steps < run.steps:
        raise UsageError(f"{str(folder)!r} has {run.steps} steps already: --steps must be more, got {steps}")
    if there.read_checkpoint() is None and there.result() is not None:
        raise UsageError(f"{str(folder)!r} has no checkpoint to go on from; begin a new run: --warm-start {folder}")
    longer = replace(run, steps=steps)
    longer.check()
    with there.locked():
        if there.result() is not None:
            os.replace(Path(folder) / "result.json", Path(folder) / f"result.{run.steps}.json")
        there.write("run.toml", longer.to_toml().encode())
    return longer
