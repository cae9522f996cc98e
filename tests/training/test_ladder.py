"""The recipe ladder: its batches, depths and choices, that it goes on to the same bits, and what it refuses."""

import json
from dataclasses import replace

import numpy as np
import pytest
import torch

from narlab.data.datasets import ladder
from narlab.evaluation import evaluate
from narlab.models import Network, depth
from narlab.training import Run, load, loop, randomness, recipes, train
from narlab.training.environment import Machine
from narlab.training.folder import Folder
from narlab.training.identity import protocol_name, run_name
from narlab.training.learner import Learner, new_model
from narlab.training.recipes._average import MovingAverage
from narlab.training.reporting import PlainLines

LADDER = recipes.get("ladder")
CPU = Machine.of("cpu")
SMALL = Run(
    "insertion_sort", recipe="ladder:pairs_per_batch=200", processor="mpnn_fc", readout="paper", hidden=8, steps=6,
    batch_size=2, validate_every=2, samples=64,
)  # fmt: skip


class Quiet(PlainLines):
    """Says nothing; may break the run off after a step."""

    def __init__(self, stop_at=None):
        super().__init__(write=lambda text: None)
        self.stop_at = stop_at

    def step(self, step, loss):
        if step == self.stop_at:
            raise OSError("pulled the plug")


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ladder") / "run"
    return train(SMALL, folder, threads=1, reporter=Quiet())


def test_the_recipe_decides_on_data_and_model_where_nothing_is_said():
    run = Run("dfs", recipe="ladder").resolved()
    assert (run.dataset, run.processor, run.position, run.readout, run.relations, run.depth) == (
        "ladder", "triangle", "order", "pairs", True, "n/2",
    )  # fmt: skip
    assert (run.hidden, run.steps, run.validate_every, run.learning_rate, run.batch_size) == (32, 2000, 200, 2e-3, 16)
    assert Run("dfs", recipe="ladder", steps=300).resolved().validate_every == 30
    assert Run("dfs").resolved().processor == "mpnn_g"
    assert Run("dfs").resolved().relations is False
    other = Run("dfs", recipe="ladder", processor="mpnn_g", relations=False, dataset="l_clrs", depth=4)
    with pytest.raises(ValueError, match="chooses on 'ladder_16', which the data set 'l_clrs' does not have"):
        other.resolved()
    assert replace(other, recipe="ladder:choose_on=val").resolved().relations is False


def test_names_stay_canonical():
    assert run_name(Run("dfs", recipe="ladder")) == "dfs-ladder-triangle-recipe=ladder-42"
    said = Run("dfs", recipe="ladder", dataset="ladder", processor="triangle", position="order", relations=True)
    assert run_name(replace(said, readout="pairs", depth="n/2", hidden=32)) == run_name(Run("dfs", recipe="ladder"))
    different = [replace(said, **{name: value}) for name, value in (
        ("relations", False), ("readout", "paper"), ("position", "scalar"), ("processor", "mpnn_g"), ("depth", "n"),
    )]  # fmt: skip
    assert len({run_name(run) for run in (said, *different)}) == 6


def test_what_is_switched_off_is_read_back(tmp_path):
    run = Run("dfs", recipe="ladder", relations=False).resolved()
    (tmp_path / "run.toml").write_text(run.to_toml())
    assert Run.from_toml(tmp_path / "run.toml").resolved() == run
    assert "bfloat16" not in run.to_toml()


def test_batches_are_of_one_rung_and_have_about_as_many_pairs():
    run = Run("mst_kruskal", recipe="ladder").resolved()
    recipe, splits = run.training_recipe(), run.training_recipe().splits(run)
    sizes = [recipe.batch(run, splits, step).size for step in range(40)]
    assert {nodes for _, nodes in sizes} == {4, 6, 8, 10, 12, 14, 16}
    for graphs, nodes in sizes:
        assert graphs == max(16, min(256, 4096 // nodes**2))
    assert not any(splits[name]._is_made for name in splits)  # piece by piece
    again = recipe.batch(run, recipe.splits(run), 39)
    assert torch.equal(again.inputs["A"], recipe.batch(run, splits, 39).inputs["A"])


def test_a_rung_is_read_in_order_and_seeds_begin_elsewhere():
    run = Run("segments_intersect", recipe="ladder").resolved()
    recipe, splits = run.training_recipe(), run.training_recipe().splits(run)
    whole = splits["rung_4"].inputs["x"].astype(np.float32)
    places = {}
    for seed in (1, 2):
        batches = [recipe.batch(replace(run, seed=seed), recipe.splits(run), step).inputs["x"] for step in range(3)]
        first = int(np.flatnonzero((whole == batches[0][0].numpy()).all(1))[0])
        np.testing.assert_array_equal(torch.cat(batches).numpy(), whole[first : first + 3 * 256])
        places[seed] = first
    assert places[1] != places[2]


def test_rungs_are_drawn_as_often_as_they_are_named():
    names = ladder.rungs("quicksort")
    drawn = randomness.rungs(7, len(names), 4000)
    share = np.bincount(drawn, minlength=8) / 4000
    assert abs(share - 1 / 8).max() < 0.02
    np.testing.assert_array_equal(randomness.rungs(7, 8, 100), drawn[:100])


def test_depths_of_training_are_those_of_the_rule(monkeypatch):
    asked = []
    monkeypatch.setattr(Network, "__call__", lambda model, batch, **steps: asked.append(steps))
    learner = Learner(Run("quicksort", recipe="ladder").resolved(), CPU)
    batch = next(each for step in range(99) if (each := learner.sample_batch(step)).size[1] == 16)
    for seed in range(600):
        LADDER.predict(learner.model, batch, seed)
    assert {steps["depth"] for steps in asked} == set(range(5, 10))
    without = [steps["without_gradient"] for steps in asked]
    assert set(without) == set(range(33))
    assert 0.4 < np.mean([count == 0 for count in without]) < 0.62
    asked.clear()
    replace(LADDER, without_gradient=0, least_depth="n", largest_depth="n").predict(learner.model, batch, 3)
    assert asked == [{"depth": 17, "without_gradient": 0}]


def test_the_first_weights_are_soon_forgotten():
    model = new_model(replace(SMALL, recipe="paper", dataset="l_clrs"))
    average, expected = MovingAverage(model, 0.99, rises=True), None
    for step in range(4):
        with torch.no_grad():
            for weight in model.parameters():
                weight.add_(1.0)
        average.update()
        weights = [weight.detach().clone() for weight in model.parameters()]
        decay = min(0.99, (step + 1) / (step + 10))
        pairs = zip(expected or weights, weights, strict=True)
        expected = [decay * old + (1 - decay) * new for old, new in pairs]
    for found, weight in zip(average.model.parameters(), expected, strict=True):
        torch.testing.assert_close(found.detach(), weight)


def test_the_model_is_chosen_on_the_ladder_and_then_its_depth(trained):
    lines = Folder(trained.folder).metrics()
    assert [line["step"] for line in lines] == [2, 4, 6]
    assert all("test" not in line and {"val", "ladder_16_graph"} <= line.keys() for line in lines)
    means = {line["step"]: np.mean([line[f"ladder_{n}"] for n in (16, 24, 32)]) for line in lines}
    assert trained.step == max(step for step, mean in means.items() if mean == max(means.values()))
    result = json.loads((trained.folder / "result.json").read_text())
    assert result["depths"].keys() == {"n/2", "n"}
    assert result["depths"]["n/2"] == pytest.approx(means[trained.step])
    assert result["depth"] == ("n" if result["depths"]["n"] > result["depths"]["n/2"] else "n/2")
    assert np.mean([result[f"ladder_{n}"] for n in (16, 24, 32)]) == pytest.approx(max(result["depths"].values()))


def test_the_chosen_depth_is_that_of_the_loaded_model(trained, tmp_path):
    run = Folder(trained.folder).run()
    seed = loop.evaluation_seed(run, run.steps)
    assert evaluate(load(trained.folder), run.split("test"), seed=seed).score == trained.test
    path = trained.folder / "result.json"
    before = path.read_text()
    path.write_text(json.dumps(json.loads(before) | {"depth": "3*n"}))
    try:
        assert load(trained.folder).depth == depth.parse("3*n")
    finally:
        path.write_text(before)
    assert evaluate(load(trained.folder), run.split("test"), depth=trained.depth, seed=seed).score == trained.test


def test_equal_depths_leave_the_first(monkeypatch, trained, tmp_path):
    session = loop.Session(SMALL.resolved(), Folder(tmp_path), CPU, Quiet())
    scores = {"n/2": 0.5, "n": 0.5, "2*n": 0.75}
    found = lambda split, step: {split: scores[str(session.learner.evaluated.depth)]}  # noqa: E731
    monkeypatch.setattr(session, "_scores", found)
    validated = {"step": 2, **dict.fromkeys(LADDER.choose_on, 0.5)}
    assert session._choose_depth(validated)["depths"] == {"n/2": 0.5, "n": 0.5}
    assert session.learner.evaluated.depth == depth.parse("n/2")
    session.recipe = replace(session.recipe, depths=("n", "2*n"))
    assert session._choose_depth(validated)["ladder_24"] == 0.75
    assert session.learner.evaluated.depth == depth.parse("2*n")


@pytest.mark.parametrize("stop_at", [3])
def test_a_run_that_is_broken_off_ends_with_the_same_bits(trained, tmp_path, everything, stop_at):
    with pytest.raises(OSError, match="pulled the plug"):
        train(SMALL, tmp_path / "broken", threads=1, reporter=Quiet(stop_at))
    train(Folder(tmp_path / "broken").run(), tmp_path / "broken", threads=1, reporter=Quiet())
    assert everything(trained.folder) == everything(tmp_path / "broken")


def test_a_protocol_names_what_numbers_have_in_common(trained, tiny):
    assert trained.protocol == protocol_name(SMALL)
    assert trained.protocol.startswith("ladder-")
    own = protocol_name(Run("dfs", recipe="ladder"))
    assert own == protocol_name(Run("bfs", recipe="ladder", processor="mpnn_g", seed=1, steps=9))
    others = ["ladder:choose_on=ladder_16", "ladder:depths=2*n", "ladder:rungs=false", "ladder:metric=valid", "paper"]
    assert len({own, *(protocol_name(Run("dfs", recipe=text, depth="n/2")) for text in others)}) == 6
    assert protocol_name(Run("bfs")) != protocol_name(Run("bfs", dataset="clrs"))
    assert protocol_name(tiny) != protocol_name(replace(tiny, n=5))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"hints": "decoded_only", "depth": "trajectory"}, "needs a model without hints and quantiser"),
        ({"quantiser": "straight_through"}, "needs a model without hints and quantiser"),
        ({"dataset": "custom", "n": 6}, "chooses on 'ladder_16', which the data set 'custom' does not have"),
        ({"recipe": "ladder:least_depth=n/"}, "depth must be an integer .*, got 'n/'"),
        ({"recipe": "ladder:least_depth=9,largest_depth=3"}, "least_depth must be at most largest_depth, got 9 and 3"),
        ({"recipe": "ladder:depths=trajectory"}, "got 'trajectory'"),
        ({"recipe": "ladder:pairs_per_batch=-1"}, "pairs_per_batch must be an integer of at least 0, got -1"),
        ({"recipe": "ladder:without_gradient_share=2"}, "without_gradient_share must be a number from 0 to below 1"),
    ],
)
def test_what_the_ladder_refuses(settings, message):
    with pytest.raises(ValueError, match=message):
        Run(**{"algorithm": "bfs", "recipe": "ladder", "processor": "mpnn_g", **settings}).resolved()


def test_an_older_result_is_read():
    old = Folder(loop.Path(__file__).parent / "old_folder" / "finished")
    assert loop.Result.of(old.run(), old.path, old.result()).protocol == ""
    assert load(old.path).depth == depth.parse(2)
