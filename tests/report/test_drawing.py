"""Pictures are written, whole and with something on them, for every algorithm; and never half."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from matplotlib.image import imread

from narlab import algorithms
from narlab.algorithms.engine import Algorithm
from narlab.algorithms.engine.validity import Defect
from narlab.report.pictures import style
from narlab.report.pictures.instance import draw
from narlab.report.pictures.instance.sample import Sample
from narlab.specs import Type

Arrays = dict[str, np.ndarray]
QUICK = ("bfs", "matrix_chain_order")
ALL = [
    name if name in QUICK else pytest.param(name, marks=pytest.mark.slow) for name in algorithms.CLRS_30
]  # a graph and a table are quick


def instance(name: str, n: int = 8, seed: int = 0) -> tuple[Algorithm, Arrays, Arrays]:
    algorithm = algorithms.get(name)
    inputs = algorithm.sample(n, 1, seed=seed)
    outputs = algorithm.execute(inputs).outputs
    return (
        algorithm,
        {key: array[0] for key, array in inputs.items()},
        {key: array[0] for key, array in outputs.items()},
    )


def all_wrong(algorithm: Algorithm, outputs: Arrays) -> Arrays:
    """A prediction in which no element is right."""

    def wrong(kind: Type, values: np.ndarray) -> np.ndarray:
        if kind is Type.POINTER:
            return (values + 1) % len(values)
        if kind is Type.MASK:
            return np.where(values == -1, -1, 1 - values)
        if kind is Type.MASK_ONE:
            return np.roll(values, 1)
        return np.concatenate([np.roll(values[..., :3], 1, axis=-1), values[..., 3:]], axis=-1)

    return {probe.name: wrong(probe.type, outputs[probe.name]) for probe in algorithm.outputs}


def share_of(picture: Path, colour: str) -> float:
    """How much of a picture has exactly this colour."""
    pixels = (imread(picture) * 255).round().astype(np.uint8).view(np.uint32)[..., 0]
    wanted = np.array([*(round(255 * value) for value in to_rgb(colour)), 255], np.uint8).view(np.uint32)
    return float((pixels == wanted).mean())


@pytest.mark.parametrize("name", ALL)
def test_every_algorithm_is_drawn(name: str, tmp_path: Path) -> None:
    picture = draw(*instance(name), tmp_path / "picture.png")
    assert picture.read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
    height, width = imread(picture).shape[:2]
    assert 1000 < width < 4000
    assert 300 < height < 2500
    assert 0.3 < share_of(picture, style.WHITE) < 0.98
    assert share_of(picture, style.INK) > 0.0005
    assert share_of(picture, style.WRONG) == 0
    assert [file.name for file in tmp_path.iterdir()] == ["picture.png"]


@pytest.mark.parametrize("name", ALL)
def test_wrong_predictions_are_vermillion(name: str, tmp_path: Path) -> None:
    algorithm, inputs, outputs = instance(name)
    predicted = all_wrong(algorithm, outputs)
    picture = draw(algorithm, inputs, outputs, tmp_path / "picture.png", predicted=predicted)
    assert share_of(picture, style.WRONG) > 0.0005
    right, elements = Sample(algorithm, inputs, outputs, predicted).score()
    assert right == 0 < elements


def test_a_right_prediction_has_nothing_wrong(tmp_path: Path) -> None:
    algorithm, inputs, outputs = instance("bfs")
    picture = draw(algorithm, inputs, outputs, tmp_path / "picture.png", predicted=outputs)
    assert share_of(picture, style.WRONG) == 0
    assert Sample(algorithm, inputs, outputs, outputs).score() == (8, 8)


def test_masked_entries_do_not_count() -> None:
    algorithm, inputs, outputs = instance("lcs_length")
    assert Sample(algorithm, inputs, outputs, outputs).score() == (16, 16)  # 4 x 4 letters, not 8 x 8 pairs


@pytest.mark.parametrize("suffix", [pytest.param(".png", marks=pytest.mark.slow), ".svg"])
def test_the_same_input_gives_the_same_bytes(suffix: str, tmp_path: Path) -> None:
    pictures = [draw(*instance("dijkstra"), tmp_path / f"{k}{suffix}").read_bytes() for k in range(2)]
    assert pictures[0] == pictures[1]


@pytest.mark.parametrize(
    ("name", "n"),
    [
        ("floyd_warshall", 2),
        ("kmp_matcher", 40),
        pytest.param("dfs", 20, marks=pytest.mark.slow),
        pytest.param("lcs_length", 41, marks=pytest.mark.slow),
    ],
)
def test_other_sizes_are_drawn(name: str, n: int, tmp_path: Path) -> None:
    assert draw(*instance(name, n), tmp_path / "deep" / "picture.svg").stat().st_size > 10_000


@pytest.mark.parametrize("path", ["picture.bmp", "picture", "folder.png", "file/picture.png"])
def test_bad_paths_are_refused_and_leave_nothing(path: str, tmp_path: Path) -> None:
    (tmp_path / "folder.png").mkdir()
    (tmp_path / "file").write_text("kept")
    with pytest.raises(ValueError, match=r"^cannot (write|tell the format of) '"):
        draw(*instance("minimum"), tmp_path / path)
    assert sorted(file.name for file in tmp_path.rglob("*")) == ["file", "folder.png"]
    assert (tmp_path / "file").read_text() == "kept"


def test_a_failure_while_writing_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    old = tmp_path / "picture.png"
    old.write_text("old")
    monkeypatch.setattr("narlab.report.pictures.instance.os.replace", fail)
    with pytest.raises(ValueError, match=r"cannot write '.*picture.png': No space left on device"):
        draw(*instance("minimum"), old)
    assert [file.read_text() for file in tmp_path.iterdir()] == ["old"]


def test_missing_and_misshapen_arrays_are_refused(tmp_path: Path) -> None:
    algorithm, inputs, outputs = instance("bfs")
    with pytest.raises(ValueError, match="bfs misses the prediction of 'pi'"):
        draw(algorithm, inputs, outputs, tmp_path / "picture.png", predicted={})
    with pytest.raises(ValueError, match="bfs has no output 'd'"):
        draw(algorithm, inputs, {**outputs, "d": outputs["pi"]}, tmp_path / "picture.png")
    with pytest.raises(ValueError, match=r"output 'pi' must have shape \[8\], got \[1, 8\]"):
        draw(algorithm, inputs, {"pi": outputs["pi"][None]}, tmp_path / "picture.png")


def test_plotting_libraries_are_loaded_only_for_pictures() -> None:
    code = "import sys, narlab.report.trace, narlab.cli.commands.show; print('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"


@pytest.mark.parametrize(
    "name",
    [
        "bfs",
        "graham_scan",
        *(
            pytest.param(name, marks=pytest.mark.slow)
            for name in ("quicksort", "floyd_warshall", "lcs_length", "kmp_matcher")
        ),
    ],
)
def test_defects_are_marked_and_told(name: str, tmp_path: Path) -> None:
    """A picture with defects has their colour and is taller, for what is written below."""
    algorithm, inputs, outputs = instance(name)
    predicted = all_wrong(algorithm, outputs)
    defects = [Defect(f"defect {k}", nodes=(0, 7), edges=((0, 7),)) for k in range(9)]
    judged, valid = (
        draw(algorithm, inputs, outputs, tmp_path / f"{len(found)}.png", predicted=predicted, defects=found)
        for found in (defects, [])
    )
    assert share_of(judged, style.DEFECT) > share_of(valid, style.DEFECT) == 0
    assert imread(judged).shape[0] > imread(valid).shape[0] + 150


@pytest.mark.parametrize(
    "name",
    [
        "bfs",
        *(
            pytest.param(name, marks=pytest.mark.slow)
            for name in ("mst_kruskal", "articulation_points", "topological_sort")
        ),
    ],
)
def test_what_is_right_can_be_left_out(name: str, tmp_path: Path) -> None:
    algorithm, inputs, outputs = instance(name, 16)
    sizes = [
        draw(algorithm, inputs, outputs, tmp_path / f"{shown}.svg", predicted=outputs, shows_right=shown).stat().st_size
        for shown in (True, False)
    ]
    assert sizes[1] < sizes[0]
