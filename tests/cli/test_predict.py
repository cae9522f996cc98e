"""`narlab predict`: a user's own instances in, predictions and a word on them out."""

import io
import json

import numpy as np
import pytest

from narlab import algorithms, data, training
from narlab.cli import main
from narlab.evaluation import predict


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs")
    for name in ("bfs", "bridges", "topological_sort"):
        run = training.Run(name, dataset="custom", n=8, hidden=16, depth=4, steps=4, validate_every=2, test_every=4)
        training.train(run, folder / name, threads=1)
    return folder


@pytest.fixture
def here(runs, monkeypatch, tmp_path, capsys):
    (tmp_path / "runs").symlink_to(runs)
    monkeypatch.chdir(tmp_path)
    capsys.readouterr()
    return tmp_path


def write_json(path, inputs):
    path.write_text(json.dumps({name: np.asarray(array).tolist() for name, array in inputs.items()}))


@pytest.mark.parametrize("name", ["bfs", "bridges", "topological_sort"])
def test_all_formats_give_the_models_answers(here, name):
    dataset = data.custom(name, n=7, count=4, seed=5)
    write_json(here / "mine.json", dataset.inputs)
    np.savez(here / "mine.npz", **dataset.inputs)
    data.export(dataset, here / "made.npz")
    expected, _ = predict(training.load(f"runs/{name}"), dataset)
    for given in ("mine.json", "mine.npz", "made.npz"):
        for out in ("answers.json", "answers.npz"):
            main(["predict", f"runs/{name}", "--input", given, "--out", out])
            text = (here / out).read_bytes()
            found = json.loads(text) if out.endswith("json") else np.load(io.BytesIO(text))
            assert set(found) == set(expected)
            for key in expected:
                np.testing.assert_array_equal(np.asarray(found[key]), expected[key].numpy())


def test_it_says_how_much_is_right(here, capsys):
    dataset = data.custom("bfs", n=7, count=4, seed=5)
    np.savez(here / "mine.npz", **dataset.inputs)
    main("predict runs/bfs --input mine.npz --out answers.json --png deep/a.png --sample 3".split())  # noqa: SIM905
    first, second, third, fourth = capsys.readouterr().out.splitlines()
    assert first == "answers.json: predictions of bfs on 4 instances of 7 nodes"
    same = np.array(json.loads((here / "answers.json").read_text())["pi"]) == dataset.outputs["pi"]
    right, whole = same.sum(), same.all(1).sum()
    assert second == f"pi: {right} of 28 elements are right, {whole} of 4 graphs are right in all of them"
    valid = algorithms.get("bfs").valid(
        dataset.inputs, {"pi": np.array(json.loads((here / "answers.json").read_text())["pi"])}
    )
    assert third.startswith(f"valid: {valid.sum()} of 4 instances")
    assert fourth == "drawn: deep/a.png"
    assert (here / "deep/a.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("png", [[], ["--png", "a.png"]])
def test_without_a_file_predictions_are_all_that_is_printed(here, capsys, png):
    dataset = data.custom("bfs", n=7, count=4, seed=5)
    np.savez(here / "mine.npz", **dataset.inputs)
    main(["predict", "runs/bfs", "--input", "mine.npz", *png])
    captured = capsys.readouterr()
    expected, _ = predict(training.load("runs/bfs"), dataset)
    assert json.loads(captured.out) == {"pi": expected["pi"].tolist()}
    assert captured.err.splitlines()[0] == "predictions of bfs on 4 instances of 7 nodes"
    assert " of 28 elements are right, " in captured.err.splitlines()[1]
    assert captured.err.splitlines()[2].startswith("valid: ")
    assert captured.err.splitlines()[3:] == (["drawn: a.png"] if png else [])


@pytest.mark.parametrize("name", ["bfs", "bridges", "topological_sort"])
def test_it_says_why_answers_are_not_valid(here, capsys, name):
    dataset = data.custom(name, n=7, count=4, seed=5)
    np.savez(here / "mine.npz", **dataset.inputs)
    for why in ([], ["--why"]):
        main(["predict", f"runs/{name}", "--input", "mine.npz", "--out", "answers.npz", *why])
        lines = capsys.readouterr().out.splitlines()
        algorithm, answers = algorithms.get(name), dict(np.load(here / "answers.npz"))
        valid = np.flatnonzero(algorithm.valid(dataset.inputs, answers))
        defects = algorithm.defects(dataset.inputs, answers)
        expected = [f"instance {k}: {defect.text}" for k, found in enumerate(defects) for defect in found]
        assert len(valid) < 4  # there is something to say
        at = next(k for k, line in enumerate(lines) if line.startswith("valid: "))
        assert lines[at].startswith(f"valid: {len(valid)} of 4 instances")
        assert lines[at + 1 :] == (expected if why else [])


def test_what_has_no_true_answer_is_refused(here, capsys):
    inputs = algorithms.get("bridges").sample(5, 2, seed=1)
    inputs["A"][0, 0, 1], inputs["A"][0, 1, 0] = 1.0, 0.0
    inputs["adj"][0, 0, 1], inputs["adj"][0, 1, 0] = 1.0, 0.0
    write_json(here / "mine.json", inputs)
    with pytest.raises(SystemExit) as end:
        main("predict runs/bridges --input mine.json --out answers.npz --why --png a.png".split())  # noqa: SIM905
    assert end.value.code == 2
    assert "input 'A' must be symmetric, as an undirected graph is" in capsys.readouterr().err
    assert not (here / "a.png").exists()


def test_masked_elements_do_not_count(here, capsys):
    inputs = algorithms.get("bridges").sample(6, 2, seed=1)
    write_json(here / "mine.json", inputs)
    main("predict runs/bridges --input mine.json --out answers.npz".split())  # noqa: SIM905
    assert f" of {int((inputs['adj'] == 1).sum())} elements are right" in capsys.readouterr().out


INPUTS = {name: array.tolist() for name, array in algorithms.get("bfs").sample(5, 2, seed=1).items()}


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({**INPUTS, "x": [1]}, "bfs has no input 'x'"),
        ({name: INPUTS[name] for name in INPUTS if name != "s"}, "bfs misses the input 's'"),
        ({**INPUTS, "s": INPUTS["s"][0]}, "input 's' must have shape [2, 5], got [5]"),
        ({**INPUTS, "s": [[1, 0], [1]]}, "input 's' must be one array, got rows of different lengths"),
        ({**INPUTS, "s": "no"}, "input 's' must be an array of numbers"),
        ({**INPUTS, "s": np.zeros((2, 5)).tolist()}, "input 's' must be one-hot"),
        ({**INPUTS, "adj": INPUTS["A"]}, "input 'adj' must be 1 where A is not zero and on the diagonal"),
        ({name: [] for name in INPUTS}, "input 'pos' must have shape [count, N], got [0]"),
        ({name: np.zeros((0, *np.shape(INPUTS[name])[1:])) for name in INPUTS}, "there is no instance in the inputs"),
        ([1, 2], "inputs of bfs must be a dict of arrays, got list"),
        (None, "inputs of bfs must be a dict of arrays, got NoneType"),
    ],
)
def test_bad_inputs_get_one_line(here, capsys, content, message):
    if isinstance(content, dict) and isinstance(content.get("pos"), np.ndarray):
        np.savez(here / "mine.npz", **content)
        path = "mine.npz"
    else:
        (here / "mine.json").write_text(json.dumps(content))
        path = "mine.json"
    refused(here, capsys, f"runs/bfs --input {path} --out a.json", message, path)


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe", b"[" * 100_000, b"PK\x03\x04 cut off"])
@pytest.mark.parametrize("suffix", ["json", "npz"])
def test_files_that_are_not_what_they_say(here, capsys, content, suffix):
    (here / f"mine.{suffix}").write_bytes(content)
    message = f"'mine.{suffix}' can't be read as {suffix.upper()}: "
    refused(here, capsys, f"runs/bfs --input mine.{suffix} --out a.json", message, f"mine.{suffix}")


def test_damaged_and_pickled_archives(here, capsys):
    data.export(data.custom("bfs", n=16, count=50), here / "mine.npz")
    content = bytearray((here / "mine.npz").read_bytes())
    content[len(content) // 2 : len(content) // 2 + 64] = bytes(64)
    (here / "mine.npz").write_bytes(content)
    refused(here, capsys, "runs/bfs --input mine.npz --out a.json", "'mine.npz' can't be read as NPZ: ", "mine.npz")
    np.savez(here / "mine.npz", pos=np.array([{}, None], object))
    refused(here, capsys, "runs/bfs --input mine.npz --out a.json", "'mine.npz' can't be read as NPZ: ", "mine.npz")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("runs/bfs --out a.json", "missing: --input"),
        ("runs/none --input mine.json --out a.json", "'runs/none' is no run: it has no run.toml"),
        ("runs/bfs --input none.json --out a.json", "there is no file 'none.json'"),
        ("runs/bfs --input mine.xls --out a.json", "cannot tell the format of 'mine.xls'; its name must end in .json"),
        ("runs/bfs --input mine.json --out a.csv", "cannot tell the format of 'a.csv'; its name must end in .json"),
        ("runs/bfs --input mine.json --out mine.json/a.json", "cannot write 'mine.json/a.json'"),
        ("runs/bfs --input mine.json --out a.json --png a.gif", "cannot tell the format of 'a.gif'"),
        ("runs/bfs --input mine.json --out a.json --sample 2", "--sample must be from 0 to 1, got 2"),
        ("runs/bfs --input mine.json --out a.json --sample -1", "--sample must be from 0 to 1, got -1"),
        ("runs/bridges --input mine.json --out a.json", "bridges has no input 's'"),
    ],
)
def test_mistakes_get_one_line(here, capsys, line, message):
    (here / "mine.json").write_text(json.dumps(INPUTS))
    refused(here, capsys, line, message, "mine.json")


def refused(here, capsys, line, message, *files):
    """One line, exit code 2, and no file but those that were there."""
    with pytest.raises(SystemExit) as end:
        main(["predict", *line.split()])
    assert end.value.code == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert len(captured.err.strip().splitlines()) == 1, captured.err
    assert message in captured.err
    assert sorted(file.name for file in here.iterdir()) == sorted([*files, "runs"])


def test_short_forms_give_the_same_answers(here, capsys):
    main(["show", "bfs", "--n", "6", "--json", "mine.json"])
    assert "written: mine.json" in capsys.readouterr().out
    shown = json.loads((here / "mine.json").read_text())
    edges = [(u, v) for u, row in enumerate(shown["A"]) for v, weight in enumerate(row) if weight and u <= v]
    lines = ["# a graph", f"s {shown['s']}", "n 6", *(f"{u} {v}" for u, v in edges), ""]
    (here / "mine.txt").write_text("\n".join(lines))
    (here / "mine.csv").write_text("\n".join(lines).replace(" ", ","))
    inputs = algorithms.get("bfs").sample(6, 1)
    np.savez(here / "mine.npz", A=inputs["A"][0], s=inputs["s"][0])
    answers = []
    for given in ("mine.json", "mine.txt", "mine.csv", "mine.npz"):
        main(["predict", "runs/bfs", "--input", given])
        answers.append(json.loads(capsys.readouterr().out))
    assert answers[0]["pi"]
    assert answers == answers[:1] * 4


def test_our_own_safetensors_is_an_input(here, capsys):
    dataset = data.custom("bfs", n=7, count=4, seed=5)
    for given in ("mine.npz", "mine.safetensors"):
        data.export(dataset, here / given)
        main(["predict", "runs/bfs", "--input", given])
    first, second = capsys.readouterr().out.splitlines()
    assert first == second
    (here / "mine.safetensors").write_bytes(b"no header")
    (here / "mine.npz").unlink()
    message = "'mine.safetensors' can't be read as SAFETENSORS"
    refused(here, capsys, "runs/bfs --input mine.safetensors --out a.json", message, "mine.safetensors")


def test_a_line_that_is_no_edge_is_named(here, capsys):
    (here / "mine.csv").write_text("s,0\n0,1\n1,two\n")
    message = "line 3 must be an edge such as '0 1 0.5', 's 0' or 'n 8', got '1,two'"
    refused(here, capsys, "runs/bfs --input mine.csv --out a.json", message, "mine.csv")
