"""Plots: series by colour and marker, in panels."""

import matplotlib
import pytest

from narlab.common.errors import UsageError
from narlab.experiments.declaring.outcome import Plot, Series
from narlab.report.pictures import style
from narlab.report.pictures.figures import Look, columns_of, rendered
from narlab.report.pictures.plots import figure

ID = Series("ID", (0.0, 0.5, 1.0), (99.0, 60.0, 98.0))
OOD = Series("OOD", (0.0, 0.5, 1.0), (80.0, 30.0, 70.0), spread=(1.0, 2.0, 3.0))
PLOT = Plot("p", "Interpolation", "coefficient", "score, %", {"B to A": (ID, OOD), "C to A": (OOD, ID)})


def panels_of(made):
    return [axes for axes in made.axes if axes.axison]


def test_axes_of_one_kind_have_one_range_and_a_line_where_they_are_equal():
    points = Series("a", (10.0, 90.0), (40.0, 50.0))
    (axes,) = panels_of(figure(Plot("p", "P", "paper", "ours", {"": (points,)}, points=True, alike=True)))
    assert axes.get_xlim() == axes.get_ylim()
    assert axes.get_xlim()[0] < 10 < 90 < axes.get_xlim()[1]
    (line,) = axes.get_lines()
    assert line.get_xy1() == (0.0, 0.0)
    assert line.get_slope() == 1.0


def test_a_label_looks_the_same_in_all_panels_and_other_than_the_rest():
    looks = {}
    for axes in panels_of(figure(PLOT)):
        for line in axes.get_lines():
            looks.setdefault(line.get_label(), set()).add((line.get_color(), line.get_marker(), line.get_linestyle()))
    assert {label: len(found) for label, found in looks.items()} == {"ID": 1, "OOD": 1}
    for ours, theirs in zip(*(next(iter(found)) for found in looks.values()), strict=True):
        assert ours != theirs


def test_curves_carry_their_numbers_labels_and_bands():
    made = figure(PLOT)
    first, second = panels_of(made)
    assert first.get_title() == "B to A"
    assert second.get_title() == "C to A"
    assert first.get_ylabel() == "score, %"
    assert first.get_xlabel() == second.get_xlabel() == "coefficient"
    assert list(first.get_lines()[0].get_ydata()) == [99.0, 60.0, 98.0]
    (band,) = first.collections
    assert band.get_paths()[0].get_extents().y0 == pytest.approx(28)
    assert made.get_suptitle() == "Interpolation"
    (legend,) = made.legends
    assert [text.get_text() for text in legend.get_texts()] == ["ID", "OOD"]


def test_points_have_no_lines_between_them_and_bars_for_their_spread():
    plot = Plot("p", "P", "ID", "OOD", {"dfs": (OOD,)}, points=True)
    (axes,) = panels_of(figure(plot))
    bars, dots = axes.collections
    assert dots.get_offsets().tolist() == [[0.0, 80.0], [0.5, 30.0], [1.0, 70.0]]
    assert [segment[:, 1].tolist() for segment in bars.get_segments()] == [[79, 81], [28, 32], [67, 73]]
    assert not [line for line in axes.get_lines() if len(line.get_xdata())]


def test_what_the_titles_say_needs_no_legend():
    same = {name: (Series(name, (1.0,), (2.0,)),) for name in ("dfs", "bridges")}
    assert figure(Plot("p", "P", "x", "y", same)).legends == []


@pytest.mark.parametrize("panels", [{}, {"dfs": ()}, {"dfs": (Series("ID", (), ()),)}])
@pytest.mark.parametrize("points", [False, True])
def test_a_plot_without_runs_says_so(panels, points):
    (axes,) = panels_of(figure(Plot("p", "P", "x", "y", panels, points=points)))
    assert [text.get_text() for text in axes.texts] == ["no runs yet"]


@pytest.mark.parametrize(("count", "columns"), [(1, 1), (2, 2), (3, 3), (4, 2), (5, 3), (9, 3)])
def test_panels_fill_a_grid(count, columns):
    assert columns_of(count) == columns
    plot = Plot("p", "P", "x", "y", {f"panel {k}": (ID,) for k in range(count)})
    panels = panels_of(figure(plot))
    assert len(panels) == count
    assert [bool(axes.get_xlabel()) for axes in panels] == [k + columns >= count for k in range(count)]
    assert figure(plot).get_figwidth() <= 7.1  # inches: a page of a paper


@pytest.mark.parametrize("kind", [pytest.param("png", marks=pytest.mark.slow), "svg"])
def test_the_same_plot_gives_the_same_bytes(kind):
    assert rendered(lambda: figure(PLOT), kind) == rendered(lambda: figure(PLOT), kind)


def test_colours_are_those_that_all_can_tell_apart():
    many = Plot("p", "P", "x", "y", {"a": tuple(Series(str(k), (0.0, 1.0), (k, k)) for k in range(6))})
    (axes,) = panels_of(figure(many))
    used = {line.get_color() for line in axes.get_lines()}
    assert used <= {style.BLUE, style.ORANGE, style.GREEN, style.VERMILLION, style.PURPLE, style.SKY, style.INK}
    assert len(used) == 6
    assert len({line.get_marker() for line in axes.get_lines()}) == 6


def test_width_font_and_title_are_the_readers():
    def draw():
        return figure(Plot("a", "A title", "x", "y", {"one": (Series("s", (0.0, 1.0), (1.0, 2.0)),)}))

    look = Look(width=3.3, font="DejaVu Serif", font_size=18, title="")
    with matplotlib.style.context("default"):
        before, made = draw(), look.apply(draw())
    assert made.get_size_inches()[0] == pytest.approx(3.3)
    assert made.get_suptitle() == ""
    old, new = (figure.axes[0].xaxis.label for figure in (before, made))
    assert new.get_fontfamily() == ["DejaVu Serif"]
    assert new.get_fontsize() == 2 * old.get_fontsize()
    first, second = (rendered(draw, "pdf", look) for _ in range(2))
    assert first.startswith(b"%PDF")
    assert first == second
    with pytest.raises(UsageError, match="unknown font 'Nowhere Sans'"):
        Look(font="Nowhere Sans")
    with pytest.raises(UsageError, match=r"width of a figure must be a number from 0\.5 to 100, got -1"):
        Look(width=-1)


def test_every_point_of_an_interpolation_is_marked():
    points = tuple(k / 20 for k in range(21))
    made = figure(Plot("a", "A", "x", "y", {"one": (Series("s", points, points),)}))
    assert len(made.axes[0].lines[0].get_markevery()) == 21


def test_a_long_legend_has_room_of_its_own():
    names = [f"strongly_connected_components_{k}" for k in range(24)]
    plot = Plot("p", "P", "x", "y", {title: tuple(Series(name, (1.0,), (2.0,)) for name in names) for title in "abc"})
    made = figure(plot)
    made.draw_without_rendering()
    (legend,) = made.legends
    box = legend.get_window_extent()
    assert box.y0 >= 0
    for axes in panels_of(made):
        assert box.y1 < axes.get_tightbbox().y0
        assert axes.get_window_extent().height > 100
