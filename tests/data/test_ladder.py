"""The ladder: which rungs each algorithm has, that none is another's data, and that they never change."""

import hashlib

import numpy as np
import pytest

from narlab import algorithms, data
from narlab.cli import main
from narlab.data import datasets
from narlab.data.datasets import ladder

DIGESTS = {
    ("bfs", "rung_12_er:p=0.3"): "8b89b94bee5b0429",
    ("quicksort", "rung_14"): "d0510872f1e22b8d",
    ("strongly_connected_components", "rung_12_communities:k=3,p=0.7,eps=0.1"): "30b722eef0ad4da2",
    ("strongly_connected_components", "rung_16_communities:k=4,p=0.5,eps=0.1"): "042d4ad554b9886f",
    ("bridges", "rung_12_two_communities:p=0.4"): "ecefd7f36c4cc53a",
    ("naive_string_matcher", "rung_9_needle_8"): "f3c756172d65f3c0",
    ("segments_intersect", "rung_4"): "86228f212a8fdc19",
    ("optimal_bst", "ladder_24"): "99181027db50a2dc",
    ("kmp_matcher", "ladder_32"): "d92be1e871f8d413",
}


def digest(dataset):
    state = hashlib.sha256()
    for array in (*dataset.inputs.values(), *dataset.outputs.values(), dataset.lengths):
        state.update(f"{array.dtype} {array.shape}".encode() + np.ascontiguousarray(array).tobytes())
    return state.hexdigest()[:16]


def test_the_ladder_never_changes():
    """A change here changes every number of a model that was trained or chosen on it."""
    found = {(name, split): digest(data.load("ladder", name, split)[20:60]) for name, split in DIGESTS}
    assert found == DIGESTS


@pytest.mark.parametrize("name", algorithms.CLRS_30)
def test_every_algorithm_has_rungs_of_up_to_16_nodes(name):
    rungs = ladder.rungs(name)
    parts = [data.load("ladder", name, rung)[:2] for rung in dict.fromkeys(rungs)]
    sizes = {part.description.n - (part.description.needle or 0) for part in parts}
    assert min(sizes) >= 4
    assert max(sizes) == (4 if name == "segments_intersect" else 16)
    assert len({(part.description.n, part.description.graphs, part.description.needle) for part in parts}) == len(parts)
    assert len({part.description.seed for part in parts}) == len(parts)
    largest = [rung for rung in rungs if rung.startswith("rung_16")]
    assert len(largest) * 4 >= len(rungs) or name == "segments_intersect"  # the largest size is drawn twice as often
    smallest = min(parts, key=lambda part: part.description.n)
    assert np.isfinite(smallest.inputs["pos"]).all()


@pytest.mark.parametrize("name", ["bfs", "kmp_matcher", "segments_intersect", "minimum"])
def test_the_ladder_has_the_benchmarks_distribution(name):
    for split, n in ladder.LADDER.items():
        found = data.load("ladder", name, split)
        assert (len(found), found.description.graphs, found.description.stream) == (64, None, "fast")
        nodes = 4 if name == "segments_intersect" else n + n // 4 if name == "kmp_matcher" else n
        assert found.inputs["pos"].shape == (64, nodes)
        if name == "kmp_matcher":
            assert (found.inputs["string"].sum(1) == n // 4).all()


def test_validation_and_test_are_the_benchmarks_own():
    for split in ("train", "val", "test"):
        ours, theirs = (data.load(dataset, "mst_prim", split)[:20] for dataset in ("ladder", "l_clrs"))
        np.testing.assert_array_equal(ours.inputs["A"], theirs.inputs["A"])


def test_no_graph_of_the_ladder_is_one_of_training():
    chosen = data.load("ladder", "mst_prim", "ladder_16").inputs["A"]
    trained = [
        data.load("ladder", "mst_prim", rung)[:1000].inputs["A"]
        for rung in set(ladder.rungs("mst_prim"))
        if rung.startswith("rung_16")
    ]
    assert not {graph.tobytes() for graph in chosen} & {graph.tobytes() for part in trained for graph in part}


def test_needles_have_the_length_that_is_asked_for_and_stand_in_the_haystack():
    for name in ("naive_string_matcher", "kmp_matcher"):
        made = data.custom(name, n=12, count=200, needle=5)
        assert (made.inputs["string"].sum(1) == 5).all()
        place = made.outputs["match"].argmax(1)
        assert set(place) == {0, 1}  # as in the benchmark, the last place is not drawn
        letters = made.inputs["key"].argmax(2)
        for text, start in zip(letters, place, strict=True):
            np.testing.assert_array_equal(text[start : start + 5], text[7:])
    own, said = (data.custom("kmp_matcher", n=20, count=50, **more) for more in ({}, {"needle": 4}))
    np.testing.assert_array_equal(own.inputs["key"], said.inputs["key"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("kmp_matcher", 12, 6), "needle must be at most 5 letters of n=12, got 6"),
        (("kmp_matcher", 12, 0), "needle must be an integer of at least 1, got 0"),
        (("quicksort", 12, 3), "quicksort does not take 'needle'; of graphs, weights and needle it takes: none"),
    ],
)
def test_needles_that_can_not_be(arguments, message):
    name, n, needle = arguments
    with pytest.raises(ValueError, match=message):
        data.custom(name, n=n, count=3, needle=needle)


def test_unknown_splits_are_told_with_those_there_are():
    with pytest.raises(ValueError, match=r"unknown split of 'ladder' 'rung_5'; did you mean .*Known: train, val, test"):
        data.load("ladder", "quicksort", "rung_5")
    assert datasets.rungs(datasets.get("l_clrs"), "bfs") == ("train",)
    assert datasets.splits(datasets.get("l_clrs"), "bfs") == ("train", "val", "test")


def test_the_command_line_writes_a_rung_and_needles(tmp_path, capsys):
    main(["generate", "ladder", "bfs", "--split", "ladder_16", "--out", str(tmp_path / "a.npz")])
    assert "64 samples, n=16" in capsys.readouterr().out
    line = "generate custom kmp_matcher --n 12 --count 5 --needle 3 --out"
    main([*line.split(), str(tmp_path / "b.npz")])
    read = data.read(tmp_path / "b.npz")
    assert read.description.needle == 3
    assert (read.inputs["string"].sum(1) == 3).all()
    with pytest.raises(SystemExit):
        main([*line.replace("--needle 3", "--needle 6").split(), str(tmp_path / "c.npz")])
    assert "needle must be at most 5 letters of n=12, got 6" in capsys.readouterr().err
