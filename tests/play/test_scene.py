"""Scenes: the algorithm's rows, a model's answer after each step, and what became of each element."""

import json
from shutil import copytree

import numpy as np
import pytest
import torch

from narlab import algorithms, data, models, pretrained
from narlab.common.errors import UsageError
from narlab.data.single import single_inputs
from narlab.evaluation import predict
from narlab.evaluation.user_instances import as_dataset
from narlab.play import Playground, Start
from narlab.play.beginning import find_starts, instances_in
from narlab.play.descriptions import describe
from narlab.play.scene import make_scene
from narlab.training import pretrained as shipped


@pytest.fixture(scope="module")
def playground():
    return Playground()


def unpacked(rows):
    found = []
    for row in rows:
        found.append(found[-1] if row is None else row)
    return found


def test_the_rows_are_the_algorithms(playground):
    scene = playground.scene({"algorithm": "bfs", "n": 9, "seed": 3})
    inputs = {name: np.array(values) for name, values in scene["inputs"].items()}
    done = algorithms.get("bfs").execute(inputs)
    assert scene["rows"] == done.lengths[0]
    for name, rows in scene["hints"].items():
        np.testing.assert_array_equal(unpacked(rows), done.hints[name][0])
    assert scene["outputs"]["pi"] == done.outputs["pi"][0].tolist()
    assert np.shape(scene["places"]) == (9, 2)
    assert scene["answers"] == []


def test_a_models_last_step_is_what_predict_answers(playground):
    scene = playground.scene({"algorithm": "bfs", "n": 12, "models": ["bfs@triangle"]})
    (answer,) = scene["answers"]
    expected, _ = predict(pretrained("bfs"), as_dataset(algorithms.get("bfs"), scene["inputs"]))
    assert answer["steps"][-1]["outputs"]["pi"] == expected["pi"][0].tolist()
    assert len(answer["steps"]) == pretrained("bfs").depth.of(12)
    json.dumps(scene, allow_nan=False)


def square():
    """0 and 3 are opposite corners: 3 may hang on 1 or on 2."""
    A = [[0, 1, 1, 0], [1, 0, 0, 1], [1, 0, 0, 1], [0, 1, 1, 0]]
    adj = (np.array(A) | np.eye(4, dtype=int)).tolist()
    return {"pos": [[0, 0.25, 0.5, 0.75]], "s": [[1, 0, 0, 0]], "A": [A], "adj": [adj]}


def test_right_different_and_wrong(monkeypatch):
    told = [{"pi": torch.tensor([answer])} for answer in ([0, 0, 0, 0], [0, 0, 0, 2], [0, 0, 0, 1])]
    monkeypatch.setattr("narlab.play.scene.predict_each_step", lambda model, dataset: told)
    scene = make_scene(as_dataset(algorithms.get("bfs"), square(), hints=True), {"told": pretrained("bfs")})
    steps = scene["answers"][0]["steps"]
    assert [step["verdict"] for step in steps] == ["wrong", "different", "right"]
    assert [step["elements"]["pi"] for step in steps] == [[0, 0, 0, 2], [0, 0, 0, 1], [0, 0, 0, 0]]
    assert [step["counts"] for step in steps] == [[3, 0, 1], [3, 1, 0], [4, 0, 0]]
    assert [bool(step["reasons"]) for step in steps] == [True, False, False]
    assert 3 in steps[0]["reasons"][0]["nodes"]


@pytest.mark.parametrize("hints", ["encoded_decoded", "none"])
def test_a_model_of_any_hint_mode(hints):
    model = models.build("insertion_sort", hidden=8, hints=hints)
    dataset = as_dataset(algorithms.get("insertion_sort"), single_inputs("insertion_sort", n=5), hints=True)
    (answer,) = make_scene(dataset, {"mine": model})["answers"]
    assert len(answer["steps"]) == (int(dataset.lengths[0]) - 1 if hints != "none" else model.depth.of(5))
    expected, _ = predict(model, dataset)
    assert answer["steps"][-1]["outputs"]["pred"] == expected["pred"][0].tolist()


def test_where_the_problem_is_not_defined_the_page_is_told(playground):
    inputs = square()
    inputs["A"] = [[[0, 1, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]]]
    inputs["adj"] = [(np.array(inputs["A"][0]) | np.eye(4, dtype=int)).tolist()]
    del inputs["s"]
    with pytest.raises(UsageError, match="input 'A' must be symmetric"):
        playground.scene({"algorithm": "bridges", "inputs": inputs, "models": ["bridges@triangle"]})


@pytest.mark.parametrize("name", ["floyd_warshall", "lcs_length", "minimum", "segments_intersect", "bridges"])
def test_answers_of_every_shape(playground, name):
    scene = playground.scene({"algorithm": name, "n": 6, "models": [f"{name}@triangle"]})
    for step in scene["answers"][0]["steps"]:
        for output, truth in scene["outputs"].items():
            assert np.shape(step["outputs"][output]) == np.shape(step["elements"][output]) == np.shape(truth)
            counted = np.asarray(step["elements"][output]) >= 0
            same = np.asarray(step["outputs"][output]) == np.asarray(truth)
            assert (same == (np.asarray(step["elements"][output]) == 0))[counted].all()


def test_what_is_asked_may_be_wrong(playground):
    bad = square() | {"adj": [[[0] * 4] * 4]}
    many = data.custom("bfs", n=4, count=2).inputs
    for request, message in [
        ([], "must be a dict"),
        ({"algorithm": "bsf"}, "did you mean 'bfs'"),
        ({"algorithm": "os:system"}, "unknown algorithm"),
        ({"algorithm": "bfs", "size": 3}, "unknown part of a request 'size'"),
        ({"algorithm": "bfs", "n": 65}, "up to 64 nodes, got 65"),
        ({"algorithm": "bfs", "n": "many"}, "n must be an integer"),
        ({"algorithm": "bfs", "graphs": "nothing"}, "unknown graph family"),
        ({"algorithm": "quicksort", "graphs": "tree"}, "has no graph"),
        ({"algorithm": "bfs", "inputs": bad}, "'adj' must be 1"),
        ({"algorithm": "bfs", "inputs": 3}, "must be a dict of arrays"),
        ({"algorithm": "bfs", "inputs": {"pos": [[0] * 99]}}, "up to 64 nodes, got 99"),
        ({"algorithm": "bfs", "inputs": {k: v.tolist() for k, v in many.items()}}, "one instance, got 2"),
        ({"algorithm": "bfs", "models": ["dfs@triangle"]}, "unknown model of bfs 'dfs@triangle'"),
        ({"algorithm": "bfs", "models": ["/etc"]}, "unknown model of bfs '/etc'"),
        ({"algorithm": "bfs", "models": ["bfs@triangle"] * 3}, "at most 2 names"),
    ]:
        with pytest.raises(UsageError, match=message):
            playground.scene(request)


def test_every_algorithm_has_a_picture_and_an_answer():
    pictures = {name: (describe(name)["picture"], describe(name)["answer"]) for name in algorithms.CLRS_30}
    assert {picture for picture, _ in pictures.values()} == {"graph", "bars", "points", "intervals", "strings"}
    assert pictures["strongly_connected_components"] == ("graph", "groups")
    assert pictures["articulation_points"] == ("graph", "marks")
    assert pictures["dijkstra"] == ("graph", "parents")
    assert pictures["segments_intersect"] == ("points", "value")
    assert pictures["activity_selector"] == ("intervals", "marks")
    assert pictures["kmp_matcher"] == ("strings", "marks")


def test_what_the_page_begins_with(tmp_path):
    folder = str(copytree(shipped.folder("dfs"), tmp_path / "mine"))
    folders, starts = find_starts([folder, "dfs@triangle", "heapsort"])
    assert starts == [Start("dfs", (folder, "dfs@triangle")), Start("heapsort")]
    scene = Playground(folders).scene({**starts[0].request(), "n": 5})
    assert [answer["model"] for answer in scene["answers"]] == [folder, "dfs@triangle"]
    assert find_starts([])[1] == [Start("dfs", ("dfs@triangle",))]
    with pytest.raises(UsageError, match="unknown run folder, model or algorithm 'dsf'; did you mean 'dfs'"):
        find_starts(["dsf"])
    with pytest.raises(UsageError, match="holds no run"):
        find_starts([str(tmp_path)])
    with pytest.raises(UsageError, match="at most 2 models"):
        find_starts([folder] * 3)


def test_instances_of_a_file(tmp_path):
    dataset = data.custom("bfs", n=4, count=3)
    data.export(dataset, tmp_path / "mine.npz")
    found = instances_in(tmp_path / "mine.npz", "bfs")
    assert [np.array(inputs["A"]).tolist() for inputs in found] == [[A.tolist()] for A in dataset.inputs["A"]]
