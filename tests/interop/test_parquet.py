"""Parquet files hold the data set's own numbers, for pandas, pyarrow and Hugging Face."""

import json

import numpy as np
import pytest

import narlab
from narlab.cli import main
from narlab.interop import parquet

pyarrow_parquet = pytest.importorskip("pyarrow.parquet", reason="pip install 'narlab[parquet]'")


def as_array(value):
    return (
        np.stack([as_array(part) for part in value]) if np.ndim(value) and np.asarray(value).dtype == object else value
    )


@pytest.fixture(scope="module")
def dataset():
    return narlab.data.custom("bellman_ford", n=6, count=50, seed=3, hints=True, graphs="er:p=0.4")


@pytest.fixture(scope="module")
def path(dataset, tmp_path_factory):
    return parquet.export(dataset, tmp_path_factory.mktemp("parquet") / "bellman_ford.parquet")


def test_the_disk_has_room(tmp_path):
    with pytest.raises(narlab.UsageError, match=r"samples need at least .* GB on the disk, and"):
        parquet.export(narlab.data.custom("bfs", n=8, count=10**15), tmp_path / "x.parquet")
    assert not list(tmp_path.iterdir())


def test_pandas_reads_every_number(dataset, path):
    import pandas

    frame = pandas.read_parquet(path)
    assert frame.length.tolist() == dataset.lengths.tolist()
    assert len(set(dataset.lengths)) > 1
    for stage in (dataset.inputs, dataset.outputs):
        for name, array in stage.items():
            np.testing.assert_array_equal(np.stack([as_array(value) for value in frame[name]]), array)
    for name, rows in dataset.hints.items():
        for k, length in enumerate(dataset.lengths):
            np.testing.assert_array_equal(as_array(frame[name][k]), rows[k, :length])


def test_schema_says_what_it_is(dataset, path):
    schema = pyarrow_parquet.read_schema(path)
    assert json.loads(schema.metadata[b"narlab"])["graphs"] == "er:p=0.4"
    assert b"bellman_ford" in schema.metadata[b"description"]
    assert schema.field("A").metadata[b"location"] == b"edge"
    assert schema.field("pi_h").metadata[b"stage"] == b"hint"
    assert str(schema.field("adj").type).startswith("fixed_size_list<")
    assert schema.field("pi").metadata[b"type"] == b"pointer"


def test_row_groups_are_written_one_by_one(dataset, tmp_path, monkeypatch):
    monkeypatch.setattr(parquet, "MOST_ROWS", 20)
    done = []
    path = parquet.export(dataset, tmp_path / "groups.parquet", done.append)
    assert done == [20, 40, 50]
    assert pyarrow_parquet.ParquetFile(path).num_row_groups == 3
    assert pyarrow_parquet.read_table(path)["length"].to_pylist() == dataset.lengths.tolist()


def test_hugging_face_reads_it(dataset, path, tmp_path):
    datasets = pytest.importorskip("datasets", reason="Hugging Face's datasets is not installed: pip install datasets")
    read = datasets.load_dataset("parquet", data_files=str(path), split="train", cache_dir=str(tmp_path))
    assert len(read) == len(dataset)
    sample = read.with_format("numpy")[7]
    np.testing.assert_array_equal(np.array(read[7]["A"]), dataset.inputs["A"][7])
    np.testing.assert_array_equal(sample["pi"], dataset.outputs["pi"][7])
    np.testing.assert_array_equal(np.array(read[7]["pi_h"]), dataset.hints["pi_h"][7, : dataset.lengths[7]])


def test_the_command(tmp_path, capsys):
    out = tmp_path / "bridges"
    main(
        ["generate", "bridges_two_communities", "bridges", "--split", "test", "--format", "parquet", "--out", str(out)]
    )
    table = pyarrow_parquet.read_table(out.with_suffix(".parquet"))
    assert "joining_edge" in table.column_names
    assert "bridges.parquet" in capsys.readouterr().out
    named = ["generate", "clrs", "minimum", "--split", "val"]
    for options, words in (
        (["--format", "parquet", "--out", str(tmp_path / "a.npz")], "writes files .parquet"),
        (["--format", "parquett", "--out", str(tmp_path / "a.npz")], "did you mean 'parquet'?"),
    ):
        with pytest.raises(SystemExit):
            main([*named, *options])
        assert words in capsys.readouterr().err
