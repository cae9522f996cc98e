"""Sample i is always the same: whatever the threads, the chunk read, the order of reading."""

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest

from narlab import algorithms, data
from narlab.algorithms.sampling import block_size
from narlab.data import generation, graphs

FILE = Path(__file__).parent / "fast_digests.json"


def assert_same(ours, theirs):
    assert list(ours) == list(theirs)
    for key, array in ours.items():
        np.testing.assert_array_equal(array, theirs[key], err_msg=key)


@pytest.mark.parametrize("name", algorithms.CLRS_30)
def test_chunks_slices_and_indices_give_the_same_samples(name):
    count = 2 * block_size(16) + 50
    whole = data.custom(name, n=16, count=count, seed=7)
    inputs, outputs, lengths = whole.inputs, whole.outputs, whole.lengths
    for start, stop in ((0, 10), (1000, 1100), (count - 5, count), (3, 3)):
        part = data.custom(name, n=16, count=count, seed=7)[start:stop]
        assert len(part) == stop - start
        assert_same(part.inputs, {key: array[start:stop] for key, array in inputs.items()})
        assert_same(part.outputs, {key: array[start:stop] for key, array in outputs.items()})
        np.testing.assert_array_equal(part.lengths, lengths[start:stop])
    chosen = np.array([5, 1030, 2])
    assert_same(whole[chosen].inputs, {key: array[chosen] for key, array in inputs.items()})
    alone = data.custom(name, n=16, count=count, seed=7)[chosen]
    assert_same(alone.inputs, {key: array[chosen] for key, array in inputs.items()})
    assert_same(alone.outputs, {key: array[chosen] for key, array in outputs.items()})
    np.testing.assert_array_equal(alone.lengths, lengths[chosen])
    pieces = [chunk.lengths for chunk in data.custom(name, n=16, count=count, seed=7).chunks(700)]
    np.testing.assert_array_equal(np.concatenate(pieces), lengths)


@pytest.mark.parametrize("name", ["bfs", "dfs", "graham_scan", "quicksort"])
def test_the_number_of_threads_changes_nothing(name):
    description = data.custom(name, n=16, count=5000, seed=3).description
    one, three = (generation.fast(description, 0, 5000, threads=threads) for threads in (1, 3))
    assert_same(one.inputs, three.inputs)
    assert_same(one.outputs, three.outputs)
    algorithm = algorithms.get(name)
    few, many = (algorithm.execute(one[:100].inputs, threads=threads) for threads in (1, 3))
    assert_same(few.hints, many.hints)


def test_hints_of_a_slice_are_those_of_its_samples():
    train = data.load("l_clrs", "bfs", "train", hints=True)
    part = train[500:540]
    alone = algorithms.get("bfs").execute(part.inputs)
    assert_same(part.hints, alone.hints)
    assert part.hints["pi_h"].shape[1] == part.lengths.max()
    assert not train._is_made  # nothing but the slice was made


@pytest.mark.parametrize("family", graphs.names())
def test_every_family_is_the_same_in_every_chunk(family):
    whole = data.custom("bfs", n=64, count=100, seed=5, graphs=family)
    part = data.custom("bfs", n=64, count=100, seed=5, graphs=family)[60:80]
    assert_same(part.inputs, {key: array[60:80] for key, array in whole.inputs.items()})


def fast_digest(dataset) -> str:
    state = hashlib.sha256()
    for array in (*dataset.inputs.values(), *dataset.outputs.values(), dataset.lengths):
        state.update(f"{array.dtype} {array.shape}".encode() + np.ascontiguousarray(array).tobytes())
    return state.hexdigest()[:16]


def named_splits():
    """One slice of every named split that comes from the fast stream, and of every family."""
    for name in algorithms.CLRS_30:
        yield f"l_clrs/{name}", data.load("l_clrs", name, "train")[990:1050]
    for dataset in ("l_clrs_len", "l_clrs_deg", "l_clrs_len_deg"):
        for name in ("bfs", "dag_shortest_paths", "dfs", "mst_prim", "strongly_connected_components"):
            for split in ("train", "val", "test"):
                yield f"{dataset}/{name}/{split}", data.load(dataset, name, split)[250:270]
    for family in graphs.names():
        yield f"family/{family}", data.custom("bfs", n=16, count=20, seed=1, graphs=family)
    yield "bridges_two_communities", data.load("bridges_two_communities", "bridges", "test")[:20]


@pytest.mark.xdist_group("fast_digests")
def test_the_fast_stream_never_changes():
    """A change here changes every published number: the stream's version would have to be part of its name."""
    expected = json.loads(FILE.read_text())
    found = {key: fast_digest(dataset) for key, dataset in named_splits()}
    assert found == expected
