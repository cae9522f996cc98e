"""A model's outputs after each of its steps, in one pass."""

import pytest
import torch

from narlab import data, models
from narlab.evaluation import predict
from narlab.evaluation.prediction import predict_each_step


@pytest.mark.parametrize("processor", ["mpnn_g", "triangle"])
@pytest.mark.parametrize("uses_kernels", [True, False])
def test_each_step_is_a_model_of_that_depth(processor, uses_kernels, batch_of):
    model, batch = models.build("bfs", processor=processor, hidden=16, depth=4), batch_of("bfs")
    model.uses_kernels = uses_kernels
    with torch.no_grad():
        steps = model.outputs_by_step(batch)
        assert len(steps) == 4
        for depth, outputs in enumerate(steps, 1):
            torch.testing.assert_close(outputs["pi"], model(batch, depth=depth).outputs["pi"])


@pytest.mark.parametrize("hints", ["encoded_decoded", "update_mask"])
def test_with_hints_the_last_step_is_the_answer(hints, batch_of):
    model, batch = models.build("insertion_sort", hidden=8, hints=hints).eval(), batch_of("insertion_sort", hints=True)
    steps = model.outputs_by_step(batch)
    assert len(steps) == max(batch.lengths.tolist()) - 1
    torch.testing.assert_close(steps[-1]["pred"], model(batch).outputs["pred"])


def test_another_depth(batch_of):
    model, batch = models.build("bfs", hidden=8, depth=3), batch_of("bfs")
    assert [len(model.outputs_by_step(batch, depth=depth)) for depth in (1, 5)] == [1, 5]


def test_the_last_prediction_is_that_of_predict():
    model = models.build("bfs", hidden=8, depth=3)
    dataset = data.custom("bfs", n=7, count=3)
    predicted, _ = predict(model, dataset, seed=5)
    assert torch.equal(predict_each_step(model, dataset, seed=5)[-1]["pi"], predicted["pi"])
