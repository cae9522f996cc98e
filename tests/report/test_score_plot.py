"""The picture of scores against sizes."""

from pathlib import Path

import numpy as np
import pytest
from matplotlib.image import imread

from narlab.data import Description
from narlab.evaluation import metrics
from narlab.evaluation.bootstrap import Interval
from narlab.evaluation.measurement import Measurement
from narlab.evaluation.scores import Scores
from narlab.report.pictures import style
from narlab.report.pictures.score_plot import plot_scores


def measured(n: int, graphs: str | None, score: float) -> Measurement:
    description = Description("custom", "bfs", "custom", n=n, count=9, seed=0, graphs=graphs)
    interval = Interval(score - 0.1, score + 0.1)
    scores = Scores({metric: {"pi": score} for metric in metrics.DEFAULT})
    return Measurement(
        description, 9, metrics.get_all(metrics.DEFAULT), scores, dict.fromkeys(metrics.DEFAULT, interval), {}
    )


SWEEP = [measured(n, graphs, 0.5 + 0.1 * k) for k, graphs in enumerate((None, "er:p=0.5", "tree")) for n in (16, 64)]


def colours(picture: Path) -> set[int]:
    """The colours of a picture, as 0xRRGGBB."""
    red, green, blue = np.moveaxis((imread(picture)[..., :3] * 255).round().astype(np.int64), -1, 0)
    return set(np.unique(red << 16 | green << 8 | blue).tolist())


def test_each_family_has_its_colour(tmp_path: Path) -> None:
    found = colours(plot_scores(SWEEP, tmp_path / "a.png", title="bfs"))
    for colour in (style.BLUE, style.ORANGE, style.GREEN):
        assert int(colour[1:], 16) in found
    assert int(style.VERMILLION[1:], 16) not in found
    assert [file.name for file in tmp_path.iterdir()] == ["a.png"]


@pytest.mark.parametrize("suffix", [".png", ".svg"])
def test_the_same_numbers_give_the_same_bytes(suffix: str, tmp_path: Path) -> None:
    pictures = [plot_scores(SWEEP, tmp_path / f"{k}{suffix}", title="bfs").read_bytes() for k in range(2)]
    assert pictures[0] == pictures[1]


@pytest.mark.parametrize("chosen", [SWEEP[:1], SWEEP[::2], [measured(16, None, 0.97)]])
def test_one_size_and_high_scores_are_drawn(chosen: list[Measurement], tmp_path: Path) -> None:
    assert len(colours(plot_scores(chosen, tmp_path / "a.png", title="bfs"))) > 10


def test_bad_paths_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="cannot tell the format"):
        plot_scores(SWEEP, tmp_path / "a.bmp", title="bfs")
    assert list(tmp_path.iterdir()) == []


def test_what_is_infinite_is_not_drawn(tmp_path: Path) -> None:
    """Five panels in two rows, one of them without a finite value."""
    chosen = metrics.get_all(["score", "graph_score", "valid", "valid_elements", "gap"])

    def gaps(n: int) -> Measurement:
        scores = Scores({metric.name: {"": np.inf if metric.name == "gap" else 0.5} for metric in chosen})
        intervals = {metric.name: Interval(0.25, np.inf if metric.name == "gap" else 0.75) for metric in chosen}
        description = Description("custom", "bfs", "custom", n=n, count=9, seed=0)
        return Measurement(description, 9, chosen, scores, intervals, {})

    for sizes in ((16,), (16, 64)):
        picture = imread(plot_scores([gaps(n) for n in sizes], tmp_path / "a.png", title="bfs"))
        height, width = picture.shape[:2]
        assert 1.5 < width / height < 2


def test_a_value_that_is_infinite_at_one_size_is_told(tmp_path: Path) -> None:
    chosen = metrics.get_all(["gap"])

    def at(n: int, value: float) -> Measurement:
        description = Description("custom", "bfs", "custom", n=n, count=9, seed=0)
        return Measurement(description, 9, chosen, Scores({"gap": {"": value}}), {"gap": Interval(0.1, value)}, {})

    text = plot_scores([at(16, 0.5), at(64, np.inf)], tmp_path / "a.svg", title="bfs").read_text()
    assert "infinite at 64" in text
    assert "infinite" not in plot_scores([at(16, 0.5), at(64, 0.7)], tmp_path / "b.svg", title="bfs").read_text()


def test_no_gap_is_drawn_at_the_bottom(tmp_path: Path) -> None:
    chosen = metrics.get_all(["gap"])
    description = Description("custom", "bfs", "custom", n=16, count=9, seed=0)
    best = Measurement(description, 9, chosen, Scores({"gap": {"": 0.0}}), {"gap": Interval(0.0, 0.0)}, {})
    labels = plot_scores([best], tmp_path / "a.svg", title="bfs").read_text()
    assert "0.04" in labels  # an axis, of
    assert "\N{MINUS SIGN}" not in labels  # nothing below 0
