"""narlab in place of dm-clrs: the same arrays, and its own baseline model trains on them (`make oracle`)."""

import hashlib
import os
import subprocess
import sys
from importlib import import_module

import numpy as np
import pytest

from narlab import algorithms

oracle = pytest.mark.oracle
quiet = pytest.mark.filterwarnings("ignore")  # dm-clrs's own libraries warn a lot
FEW = ("bfs", "bridges", "floyd_warshall", "kmp_matcher", "quicksort", "strongly_connected_components")
DIGESTS = {  # of batches without an end
    "activity_selector": "b05bb1df45cc",
    "articulation_points": "2b1c04f08dc8",
    "bellman_ford": "217280e78136",
    "bfs": "6a9dbe920778",
    "binary_search": "e6b35ad9fa56",
    "bridges": "550a8425c648",
    "bubble_sort": "6808091ae361",
    "dag_shortest_paths": "ba79c5152fbe",
    "dfs": "e6d2bf31895f",
    "dijkstra": "4dc3c1bf349c",
    "find_maximum_subarray_kadane": "8abd3d1ba658",
    "floyd_warshall": "0f1913baf016",
    "graham_scan": "716539a689a8",
    "heapsort": "e1dd54b80e1c",
    "insertion_sort": "1f6fc5c6fa68",
    "jarvis_march": "63e9f9325c21",
    "kmp_matcher": "2fc0fe97d23e",
    "lcs_length": "bb2cf948aa27",
    "matrix_chain_order": "23eada293b60",
    "minimum": "92884f7cff4b",
    "mst_kruskal": "ff84a6258f37",
    "mst_prim": "fd83fb85869f",
    "naive_string_matcher": "ed9a685fd0ff",
    "optimal_bst": "9b240dc9cada",
    "quickselect": "65b336b64c0e",
    "quicksort": "7ce8e1a31ac8",
    "segments_intersect": "526d130624ce",
    "strongly_connected_components": "4c8c9c8774f7",
    "task_scheduling": "da9ec443503c",
    "topological_sort": "54138f9c875e",
}


@pytest.fixture(scope="module")
def both():
    """dm-clrs and what stands in for it."""
    theirs = pytest.importorskip("clrs", reason="dm-clrs is not installed: make oracle")
    return theirs, import_module("narlab.interop.clrs")


def assert_same(ours, theirs):
    """Two feedbacks are equal in every array, dtype, name and container."""
    assert type(ours) is type(theirs)
    np.testing.assert_array_equal(ours.features.lengths, theirs.features.lengths, strict=True)
    for mine, other in (
        (ours.features.inputs, theirs.features.inputs),
        (ours.features.hints, theirs.features.hints),
        (ours.outputs, theirs.outputs),
    ):
        assert type(mine) is type(other)
        assert [(p.name, p.location, p.type_) for p in mine] == [(p.name, p.location, p.type_) for p in other]
        for point, wanted in zip(mine, other, strict=True):
            np.testing.assert_array_equal(point.data, wanted.data, err_msg=point.name, strict=True)


@quiet
@oracle
@pytest.mark.parametrize("name", algorithms.CLRS_30)
def test_samplers_give_the_same(both, name):
    theirs, ours = both
    (expected, spec), (sampler, our_spec) = (
        module.build_sampler(name, num_samples=12, length=11, seed=5) for module in (theirs, ours)
    )
    assert our_spec == spec
    assert_same(sampler.next(), expected.next())
    for size in (4, 7):
        assert_same(sampler.next(size), expected.next(size))
    with pytest.raises(ValueError, match="13"):
        sampler.next(13)


@quiet
@oracle
@pytest.mark.parametrize("name", FEW)
def test_options(both, name):
    options = {"p": (0.2, 0.5, 0.9), "length_needle": 3}
    theirs, ours = (module.build_sampler(name, num_samples=8, length=12, seed=2, **options)[0] for module in both)
    assert_same(ours.next(), theirs.next())


@quiet
@oracle
@pytest.mark.parametrize("name", FEW)
def test_batches_without_end_look_the_same(both, name):
    options = {"num_samples": -1, "length": 8, "seed": 2, "track_max_steps": False}
    theirs, ours = (module.build_sampler(name, **options)[0] for module in both)
    seen = set()
    for size in (3, 5, 2000):
        made = ours.next(size)
        seen |= {point.data.tobytes() for point in made.features.inputs}
        assert made.features.hints[0].data.shape[0] == made.features.lengths.max()
    expected, made = theirs.next(4), ours.next(4)
    for mine, other in (
        (made.features.inputs, expected.features.inputs),
        (made.features.hints, expected.features.hints),
        (made.outputs, expected.outputs),
    ):
        for point, wanted in zip(mine, other, strict=True):
            assert (point.data.ndim, point.data.dtype) == (wanted.data.ndim, wanted.data.dtype)
            assert point.data.shape[-1] == wanted.data.shape[-1]
    assert len(seen) > 3


@quiet
@oracle
@pytest.mark.parametrize("track", [False, True])
def test_batches_without_end_are_the_same_samples_in_any_size(both, track):
    samplers = [both[1].build_sampler("quicksort", -1, 12, seed=4, track_max_steps=track)[0] for _ in range(2)]
    parts, whole = [samplers[0].next(size) for size in (3, 700, 1, 500)], samplers[1].next(1204)
    for k, wanted in enumerate(whole.outputs):
        np.testing.assert_array_equal(np.concatenate([part.outputs[k].data for part in parts]), wanted.data)
    start = 0
    for part in parts:
        count, (rows, size) = len(part.features.lengths), part.features.hints[0].data.shape[:2]
        longest = int(part.features.lengths.max())
        assert size == count
        for found, wanted in zip(part.features.hints, whole.features.hints, strict=True):
            np.testing.assert_array_equal(found.data[:longest], wanted.data[:longest, start : start + count])
            assert not found.data[longest:].any()
        assert rows >= longest if track else rows == longest
        start += count


def digest(feedbacks):
    """Of all names, dtypes, shapes and values."""
    found = hashlib.sha256()
    for feedback in feedbacks:
        points = (*feedback.features.inputs, *feedback.features.hints, *feedback.outputs)
        arrays = [(point.name, point.data) for point in points]
        for name, array in (*arrays, ("lengths", feedback.features.lengths)):
            found.update(f"{name} {array.dtype} {array.shape}".encode() + array.tobytes())
    return found.hexdigest()[:12]


@quiet
@oracle
@pytest.mark.parametrize("name", algorithms.CLRS_30)
def test_batches_without_end_are_what_they_were(both, name):
    feedbacks = []
    for track in (True, False):
        sampler, _ = both[1].build_sampler(name, num_samples=-1, length=8, seed=3, track_max_steps=track)
        feedbacks += [sampler.next(size) for size in (32, 32, 5, 32, 1000, 32)]
    assert digest(feedbacks) == DIGESTS[name]


@quiet
@oracle
def test_batches_without_end_keep_their_length(both):
    sampler, _ = both[1].build_sampler("bfs", -1, 10, seed=1, p=(0.3,))
    longest = [sampler.next(4).features.hints[0].data.shape[0] for _ in range(5)]
    assert set(longest) == {sampler.max_steps}


@quiet
@oracle
def test_batches_that_somebody_has_never_change(both):
    sampler, _ = both[1].build_sampler("quicksort", -1, 8, seed=1)
    batches = [sampler.next(32) for _ in range(400)]
    kept = batches[::7]
    digests = [digest([batch]) for batch in kept]
    del batches
    for _ in range(400):
        sampler.next(32)
    assert [digest([batch]) for batch in kept] == digests


FORKED = """
import os, sys, warnings
warnings.simplefilter("ignore")
from narlab.interop import clrs
sampler, _ = clrs.build_sampler("bfs", -1, 8, seed=1)
for _ in range(5):
    sampler.next(7)
child = os.fork()
if child:
    assert os.waitpid(child, 0)[1] == 0
for _ in range(300):
    batch = sampler.next(7)
print(batch.outputs[0].data.sum(), batch.features.inputs[1].data.argmax(-1), flush=True)
"""


@oracle
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_forked_process_goes_on_with_the_same_samples_and_both_end(both):
    done = subprocess.run([sys.executable, "-c", FORKED], capture_output=True, text=True, check=True, timeout=100)
    child, parent = done.stdout.splitlines()
    assert child == parent


@quiet
@oracle
def test_splits_of_the_benchmark(both):
    theirs, ours = both
    dataset, count, spec = ours.create_dataset("/nowhere", "bfs", "val", batch_size=20)
    assert (count, spec) == (32, theirs.SPECS["bfs"])
    settings = theirs.CLRS30["val"]
    expected = theirs.build_sampler("bfs", num_samples=32, length=settings["length"], seed=settings["seed"])[0].next()
    batches = dataset.as_numpy_iterator()
    first, second = next(batches), next(batches)
    assert isinstance(first.features.inputs, tuple)
    for index, batch in ((range(20), first), ([*range(20, 32), *range(8)], second)):
        np.testing.assert_array_equal(batch.features.hints[1].data, expected.features.hints[1].data[:, list(index)])
        np.testing.assert_array_equal(batch.outputs[0].data, expected.outputs[0].data[list(index)])


@quiet
@oracle
def test_the_baseline_model_trains(both):
    """dm-clrs's own model, as its example script uses it, with one import changed."""
    import jax

    clrs = both[1]
    sampler, spec = clrs.build_sampler("bfs", num_samples=64, length=8, seed=1)
    model = clrs.models.BaselineModel(
        spec=spec,
        dummy_trajectory=sampler.next(4),
        processor_factory=clrs.get_processor_factory("mpnn", use_ln=True, nb_triplet_fts=0),
        hidden_dim=16,
        encode_hints=True,
        decode_hints=True,
        learning_rate=0.01,
    )
    feedback = sampler.next(16)
    model.init(feedback.features, 0)
    keys = jax.random.split(jax.random.PRNGKey(0), 8)
    losses = [float(model.feedback(key, feedback)) for key in keys]
    assert losses[-1] < losses[0]
    predicted, _ = model.predict(keys[0], feedback.features)
    assert 0 <= clrs.evaluate(feedback.outputs, predicted)["score"] <= 1


@quiet
@oracle
def test_mistakes(both):
    ours = both[1]
    for options, words in (
        ({"chars": 5, "length": 8}, "does not take 'chars'"),
        ({}, "missing: length"),
        ({"length": 8, "truncate_decimals": 2}, "truncates no inputs"),
    ):
        with pytest.raises(ValueError, match=words):
            ours.build_sampler("bfs", 4, **options)
    assert ours.SPECS is both[0].SPECS


def test_without_dm_clrs_the_import_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "clrs", None)
    monkeypatch.delitem(sys.modules, "narlab.interop.clrs", raising=False)
    with pytest.raises(ImportError, match=r"pip install 'narlab\[oracle\]'"):
        import_module("narlab.interop.clrs")
