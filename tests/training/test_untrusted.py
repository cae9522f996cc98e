"""A run's folder from elsewhere: links, damaged and foreign weights, and a folder that is removed."""

import json
import os
import shutil
from contextlib import suppress

import pytest
import torch
from safetensors import safe_open
from safetensors.torch import save_file

from narlab.common.errors import UsageError
from narlab.training import Run, load, train
from narlab.training.folder import Folder
from narlab.training.loop import Interrupted
from narlab.training.pretrained import FOLDER as SHIPPED
from narlab.training.reporting import PlainLines

TINY = Run("bfs", dataset="custom", n=4, hidden=4, depth=2, steps=6, validate_every=2, test_every=6, samples=20)
NEWEST, PREVIOUS = "checkpoint.safetensors", "checkpoint.previous.safetensors"


class Stopped(PlainLines):
    """Interrupts the run after a step, and keeps what is said."""

    def __init__(self, after=0):
        super().__init__(write=lambda text: self.said.append(text))
        self.after, self.said = after, []

    def step(self, step, loss):
        if step == self.after:
            os.kill(os.getpid(), 2)


@pytest.fixture(scope="module")
def half(tmp_path_factory):
    """A run with two checkpoints, stopped before its end."""
    folder = tmp_path_factory.mktemp("runs") / "half"
    with pytest.raises(Interrupted):
        train(TINY, folder, threads=1, reporter=Stopped(5))
    assert (folder / PREVIOUS).exists()
    return folder


@pytest.fixture
def run(half, tmp_path):
    return shutil.copytree(half, tmp_path / "run")


def rewrite(path, change):
    """Write a file of tensors anew, without its checksum, after a change of tensors and facts."""
    with safe_open(path, framework="pt") as file:
        facts = json.loads(file.metadata()["narlab"])
        tensors = {name: file.get_tensor(name).clone() for name in file.keys()}  # noqa: SIM118 (no mapping)
    facts.pop("sha256", None)
    change(tensors, facts)
    save_file(tensors, path, metadata={"narlab": json.dumps(facts)})


def go_on(folder):
    """What a run says that goes on."""
    reporter = Stopped()
    train(TINY, folder, threads=1, reporter=reporter)
    return "\n".join(reporter.said)


LINKS = (".lock", ".metrics.jsonl.unfinished", "metrics.jsonl", "environment.json", "best.safetensors", "result.json")


@pytest.mark.parametrize("name", [*LINKS, NEWEST])
@pytest.mark.parametrize("exists", [True, False])
def test_what_a_link_points_to_is_never_written(run, tmp_path, name, exists):
    target = tmp_path / "precious.txt"
    if exists:
        target.write_text("precious")
    (run / name).unlink(missing_ok=True)
    (run / name).symlink_to(target)
    with suppress(UsageError):
        go_on(run)
    assert (target.read_text() == "precious") if exists else not target.exists()


def test_a_folder_of_ours_that_is_a_link_is_refused(run, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (run / "tensorboard").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(UsageError, match="tensorboard' is a link, which nothing is written through; remove it"):
        Folder(run).append("tensorboard/events", b"1")
    assert not list((tmp_path / "elsewhere").iterdir())


def test_a_refused_run_leaves_nothing(run, tmp_path):
    before = sorted(os.listdir(run))
    for name in (NEWEST, PREVIOUS):
        (run / name).write_bytes(b"broken")
    (run / ".lock").unlink()
    with pytest.raises(UsageError, match="no checkpoint of"):
        go_on(run)
    assert sorted(os.listdir(run)) == [name for name in before if name != ".lock"]
    with pytest.raises(UsageError, match="unknown device"):
        train(TINY, tmp_path / "new", device="gpu", reporter=Stopped())
    assert not (tmp_path / "new").exists()


class Removes(Stopped):
    """Removes the run's folder after a step."""

    def __init__(self, folder, after):
        super().__init__()
        self.folder, self.removed_after = folder, after

    def step(self, step, loss):
        if step == self.removed_after:
            shutil.rmtree(self.folder)
        assert step <= self.removed_after


def test_a_folder_that_is_removed_ends_its_run(tmp_path):
    folder = tmp_path / "run"
    with pytest.raises(UsageError, match="was removed while the run was trained in it"):
        train(TINY, folder, threads=1, reporter=Removes(folder, 3))
    assert not folder.exists()


def flip(path, where):
    content = bytearray(path.read_bytes())
    content[where] ^= 4
    path.write_bytes(content)


@pytest.mark.parametrize("where", [12, 700, -1, -200])
def test_a_flipped_bit_is_found_and_the_checkpoint_before_is_used(run, where, half, tmp_path):
    flip(run / NEWEST, where)
    said = go_on(run)
    assert str(run / NEWEST) in said
    assert "going on from the checkpoint before it" in said
    assert "going on after step 4" in said
    whole = shutil.copytree(half, tmp_path / "whole")
    go_on(whole)
    assert (run / "last.safetensors").read_bytes() == (whole / "last.safetensors").read_bytes()


def test_a_flipped_bit_in_the_chosen_weights_is_found(run):
    flip(run / "best.safetensors", -3)
    with pytest.raises(UsageError, match="its checksum is not that of its contents"):
        load(run)


def test_files_without_a_checksum_are_read(run):
    for name in ("best.safetensors", NEWEST):
        rewrite(run / name, lambda tensors, facts: None)
    load(run)
    assert "going on after step 5" in go_on(run)
    Folder(SHIPPED / "triangle" / "minimum").weights()


def of_part(part, change):
    """A change of the first tensor of a part."""

    def changed(tensors, facts):
        name = next(name for name in sorted(tensors) if name.startswith(part))
        tensors[name] = change(tensors[name])

    return changed


def without(part):
    def changed(tensors, facts):
        del tensors[next(name for name in sorted(tensors) if name.startswith(part))]

    return changed


def fact(**values):
    return lambda tensors, facts: facts.update(values)


WRONG_TENSORS = {
    "NaN": (of_part("", lambda tensor: tensor.fill_(float("nan"))), "must be finite, but holds NaN or infinity"),
    "int8": (of_part("model/", lambda tensor: tensor.to(torch.int8)), "must have dtype torch.float32, got torch.int8"),
    "double": (of_part("model/", torch.Tensor.double), "must have dtype torch.float32, got torch.float64"),
    "shape": (of_part("model/", lambda tensor: tensor[..., :1].contiguous()), "must have shape"),
    "weights": (without("model/"), "is missing"),
    "moment": (without("optimiser/"), "is missing"),
    "other": (lambda tensors, facts: tensors.update({"model/x": torch.zeros(1)}), "'model/x' is none of the model's"),
    "moment's shape": (of_part("optimiser/", lambda tensor: torch.zeros(7)), "must have shape"),
    "step beyond": (fact(step=7), "step must be an integer of at least 1, at most 6, got 7"),
    "step as text": (fact(step="5"), "step must be an integer of at least 0, below 2**63, got '5'"),
    "step huge": (fact(step=10**40), "got an integer of 133 bits"),
    "step -1": (fact(step=-1), "step must be an integer"),
    "best null": (fact(best=None), "best must be an object with step, got None"),
    "best list": (fact(best=[1]), "best must be an object with step, got [1]"),
    "best empty": (fact(best={}), "best.step is missing"),
    "best later": (fact(best={"step": 6, "val": 0.5}), "best.step must be an integer of at least 0, at most 5, got 6"),
    "best without val": (fact(best={"step": 2}), "best.val must be a number, got None"),
    "seconds": (fact(seconds=float("nan")), "seconds must be a finite number of at least 0, got nan"),
    "losses": (fact(losses={}), "losses must be a finite number"),
}


@pytest.mark.parametrize("what", WRONG_TENSORS)
def test_a_checkpoint_that_is_not_the_run_s_is_refused(run, what):
    change, reason = WRONG_TENSORS[what]
    (run / PREVIOUS).unlink()
    rewrite(run / NEWEST, change)
    with pytest.raises(UsageError, match="no checkpoint of") as error:
        go_on(run)
    assert reason in str(error.value)
    assert str(run / NEWEST) in str(error.value)


def test_all_of_the_optimiser_is_missed(run):
    def change(tensors, facts):
        for name in [name for name in tensors if name.startswith("optimiser/")]:
            del tensors[name]

    rewrite(run / NEWEST, change)
    assert "is missing" in go_on(run)


@pytest.mark.parametrize("metadata", [{}, {"narlab": ""}, {"narlab": "[]"}, {"narlab": "[" * 10_000}, {"narlab": "{}"}])
def test_facts_that_are_none_are_refused(run, metadata):
    save_file({"w": torch.zeros(1)}, run / "best.safetensors", metadata=metadata)
    with pytest.raises(UsageError, match=r"best\.safetensors' can't be read: "):
        load(run)


def test_a_pipe_is_no_weights(run):
    (run / "best.safetensors").unlink()
    os.mkfifo(run / "best.safetensors")
    with pytest.raises(UsageError, match=r"best\.safetensors' is no ordinary file"):
        load(run)
