"""Inputs, outputs, lengths and every hint row equal dm-clrs's, to the bit."""

from pathlib import Path

import numpy as np
import pytest

from narlab import algorithms

GOLDEN = Path(__file__).parent / "golden"
SIZES = (7, 16)


@pytest.mark.parametrize("name", algorithms.CLRS_30)
@pytest.mark.parametrize("n", SIZES)
def test_equals_dm_clrs(name, n):
    algorithm = algorithms.get(name)
    with np.load(GOLDEN / f"{name}.npz") as file:
        golden = {key.removeprefix(f"{n}/"): file[key] for key in file.files if key.startswith(f"{n}/")}
    inputs = algorithm.sample(n, 2, seed=3)
    done = algorithm.execute(inputs)
    ours = {f"inputs/{key}": array for key, array in inputs.items()}
    ours |= {f"outputs/{key}": array for key, array in done.outputs.items()}
    ours |= {f"hints/{key}": array for key, array in done.hints.items()}
    ours["lengths"] = done.lengths
    assert list(ours) == list(golden)  # the order of probes is the benchmark's, too
    for key, array in golden.items():
        np.testing.assert_array_equal(ours[key], array, err_msg=key, strict=False)
        assert ours[key].shape == array.shape, key


@pytest.mark.parametrize("name", algorithms.CLRS_30)
def test_without_hints_outputs_and_lengths_are_the_same(name):
    algorithm = algorithms.get(name)
    inputs = algorithm.sample(16, 5, seed=4)
    with_hints, without = algorithm.execute(inputs), algorithm.execute(inputs, hints=False)
    assert without.hints is None
    np.testing.assert_array_equal(with_hints.lengths, without.lengths)
    for key, array in with_hints.outputs.items():
        np.testing.assert_array_equal(array, without.outputs[key])


@pytest.mark.parametrize("name", algorithms.CLRS_30)
def test_lengths_at_16_are_those_of_the_training_split(name):
    algorithm = algorithms.get(name)
    lengths = algorithm.execute(algorithm.sample(16, 1000, seed=1), hints=False).lengths
    assert (lengths.min(), lengths.max()) == algorithm.lengths_at_16


@pytest.mark.parametrize("name", algorithms.CLRS_30)
def test_an_empty_batch_is_a_batch(name):
    algorithm = algorithms.get(name)
    done = algorithm.execute(algorithm.sample(8, 0))
    assert len(done.lengths) == 0
    assert all(len(array) == 0 for array in [*done.outputs.values(), *done.hints.values()])


@pytest.mark.parametrize("name", algorithms.CLRS_30)
def test_padding_is_zero_and_samples_do_not_depend_on_their_batch(name):
    algorithm = algorithms.get(name)
    inputs = algorithm.sample(9, 6, seed=5)
    batch = algorithm.execute(inputs)
    for b in range(6):
        alone = algorithm.execute({key: array[b : b + 1] for key, array in inputs.items()})
        for key, rows in batch.hints.items():
            np.testing.assert_array_equal(rows[b, : batch.lengths[b]], alone.hints[key][0])
            assert not rows[b, batch.lengths[b] :].any()
