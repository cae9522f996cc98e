"""The losses of 20 steps don't move in a refactor, and folders of the first form are read, resumed and evaluated."""

import json
import shutil
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from narlab.evaluation import evaluate
from narlab.training import Run, load, loop, train
from narlab.training.environment import Machine
from narlab.training.folder import Folder
from narlab.training.learner import LOSS, Learner
from narlab.training.reporting import PlainLines

OLD = Path(__file__).parent / "old_folder"  # made by narlab 0.1.0 of November 2026, before there were recipes
SAME = {"rtol": 1e-5, "atol": 1e-7}  # on the machine that made them they are the same bits
SHIFT = (
    "decoders.by_name.pi.out.bias"  # moves all logits of a softmax: a gradient of rounding alone, that Adam scales up
)
LOSSES = {
    "none": [
        2.5178005695343018, 2.504823923110962, 2.479685068130493, 2.4748692512512207, 2.4714291095733643,
        2.424661636352539, 2.418074369430542, 2.3873190879821777, 2.3979671001434326, 2.374349355697632,
        2.3859667778015137, 2.347766876220703, 2.3200342655181885, 2.3539323806762695, 2.319746971130371,
        2.3302695751190186, 2.315873861312866, 2.3731584548950195, 2.3178763389587402, 2.358841896057129,
    ],
    "encoded_decoded": [
        6.344594955444336, 6.26978874206543, 6.306007385253906, 6.188187599182129, 6.208343505859375,
        6.1697516441345215, 6.149501800537109, 6.0905680656433105, 6.084339141845703, 6.063632488250732,
        6.04210901260376, 5.99083137512207, 5.972926139831543, 5.9840087890625, 5.948042392730713,
        5.941200256347656, 5.97713565826416, 6.016488075256348, 5.955533027648926, 5.943295478820801,
    ],
}  # fmt: skip
LADDER_LOSSES = {
    "with pair features": [
        2.737032890319824, 2.7520041465759277, 2.7054851055145264, 2.742872714996338, 2.4211819171905518,
        2.691953659057617, 2.718794345855713, 2.6311964988708496, 2.632905960083008, 2.5762441158294678,
        2.594914197921753, 2.6548192501068115, 2.6236727237701416, 2.5405449867248535, 2.539022207260132,
        2.404212474822998, 2.420903205871582, 2.5401933193206787, 2.418461322784424, 2.452754020690918,
    ],
    "without": [
        2.858659029006958, 2.8285038471221924, 2.871492385864258, 2.8231775760650635, 2.5428240299224854,
        2.795650005340576, 2.76472544670105, 2.8097758293151855, 2.795036792755127, 2.778812885284424,
        2.7502524852752686, 2.7344939708709717, 2.726975917816162, 2.70923113822937, 2.6799941062927246,
        2.644104480743408, 2.6146745681762695, 2.6327240467071533, 2.5679924488067627, 2.567453384399414,
    ],
}  # fmt: skip
WINNERS_CHANGE = (
    1e-3  # which of two like messages is the larger hangs on rounding: 6e-4 off after 20 steps on another CPU
)
OTHER_CPU = 1e-4  # after five steps of the ladder: made on an AMD EPYC, 1.7e-5 off on an Intel Xeon
SIGNS_TURN = 5e-3  # counts are sums of signs: what rounds otherwise, as plain PyTorch, is 3e-3 off after 15 steps


class Quiet(PlainLines):
    """Prints nothing."""

    def __init__(self):
        super().__init__(write=lambda text: None)


@pytest.mark.parametrize("hints", LOSSES)
def test_the_losses_of_20_steps(tmp_path, hints):
    depth = 8 if hints == "none" else None
    run = Run("bfs", hints=hints, hidden=32, depth=depth, steps=20, validate_every=1, test_every=20, samples=200)
    train(run, tmp_path / "run", threads=1, reporter=Quiet())
    lines = (tmp_path / "run" / "metrics.jsonl").read_text().splitlines()
    losses = [json.loads(line)["loss"] for line in lines]
    assert losses == pytest.approx(LOSSES[hints], rel=WINNERS_CHANGE)
    assert losses[:5] == pytest.approx(LOSSES[hints][:5], rel=1e-5)


@pytest.mark.parametrize("model", LADDER_LOSSES)
def test_the_losses_of_20_steps_of_the_ladder(model):
    """Sizes, depths and steps without gradient are drawn for each of them."""
    run = Run("dfs", recipe="ladder", pair_features=() if model == "without" else None).resolved()
    learner = Learner(run, Machine.of("cpu"))
    splits, losses = learner.recipe.splits(run), []
    for step in range(20):
        batch = learner.recipe.batch(run, splits, step)
        learner.step(batch, step, lambda name, _, value: losses.append(value.item()) if name == LOSS else None)
    assert losses == pytest.approx(LADDER_LOSSES[model], rel=SIGNS_TURN)
    assert losses[:5] == pytest.approx(LADDER_LOSSES[model][:5], rel=OTHER_CPU)


def test_a_finished_folder_is_read_and_evaluated():
    folder = Folder(OLD / "finished")
    run, result = folder.run(), folder.result()
    assert (run.algorithm, run.hidden, run.steps, run.resolved().batch_size) == ("bfs", 4, 12, 4)
    scores = evaluate(load(OLD / "finished"), run.split("test"), seed=loop.evaluation_seed(run, run.steps))
    assert scores.score == pytest.approx(result["test"])
    assert [line["step"] for line in folder.metrics()] == [4, 8, 12]


def test_an_interrupted_run_goes_on_to_the_same_weights(tmp_path):
    shutil.copytree(OLD / "interrupted", tmp_path / "run")
    run = Folder(tmp_path / "run").run()
    result = train(run, tmp_path / "run", threads=1, reporter=Quiet())
    for name in ("best.safetensors", "last.safetensors"):
        whole, resumed = load_file(OLD / "finished" / name), load_file(tmp_path / "run" / name)
        torch.testing.assert_close(resumed.pop(SHIFT), whole.pop(SHIFT), atol=run.steps * run.learning_rate, rtol=0)
        torch.testing.assert_close(resumed, whole, **SAME)
    expected = Folder(OLD / "finished").result()
    assert (result.step, result.val, result.test) == (expected["step"], expected["val"], expected["test"])
    losses = [[line["loss"] for line in Folder(path).metrics()] for path in (OLD / "finished", tmp_path / "run")]
    assert losses[1] == pytest.approx(losses[0], rel=1e-5)


def test_a_finished_folder_is_done_for_the_same_run():
    run = Run(
        "bfs", dataset="custom", n=4, test_n=5, hidden=4, depth=2, steps=12, batch_size=4, validate_every=4,
        test_every=8, samples=20,
    )  # fmt: skip
    assert Folder(OLD / "finished").run() == run.resolved()
