"""Data sets as files: what was written is read, and nothing else is taken for one."""

import json
import os

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from narlab import data
from narlab.data import files

FORMATS = (".safetensors", ".npz")


def assert_same(ours, theirs):
    assert list(ours) == list(theirs)
    for key, array in ours.items():
        np.testing.assert_array_equal(array, theirs[key], strict=True)


@pytest.mark.parametrize("suffix", FORMATS)
@pytest.mark.parametrize("hints", [False, True])
def test_what_was_written_is_read(tmp_path, suffix, hints, monkeypatch):
    monkeypatch.setattr(files, "CHUNK_CELLS", 50_000)  # several pieces
    for dataset in (
        data.load("clrs", "bfs", "val", hints=hints),
        data.custom("mst_prim", n=9, count=300, graphs="regular:k=4", weights=(0.5, 1.0), hints=hints),
        data.custom("quicksort", n=5, count=0, hints=hints),
        data.custom("optimal_bst", n=5, count=2, hints=hints),  # graphs of six nodes
        data.custom("segments_intersect", n=5, count=2, hints=hints),  # of four
    ):
        path = data.export(dataset, tmp_path / f"some/folder/file{suffix}")
        found = data.read(path)
        assert found.description == dataset.description
        assert len(found) == len(dataset)
        assert_same(found.inputs, dataset.inputs)
        assert_same(found.outputs, dataset.outputs)
        np.testing.assert_array_equal(found.lengths, dataset.lengths)
        if hints:
            assert_same(found.hints, dataset.hints)
        assert os.listdir(path.parent) == [path.name]


def test_marks_are_kept(tmp_path):
    dataset = data.load("bridges_two_communities", "bridges", "test")[:10]
    found = data.read(data.export(dataset, tmp_path / "pairs.npz"))
    assert_same(found.marks, dataset.marks)


def test_other_libraries_read_the_files(tmp_path):
    dataset = data.load("clrs", "dfs", "val")
    arrays = load_file(data.export(dataset, tmp_path / "dfs.safetensors"))
    np.testing.assert_array_equal(arrays["inputs/A"], dataset.inputs["A"])
    with np.load(data.export(dataset, tmp_path / "dfs.npz")) as file:
        np.testing.assert_array_equal(file["outputs/pi"], dataset.outputs["pi"])
        assert json.loads(str(file["narlab"]))["algorithm"] == "dfs"


@pytest.mark.parametrize("suffix", FORMATS)
def test_truncated_and_foreign_files_are_refused(tmp_path, suffix):
    path = data.export(data.load("clrs", "bfs", "val"), tmp_path / f"whole{suffix}")
    content = path.read_bytes()
    for size in (0, 5, 100, len(content) // 2, len(content) - 1):
        path.write_bytes(content[:size])
        with pytest.raises(ValueError, match="is no whole data set of narlab") as error:
            data.read(path)
        assert "\n" not in str(error.value)


def test_files_of_others_are_refused(tmp_path):
    save_file({"a": np.zeros(3)}, tmp_path / "a.safetensors")
    np.savez(tmp_path / "a.npz", a=np.zeros(3))
    (tmp_path / "text.npz").write_text("no archive")
    for name in ("a.safetensors", "a.npz", "text.npz"):
        with pytest.raises(ValueError, match="is no whole data set of narlab"):
            data.read(tmp_path / name)
    with pytest.raises(ValueError, match="there is no file"):
        data.read(tmp_path / "none.npz")
    with pytest.raises(ValueError, match=r"must end in \.safetensors or \.npz"):
        data.read(tmp_path / "a.csv")


def test_arrays_that_do_not_fit_their_description_are_refused(tmp_path):
    dataset = data.load("clrs", "bfs", "val")
    path = data.export(dataset, tmp_path / "bfs.npz")
    with np.load(path) as file:
        arrays = {name: file[name] for name in file.files}
    for changes in ({"outputs/pi": arrays["outputs/pi"][:, :3]}, {"lengths": arrays["lengths"][:3]}):
        np.savez(path, **{**arrays, **changes})
        with pytest.raises(ValueError, match="has shape"):
            data.read(path)
    del arrays["inputs/s"]
    np.savez(path, **arrays)
    with pytest.raises(ValueError, match="inputs/s"):
        data.read(path)


def test_an_output_that_can_not_be_written_leaves_nothing(tmp_path):
    (tmp_path / "file").write_text("in the way")
    dataset = data.load("clrs", "bfs", "val")
    for path, message in (
        (tmp_path / "file" / "x.npz", "cannot write"),
        (tmp_path, "must end in"),
        (tmp_path / "x.csv", r"must end in \.safetensors or \.npz"),
    ):
        with pytest.raises(ValueError, match=message):
            data.export(dataset, path)
    (tmp_path / "folder.npz").mkdir()
    with pytest.raises(ValueError, match="it is a folder"):
        data.export(dataset, tmp_path / "folder.npz")
    assert sorted(os.listdir(tmp_path)) == ["file", "folder.npz"]


def test_an_interrupted_export_leaves_what_was_there(tmp_path):
    path = tmp_path / "x.npz"
    path.write_text("old")

    def interrupt(done):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        data.export(data.load("clrs", "bfs", "val"), path, progress=interrupt)
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["x.npz"]
