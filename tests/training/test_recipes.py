"""Recipes: what they decide, how they are written, and what others can replace."""

import json
import math
from dataclasses import dataclass, replace

import pytest
import torch

from narlab.evaluation import evaluate, metrics
from narlab.evaluation.metrics import Counts, Metric
from narlab.models import make_batch
from narlab.training import Recipe, Run, load, loop, recipes, train
from narlab.training.environment import Machine
from narlab.training.folder import Folder
from narlab.training.learner import Learner
from narlab.training.reporting import PlainLines

PAPER = recipes.get("paper")
CPU = Machine.of("cpu")


class Quiet(PlainLines):
    """Says nothing; may break the run off after a step."""

    def __init__(self, stop_at=None):
        super().__init__(write=lambda text: None)
        self.stop_at = stop_at

    def step(self, step, loss):
        if step == self.stop_at:
            raise OSError("pulled the plug")


def test_the_papers_learning_rate_is_half_a_cosine():
    rates = [PAPER.learning_rate_at(step) for step in (0, 5_000, 10_000, 20_000)]
    assert rates == pytest.approx([1e-4, 1e-4 * (0.5 + 0.5 / math.sqrt(2)), 5e-5, 0.0], abs=1e-12)


def test_a_learning_rate_rises_and_ends_above_0():
    recipe = replace(PAPER, learning_rate=1e-3, warm_up=100, final_share=0.02, steps=1000)
    assert recipe.learning_rate_at(0) == pytest.approx(1e-5, rel=1e-4)
    assert recipe.learning_rate_at(49) == pytest.approx(0.5e-3, rel=0.01)
    assert recipe.learning_rate_at(1000) == pytest.approx(2e-5)
    assert recipes.get("clrs").learning_rate_at(9_999) == 1e-3


def test_the_benchmarks_own_training():
    run = Run("bfs", dataset="clrs", recipe="clrs").resolved()
    assert (run.depth, run.steps, run.learning_rate, run.batch_size) == ("trajectory", 10_000, 1e-3, 32)
    assert Run("bfs", recipe="clrs", depth=5, steps=7).resolved().depth == 5
    assert Run("bfs", processor="two_wl", recipe="clrs").resolved().batch_size == 32


@pytest.mark.parametrize(
    "text", ["paper", "clrs", "paper:warm_up=100,averaging=0.999", "paper:betas=0.9+0.99,choose_on=val+ladder_24"]
)
def test_a_text_is_read_and_written_back(text):
    assert recipes.describe(recipes.parse(text)) == text
    assert recipes.describe(text) == text


def test_a_recipe_in_python_is_written_as_text():
    assert Run("bfs", recipe=PAPER).recipe == "paper"
    assert Run("bfs", recipe=replace(PAPER, averaging=0.99)).recipe == "paper:averaging=0.99"
    assert Run("bfs", recipe=MINE).recipe == f"{__name__}:MINE"
    assert Run("bfs", recipe="paper:averaging=none, warm_up=0").resolved().recipe == "paper"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("papr", r"unknown recipe 'papr'; did you mean 'paper'\?"),
        ("paper:warmup=3", r"unknown option of paper 'warmup'; did you mean 'warm_up'\?"),
        ("paper:steps=3", "unknown option of paper 'steps'"),  # the run itself has it
        ("paper:warm_up", "options of recipe 'paper' are written key=value, got 'warm_up'"),
        ("paper:warm_up=x", "option 'warm_up' of recipe 'paper' must be an integer, got 'x'"),
        ("paper:averaging=x", "option 'averaging' of recipe 'paper' must be a number or none, got 'x'"),
        ("paper:averaging=1", "averaging must be a number from 0 to below 1, got 1.0"),
        ("paper:betas=0.9", r"betas must be two numbers from 0 to below 1, got \(0.9,\)"),
        ("paper:schedule=step", "unknown schedule 'step'; .*Known: cosine, constant"),
        ("paper:metric=scroe", r"unknown metric 'scroe'; did you mean 'score'\? Known: "),
        ("paper:eps=0", "eps must be a positive number, got 0.0"),
        ("paper:weight_decay=-1", "weight_decay must be a finite number of at least 0, got -1.0"),
        ("paper:weight_decay=nan", "weight_decay must be a finite number of at least 0, got nan"),
        ("ladder:weight_decay=1e999", "weight_decay must be a finite number of at least 0, got inf"),
        ("paper:choose_on=", "choose_on must name at least one split, such as 'val'"),
        ("ladder:choose_on=", "choose_on must name at least one split, such as 'val'"),
        ("ladder:choose_on=ladder_16+test", "choose_on can't name 'test': a number that was chosen by its test"),
        ("paper:warm_up=-1", "warm_up must be an integer of at least 0, got -1"),
    ],
)
def test_recipes_that_can_not_be(text, message):
    with pytest.raises(ValueError, match=message):
        Run("bfs", recipe=text).resolved()


@pytest.mark.parametrize("weight_decay", [0.0, 0.1])
def test_the_optimiser_is_pytorchs_adam_to_the_bit(weight_decay):
    """With decay AdamW; also where a parameter has no gradient at first, and after its state was saved and loaded."""
    torch.manual_seed(0)
    start = [torch.randn(7, 5), torch.randn(3)]
    ours, theirs = ([torch.nn.Parameter(weights.clone()) for weights in start] for _ in range(2))
    optimiser = replace(PAPER, weight_decay=weight_decay).optimiser(ours)
    kind = torch.optim.AdamW if weight_decay else torch.optim.Adam
    usual = kind(theirs, PAPER.learning_rate, betas=PAPER.betas, eps=PAPER.eps, weight_decay=weight_decay, fused=True)
    for step in range(6):
        for k, weights in enumerate(start[: 1 if step == 0 else 2]):
            ours[k].grad = torch.randn_like(weights)
            theirs[k].grad = ours[k].grad.clone()
        optimiser.step()
        usual.step()
        again = replace(PAPER, weight_decay=weight_decay).optimiser(ours)
        again.load_state_dict(optimiser.state_dict())
        optimiser = again
    assert all(map(torch.equal, ours, theirs))
    for state, expected in zip(optimiser.state.values(), usual.state_dict()["state"].values(), strict=True):
        assert state.keys() == expected.keys()
        assert all(torch.equal(state[name], expected[name]) for name in state)
    optimiser.zero_grad()
    assert all(weights.grad is None for weights in ours)


def test_the_last_model_is_not_tested_twice(tmp_path, tiny, monkeypatch):
    """If it is the chosen one, its test is the result's; the result is that of an evaluation of its own."""
    tested = []

    def noted(self, split, step):
        tested.append((split, step))
        return scores(self, split, step)

    scores = loop.Session._scores
    monkeypatch.setattr(loop.Session, "_scores", noted)
    monkeypatch.setattr(type(PAPER), "choose", lambda *given: True)
    result = train(tiny, tmp_path / "run", threads=1, reporter=Quiet())
    assert tested.count(("test", tiny.steps)) == 1
    seed = loop.evaluation_seed(tiny, tiny.steps)
    assert evaluate(load(tmp_path / "run"), tiny.split("test"), seed=seed).score == result.test


def test_the_average_is_evaluated_and_chosen(tmp_path, tiny):
    run = replace(tiny, recipe="paper:averaging=0.9", learning_rate=1e-2)
    result = train(run, tmp_path / "run", threads=1, reporter=Quiet())
    assert evaluate(load(tmp_path / "run"), run.split("test"), seed=loop.evaluation_seed(run, 12)).score == result.test
    tensors, _, _ = Folder(tmp_path / "run").read_checkpoint()
    last, _ = Folder(tmp_path / "run").read_tensors("last.safetensors")
    for name, weights in last.items():
        assert torch.equal(tensors[f"recipe/module.{name}"], weights)
    assert any(not torch.equal(tensors[f"model/{name}"], weights) for name, weights in last.items())


def test_the_average_is_exponential(tiny):
    learner = Learner(replace(tiny, recipe="paper:averaging=0.75", learning_rate=0.1).resolved(), CPU)
    batch, expected = learner.sample_batch(), None
    for step in range(3):
        learner.step(batch, step)
        weights = [weight.detach().clone() for weight in learner.model.parameters()]
        expected = (
            weights if expected is None else [0.75 * a + 0.25 * b for a, b in zip(expected, weights, strict=True)]
        )
    for average, weight in zip(learner.evaluated.parameters(), expected, strict=True):
        torch.testing.assert_close(average.detach(), weight)


@pytest.mark.parametrize("stop_at", [3, 6])
def test_an_averaged_run_that_is_broken_off_ends_with_the_same_bits(tmp_path, tiny, everything, stop_at):
    run = replace(tiny, recipe="paper:averaging=0.9,warm_up=5,weight_decay=0.01")
    train(run, tmp_path / "whole", threads=1, reporter=Quiet())
    with pytest.raises(OSError, match="pulled the plug"):
        train(run, tmp_path / "broken", threads=1, reporter=Quiet(stop_at))
    train(Folder(tmp_path / "broken").run(), tmp_path / "broken", threads=1, reporter=Quiet())
    assert everything(tmp_path / "whole") == everything(tmp_path / "broken")


def mistakes(instances, predicted):
    """A metric that is better when lower."""
    wrong = (predicted["pi"] != instances.outputs["pi"]).sum(1).astype(float)
    return [Counts(wrong[:, None], lambda sums: sums[..., 0], "pi")]


MISTAKES = Metric("mistakes", "graph", mistakes, higher_is_better=False, is_share=False)
NOTHING = Metric(
    "nothing", "graph", lambda i, p: [Counts(mistakes(i, p)[0].values, lambda sums: sums[..., 0] * math.nan)]
)
MINE = replace(PAPER, metrics=(*PAPER.metrics, f"{__name__}:MISTAKES"), metric=f"{__name__}:MISTAKES")


def test_a_metric_from_outside_is_recorded_and_chooses_in_its_direction(tmp_path, tiny):
    result = train(replace(tiny, recipe=MINE, learning_rate=1e-2), tmp_path / "run", threads=1, reporter=Quiet())
    lines = [json.loads(line) for line in (tmp_path / "run" / "metrics.jsonl").read_text().splitlines()]
    fewest = min(line["val_mistakes"] for line in lines)
    assert result.scores["val_mistakes"] == fewest
    assert result.step == max(line["step"] for line in lines if line["val_mistakes"] == fewest)
    assert {"test_mistakes", "test", "test_graph"} <= result.scores.keys()
    assert Folder(tmp_path / "run").result()["test_mistakes"] == result.scores["test_mistakes"]
    assert train(Folder(tmp_path / "run").run(), tmp_path / "run", reporter=Quiet()) == result


def test_a_model_is_chosen_by_validity_which_is_recorded_then(tmp_path, tiny):
    result = train(replace(tiny, recipe="paper:metric=valid"), tmp_path / "run", reporter=Quiet())
    lines = [json.loads(line) for line in (tmp_path / "run" / "metrics.jsonl").read_text().splitlines()]
    best = max(line["val_valid"] for line in lines)
    assert result.step == max(line["step"] for line in lines if line["val_valid"] == best)


def test_a_run_records_the_metrics_it_is_given(tmp_path, tiny):
    run = replace(tiny, metrics=["score", "graph_score", MISTAKES])
    assert run.metrics == ("score", "graph_score", f"{__name__}:MISTAKES")
    assert "val_mistakes" in train(run, tmp_path / "run", threads=1, reporter=Quiet()).scores
    with pytest.raises(ValueError, match="metrics must hold score and graph_score, got graph_score"):
        replace(tiny, metrics=("graph_score",)).resolved()


def test_no_model_is_chosen_by_what_is_no_number(tmp_path, tiny):
    name = f"{__name__}:NOTHING"
    recipe = replace(PAPER, metrics=(*metrics.DEFAULT, name), metric=name)
    with pytest.raises(ValueError, match="the metric 'nothing' is nan, so no model can be chosen by it"):
        recipe.choose({"val_nothing": math.nan}, None)
    columns = [{"val_nothing": value} for value in (0.5, math.nan)]
    with pytest.raises(ValueError, match="is nan"):
        recipe.choose(*reversed(columns))


@dataclass(frozen=True)
class TwoSizes(Recipe):
    """Batches of two sizes in turn, chosen on graphs of a third: what the file of a recipe may do."""

    small: int = 4

    def splits(self, run):
        other = {"small": replace(run, n=self.small).split("train"), "val_9": replace(run, n=9).split("val")}
        return {**super().splits(run), **other}

    def batch(self, run, splits, step):
        return super().batch(run, {"train": splits["train" if step % 2 else "small"]}, step)

    def predict(self, model, batch, seed):
        SIZES.append((batch.size[1], seed))
        return model(batch)


SIZES: list[tuple[int, int]] = []
TWO_SIZES = TwoSizes(choose_on=("val", "val_9"))


def test_a_recipe_from_outside_decides_data_sizes_and_choice(tmp_path, tiny):
    SIZES.clear()
    run = replace(tiny, recipe=f"{__name__}:TWO_SIZES:small=5")
    result = train(run, tmp_path / "run", threads=1, reporter=Quiet())
    assert [size for size, _ in SIZES] == [5, 6] * 6
    assert len({seed for _, seed in SIZES}) == 12
    lines = Folder(tmp_path / "run").metrics()
    means = {line["step"]: (line["val"] + line["val_9"]) / 2 for line in lines}
    assert result.step == max(step for step, mean in means.items() if mean == max(means.values()))
    assert Folder(tmp_path / "run").run().recipe == f"{__name__}:TWO_SIZES:small=5"


def test_the_optimiser_goes_on_where_its_weights_are(tiny):
    """Adam's own count of steps, too: made on the CPU, a fused step on a GPU refuses it."""
    run = tiny.resolved()
    first = Learner(run, CPU)
    first.step(first.sample_batch(), 0)
    kept = first.state()
    there = Learner(run, CPU)
    there.model.to("meta")  # stands for a GPU: the weights move, and so do the optimiser's
    there.optimiser = torch.optim.Adam(there.model.parameters(), fused=False)
    there.optimiser.param_groups[0]["fused"] = True
    there.model.load_state_dict = lambda weights: None  # nothing can be copied to where no numbers are
    there.load_state(kept, 1)
    state = [tensor for values in there.optimiser.state.values() for tensor in values.values()]
    assert len(state) == 3 * len(first.optimiser.state)
    assert {tensor.device.type for tensor in state} == {"meta"}


def test_the_first_form_of_a_checkpoint_is_understood(tiny):
    run = tiny.resolved()
    learner, again = Learner(run, CPU), Learner(run, CPU)
    batch = learner.sample_batch()
    for step in range(2):
        learner.step(batch, step)
    old = {name: tensor for name, tensor in learner.state().items() if name.startswith("model/")}
    for name, tensor in learner.state().items():
        part, _, rest = name.partition("/")
        parameter, _, kind = rest.rpartition("/")
        if part == "optimiser" and kind != "step":
            old[f"adam/{kind}/{parameter}"] = tensor
    again.load_state(old, 2)
    for each in (learner, again):
        each.step(batch, 2)
    assert all(torch.equal(a, b) for a, b in zip(learner.model.parameters(), again.model.parameters(), strict=True))


def test_a_sample_batch_is_one_of_training(tiny):
    run = tiny.resolved()
    batch = Learner(run, CPU).sample_batch()
    assert batch.size == make_batch(run.split("train")[: run.batch_size]).size
