"""A long data set is read batch by batch in any order: the same samples, and only a few of them in memory."""

import tracemalloc

import numpy as np
import pytest

from narlab import data
from narlab.data import dataset as module
from narlab.data import generation
from narlab.training import Run, randomness


def places_of(step, size, count):
    return randomness.indices(5, step * size, (step + 1) * size, count)


@pytest.fixture
def made(monkeypatch):
    """How many samples were made each time."""
    counts, at = [], generation.at
    monkeypatch.setattr(
        generation, "at", lambda what, places, threads=None: counts.append(len(places)) or at(what, places, threads)
    )
    return counts


def read(dataset, steps, size=8):
    for step in range(steps):
        places = places_of(step, size, len(dataset))
        part = dataset.read_ahead(
            places, lambda count, step=step: randomness.indices(5, step * size, step * size + count, len(dataset))
        )
        yield places, part


def test_batches_in_any_order_are_those_of_the_whole(made):
    split = data.load("l_clrs", "bellman_ford", "train", hints=True)[:3000]
    whole = data.load("l_clrs", "bellman_ford", "train", hints=True)[:3000]
    for places, part in read(split, 200):
        np.testing.assert_array_equal(part.inputs["A"], whole.inputs["A"][places])
        np.testing.assert_array_equal(part.outputs["pi"], whole.outputs["pi"][places])
        np.testing.assert_array_equal(part.lengths, whole.lengths[places])
    np.testing.assert_array_equal(part.hints["pi_h"], whole[places].hints["pi_h"])
    assert made == [8, 32, 128, 512, 2048]  # each time four times as many
    assert not split._is_made


def test_what_is_kept_is_bounded(made, monkeypatch):
    monkeypatch.setattr(module, "KEPT_BYTES", 100_000)
    split = data.load("l_clrs", "bellman_ford", "train")
    sizes = {split._kept[1].nbytes for _ in read(split, 30)}
    assert max(sizes) <= 100_000
    assert made[:2] == [8, 32]
    assert len(set(made[2:])) == 1


def test_a_small_data_set_is_made_once(made):
    split = data.custom("bfs", n=8, count=50)
    for places, part in read(split, 100):
        np.testing.assert_array_equal(part.inputs["A"], split[places].inputs["A"])
    assert made[:2] == [8, 32]
    assert made[2:] == [50]


def test_marks_come_with_their_samples():
    whole = data.load("bridges_two_communities", "bridges", "test")[:200]
    places = np.array([150, 3, 150])
    np.testing.assert_array_equal(
        data.load("bridges_two_communities", "bridges", "test")[places].marks["joining_edge"],
        whole.marks["joining_edge"][places],
    )


def test_all_kinds_of_keys():
    split, whole = (data.custom("bfs", n=8, count=20, seed=1) for _ in range(2))
    keys = whole.inputs["A"]
    for key in ([3, -1], np.arange(20) % 3 == 0, slice(None, None, 4), slice(10, 2, -3), np.array([], int)):
        np.testing.assert_array_equal(split[key].inputs["A"], keys[key])
    with pytest.raises(IndexError):
        split[[20]]


def test_passes_go_on_without_a_break():
    order = np.concatenate([randomness.order(5, epoch, 30) for epoch in range(4)])
    np.testing.assert_array_equal(randomness.indices(5, 0, 120, 30), order)
    np.testing.assert_array_equal(randomness.indices(5, 25, 95, 30), order[25:95])


def test_the_first_batch_takes_the_memory_of_a_batch():
    """The whole split would take 300 MB."""
    run = Run("floyd_warshall").resolved()
    recipe, splits = run.training_recipe(), run.training_recipe().splits(run)
    recipe.batch(run, {"train": splits["train"][:32]}, 0)  # compiled
    tracemalloc.start()
    recipe.batch(run, splits, 0)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 60e6
