"""Samples in wide dtypes: the values are those of narrow ones, and memory that somebody has is never written again."""

import gc
from dataclasses import replace

import numpy as np
import pytest

from narlab import algorithms
from narlab.interop import _wide
from narlab.interop._wide import RecycledMemory, WideExecution
from narlab.interop._widening import widen


@pytest.mark.parametrize("narrow", ["int8", "int16", "int32", "float64", "bool", "float32"])
@pytest.mark.parametrize("wide", ["int64", "float64"])
@pytest.mark.parametrize("offset", [0, 1, 5])
def test_values_stay_the_same(narrow, wide, offset):
    values = np.random.default_rng(0).integers(-100, 100, (7, 9)).astype(narrow)
    for count in (0, 1, 4, 7):
        memory = np.full(80, 55, wide)
        target = memory[offset : offset + 9 * count].reshape(count, 9)
        widen(values[:count], target)
        np.testing.assert_array_equal(target, values[:count].astype(wide), strict=True)
        assert (memory[:offset] == 55).all()
        assert (memory[offset + 9 * count :] == 55).all()


@pytest.mark.parametrize("name", ["bfs", "floyd_warshall", "optimal_bst", "naive_string_matcher"])
@pytest.mark.parametrize("cached", [1, 2**14, 2**19])
def test_execution_is_the_narrow_one(name, cached, monkeypatch):
    monkeypatch.setattr(_wide, "CACHED", cached)
    algorithm = algorithms.get(name)
    inputs = algorithm.sample(9, 21, stream="fast", seed=3)
    narrow, execute = algorithm.execute(inputs), WideExecution(algorithm, 4)
    for least, guess in ((0, None), (0, 3), (30, None)):
        execute.rows = least
        wide = execute(inputs, guess)
        np.testing.assert_array_equal(wide.lengths, narrow.lengths)
        for probe in algorithm.probes:
            arrays = (wide.inputs, wide.outputs, wide.hints)
            (found,) = (stage[probe.name] for stage in arrays if probe.name in stage)
            assert found.dtype == probe.benchmark_dtype
        for expected, found in ((inputs, wide.inputs), (narrow.outputs, wide.outputs), (narrow.hints, wide.hints)):
            for key, array in expected.items():
                same = found[key] if expected is not narrow.hints else found[key][:, : array.shape[1]]
                np.testing.assert_array_equal(same, array, err_msg=key)
        assert all(rows.shape[1] >= max(least, narrow.lengths.max()) for rows in wide.hints.values())
        assert not any(rows[:, narrow.lengths.max() :].any() for rows in wide.hints.values())


def test_an_algorithm_of_other_dtypes_that_is_not_compiled():
    bfs = algorithms.get("bfs")
    probes = tuple(replace(probe, dtype="int32") if probe.name == "pi_h" else probe for probe in bfs.probes)

    def run(inputs, outputs, hints, lengths):
        outputs.pi[:], lengths[:] = 3, 2
        hints.pi_h[:, :2] = 7
        hints.reach_h[:, 1:2] = 1

    outside = replace(bfs, probes=probes, run=run)
    made = WideExecution(outside, 4)(bfs.sample(5, 4, stream="fast"), None)
    assert (made.hints["pi_h"] == 7.0).all()
    assert made.hints["reach_h"][:, :, 0].tolist() == [[0.0, 1.0]] * 4
    assert made.outputs["pi"].dtype == np.int64


def test_memory_is_used_again_only_when_nobody_has_it():
    recycled = RecycledMemory(most=2)
    first = recycled.piece(100)
    address = first.ctypes.data
    view = first[40:].view(np.float32).reshape(3, 5).swapaxes(0, 1)[1:]
    del first
    gc.collect()
    second = recycled.piece(80)
    assert second.ctypes.data != address
    del view
    assert recycled.piece(80).ctypes.data == address


def test_little_memory_is_kept():
    recycled = RecycledMemory(most=2)
    pieces = [recycled.piece(8) for _ in range(5)]
    del pieces
    assert len(recycled._free) == 2
    assert len(recycled.piece(1000)) == 1000
