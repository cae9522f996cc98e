"""The same run gives the same bits, however often it was stopped; and nothing is lost."""

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace

import pytest
import torch

from narlab.evaluation import evaluate
from narlab.training import DivergedError, learner, load, loop, train
from narlab.training.recipes import _recipe
from narlab.training.reporting import PlainLines


class Quiet(PlainLines):
    """Says nothing; may break the run off after a step."""

    def __init__(self, stop_at=None):
        super().__init__(write=lambda text: self.said.append(text))
        self.said: list[str] = []
        self.stop_at = stop_at

    def step(self, step, loss):
        if step == self.stop_at:
            raise OSError("pulled the plug")


def test_the_same_run_gives_the_same_bits(tmp_path, tiny, everything):
    for name in ("a", "b"):
        train(tiny, tmp_path / name, reporter=Quiet())
    assert everything(tmp_path / "a") == everything(tmp_path / "b")
    train(replace(tiny, seed=43), tmp_path / "c", reporter=Quiet())
    assert everything(tmp_path / "a")[0] != everything(tmp_path / "c")[0]


def test_a_run_that_is_stopped_in_its_last_test_is_tested_again(tmp_path, tiny, everything, monkeypatch):
    run, scores_of = replace(tiny, test_every=100), loop.Session._scores

    def stopped(session, split, step):
        if split == "test":
            signal.raise_signal(signal.SIGINT)
        return scores_of(session, split, step)

    train(run, tmp_path / "whole", reporter=Quiet())
    with monkeypatch.context() as patched:
        patched.setattr(loop.Session, "_scores", stopped)
        with pytest.raises(loop.Interrupted, match="stopped after step 12; go on with: narlab train --resume"):
            train(run, tmp_path / "broken", reporter=Quiet())
    train(run, tmp_path / "broken", reporter=Quiet())
    assert everything(tmp_path / "whole") == everything(tmp_path / "broken")


HINTS, QUANTISER, STOPS = {"hints": "encoded_decoded", "depth": None}, {"quantiser": "gumbel_softmax"}, (1, 5, 8, 11)


@pytest.mark.parametrize(
    ("changes", "stops"),
    [
        ({}, STOPS),
        (HINTS | QUANTISER, (5, 11)),
        pytest.param(HINTS, STOPS, marks=pytest.mark.slow),
        pytest.param(QUANTISER, STOPS, marks=pytest.mark.slow),
    ],
)
def test_a_broken_off_run_ends_with_the_same_bits(tmp_path, tiny, changes, stops, everything):
    run = replace(tiny, **changes)
    train(run, tmp_path / "whole", reporter=Quiet())
    for stop_at in stops:
        broken = tmp_path / f"broken at {stop_at}"
        with pytest.raises(OSError, match="pulled the plug"):
            train(run, broken, reporter=Quiet(stop_at))
        train(run, broken, reporter=Quiet())
        assert everything(tmp_path / "whole") == everything(broken), f"stopped at {stop_at}"


def test_a_truncated_checkpoint_costs_no_more_than_an_interval(tmp_path, tiny, everything):
    train(tiny, tmp_path / "whole", reporter=Quiet())
    with pytest.raises(OSError, match="pulled the plug"):
        train(tiny, tmp_path / "broken", reporter=Quiet(stop_at=10))
    checkpoint = tmp_path / "broken" / "checkpoint.safetensors"
    checkpoint.write_bytes(checkpoint.read_bytes()[:1000])
    reporter = Quiet()
    train(tiny, tmp_path / "broken", reporter=reporter)
    assert "going on from the checkpoint before it" in reporter.said[0]
    assert everything(tmp_path / "whole") == everything(tmp_path / "broken")


SETTINGS = "bfs --dataset custom --n 6 --test-n 8 --hidden 8 --depth 3 --validate-every 25 --test-every 100 --threads 1"


def start(folder, *options):
    code = "from narlab.cli import main; main()"
    command = [sys.executable, "-c", code, "train", *SETTINGS.split(), "--out", str(folder), *options]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def wait_for(path, process):
    for _ in range(2400):  # two minutes: a busy machine may have to compile first
        if path.exists() or process.poll() is not None:
            return
        time.sleep(0.05)


@pytest.mark.slow
@pytest.mark.xdist_group("killed")
def test_a_killed_process_loses_nothing(tmp_path, everything):
    whole = start(tmp_path / "whole", "--steps", "200")
    broken = start(tmp_path / "broken", "--steps", "200")
    wait_for(tmp_path / "broken" / "checkpoint.safetensors", broken)
    broken.send_signal(signal.SIGKILL)
    broken.communicate()
    assert broken.returncode == -signal.SIGKILL
    code = "from narlab.cli import main; main()"
    command = [sys.executable, "-c", code, "train", "--resume", str(tmp_path / "broken"), "--threads", "1"]
    resumed = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "chosen at step" in resumed.stdout
    assert whole.wait() == 0
    whole.communicate()
    assert everything(tmp_path / "whole") == everything(tmp_path / "broken")


@pytest.mark.xdist_group("killed")
@pytest.mark.parametrize("number", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.slow)])
def test_a_signal_ends_after_the_step_and_says_how_to_go_on(tmp_path, number):
    process = start(tmp_path / "run", "--steps", "100000")
    wait_for(tmp_path / "run" / "checkpoint.safetensors", process)
    process.send_signal(number)
    _out, err = process.communicate(timeout=120)
    assert process.returncode == 130, err
    assert f"go on with: narlab train --resume {tmp_path / 'run'} --threads 1" in err  # other bits with more
    assert "Traceback" not in err


def test_the_last_among_the_best_is_chosen(tmp_path, tiny, monkeypatch):
    given = iter([0.5, 0.7, 0.7])
    real = _recipe.evaluate

    def graded(model, dataset, *, metrics, seed):
        found = real(model, dataset, metrics=metrics, seed=seed)
        return {**found, "score": next(given)} if dataset.description.seed == 2 else found

    monkeypatch.setattr(_recipe, "evaluate", graded)
    assert train(tiny, tmp_path / "run", reporter=Quiet()).step == 12


def test_test_scores_are_recorded_when_due(tmp_path, tiny, everything):
    train(tiny, tmp_path / "run", reporter=Quiet())
    lines = everything(tmp_path / "run")[1]
    assert [line["step"] for line in lines] == [4, 8, 12]
    assert ["test" in line for line in lines] == [False, True, True]


def test_the_chosen_model_is_loaded_ready_to_predict(tmp_path, tiny):
    result = train(tiny, tmp_path / "run", reporter=Quiet())
    model = load(tmp_path / "run")
    assert not model.training
    seed = loop.evaluation_seed(tiny, tiny.steps)
    assert evaluate(model, tiny.split("test"), seed=seed).score == result.test


def spoiled(real, steps, spoil):
    """A loss that something happens to after so many steps."""
    seen: list[int] = []

    def loss(prediction, batch):
        value = real(prediction, batch)
        return spoil(value) if len(seen) == steps else seen.append(1) or value

    return loss


@pytest.mark.parametrize(
    ("steps", "spoil", "message"),
    [
        (
            6,
            lambda loss: loss * float("nan"),
            "the loss of step 7 is nan; the last good state is in .*run. Try a lower",
        ),
        (2, lambda loss: loss * float("nan"), "the loss of step 3 is nan; no state was saved yet. Try a lower"),
        (7, lambda loss: loss + 3e38 * (loss - loss.detach()), "the gradient's norm of step 8 is (inf|nan)"),
    ],
)
def test_a_loss_that_is_not_finite_stops_the_run(tmp_path, tiny, monkeypatch, everything, steps, spoil, message):
    real = learner.loss
    monkeypatch.setattr(learner, "loss", spoiled(real, steps, spoil))
    with pytest.raises(DivergedError, match=message):
        train(tiny, tmp_path / "run", reporter=Quiet())
    monkeypatch.setattr(learner, "loss", real)
    train(tiny, tmp_path / "run", reporter=Quiet())  # what was kept is good
    train(tiny, tmp_path / "whole", reporter=Quiet())
    assert everything(tmp_path / "run") == everything(tmp_path / "whole")


def test_folders_that_are_not_this_run_s(tmp_path, tiny):
    train(tiny, tmp_path / "run", reporter=Quiet())
    with pytest.raises(ValueError, match="belongs to another run: its seed is 42, not 7"):
        train(replace(tiny, seed=7), tmp_path / "run", reporter=Quiet())
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "thesis.tex").write_text("precious")
    with pytest.raises(ValueError, match="is not empty and holds no run"):
        train(tiny, tmp_path / "other", reporter=Quiet())
    assert sorted(os.listdir(tmp_path / "other")) == ["thesis.tex"]
    (tmp_path / "file").write_text("")
    with pytest.raises(ValueError, match="cannot write"):
        train(tiny, tmp_path / "file" / "run", reporter=Quiet())
    with pytest.raises(ValueError, match="is no run"):
        load(tmp_path / "other")


def test_weights_that_are_not_the_run_s(tmp_path, tiny):
    train(tiny, tmp_path / "run", reporter=Quiet())
    file = tmp_path / "run" / "run.toml"
    file.write_text(file.read_text().replace("hidden = 8", "hidden = 16"))
    with pytest.raises(ValueError, match=r"are not those of a model of its run\.toml"):
        load(tmp_path / "run")


def test_a_finished_run_is_not_trained_again(tmp_path, tiny):
    first = train(tiny, tmp_path / "run", reporter=Quiet())
    reporter = Quiet()
    assert train(tiny, tmp_path / "run", reporter=reporter) == first
    assert "is done already" in reporter.said[0]


def test_two_processes_do_not_train_in_one_folder(tmp_path, tiny):
    folder = loop.Folder(tmp_path / "run")
    with folder.locked(), pytest.raises(ValueError, match="another process is training in"):
        train(tiny, tmp_path / "run", reporter=Quiet())


@pytest.mark.skipif(torch.cuda.is_available(), reason="this machine has a GPU")
def test_a_device_that_is_not_there(tmp_path, tiny):
    with pytest.raises(ValueError, match="this machine has no usable GPU"):
        train(tiny, tmp_path / "run", device="cuda", reporter=Quiet())
    with pytest.raises(ValueError, match="unknown device 'gpu'"):
        train(tiny, tmp_path / "run", device="gpu", reporter=Quiet())
