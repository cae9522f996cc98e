"""An algorithm from outside is predicted, scored, measured and learnt like one of our own."""

from dataclasses import replace

import pytest

from narlab import algorithms, data, models
from narlab.evaluation import evaluate, hint_scores, loss, measure, predict
from narlab.evaluation.user_instances import as_dataset

MINE = replace(algorithms.get("bfs"), name="mine")


@pytest.fixture(scope="module")
def text():
    return algorithms.CATALOGUE.name_of(MINE)


def test_the_numbers_are_those_of_the_same_algorithm_of_our_own(text):
    ours, theirs = (data.custom(name, n=6, count=5, hints=True) for name in ("bfs", text))
    model = models.build(text, hidden=8, hints="encoded_decoded")
    twin = models.build("bfs", hidden=8, hints="encoded_decoded")
    twin.load_state_dict(model.state_dict())
    batches = models.make_batch(ours), models.make_batch(theirs)
    assert loss(model(batches[1]), batches[1]) == loss(twin(batches[0]), batches[0])
    hints = [
        hint_scores(batch.algorithm, made(batch).hints, batch.hints, batch.lengths)
        for made, batch in zip((twin, model), batches, strict=True)
    ]
    assert hints[0] == hints[1]
    assert evaluate(model, theirs) == evaluate(twin, ours)
    assert measure(model, theirs).intervals == measure(twin, ours).intervals


def test_own_instances_of_it(text):
    inputs = data.custom(text, n=6, count=5).inputs
    dataset = as_dataset(MINE, inputs)
    assert dataset.algorithm == text
    assert predict(models.build(text, hidden=8), dataset)[1]["pi"].shape == (5, 6)
