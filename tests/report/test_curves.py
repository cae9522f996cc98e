"""Curves along training, as the page draws them."""

import re

import pytest

from narlab.report.page.curves import POINTS, Curve, Scale, chart


def points_of(picture):
    """The places of the first line of a chart."""
    return re.search(r'<polyline [^>]*points="([^"]*)"', picture)[1].split()


def test_curves_are_where_their_numbers_are():
    found = chart("Loss", [Curve("loss", [(0.0, 0.0), (50.0, 5.0), (100.0, 10.0)], "x")], last=100)
    places = [tuple(map(int, place.split(","))) for place in points_of(found)]
    (left, bottom), (middle, half), (right, top) = places
    assert left < middle < right
    assert bottom > half > top
    assert abs(middle - (left + right) / 2) <= 1
    assert abs(half - (top + bottom) / 2) <= 1


def test_long_curves_are_thinned_from_end_to_end():
    long = [(float(k), float(k)) for k in range(10_000)]
    whole, short = (chart("c", [Curve("c", points, "x")], last=10_000) for points in (long, [long[0], long[-1]]))
    thinned, ends = (points_of(each) for each in (whole, short))
    assert POINTS // 3 < len(thinned) <= POINTS
    assert (thinned[0], thinned[-1]) == (ends[0], ends[-1])


@pytest.mark.parametrize(("low", "high"), [(0, 1), (0.2, 0.9), (97.3, 99.9), (0, 20_000), (5, 5), (-3, 4), (0, 3e-7)])
def test_ticks_are_few_and_on_the_axis(low, high):
    ticks = Scale(low, high, 0, 1).ticks()
    assert len(ticks) <= 6
    assert all(low - 1e-9 <= tick <= high + 1e-9 for tick in ticks)
    assert len(ticks) >= (2 if high > low else 0)


def test_a_large_range_of_losses_is_logarithmic():
    scale = Scale(0.001, 1.0, 0, 1, logarithmic=True)
    assert [scale.place(value) for value in (0.001, 0.01, 1.0)] == pytest.approx([0, 1 / 3, 1])
    assert scale.ticks() == pytest.approx([0.001, 0.01, 0.1, 1.0])


def test_even_absurd_ranges_have_few_ticks():
    assert 2 <= len(Scale(1e-90, 1.0, 0, 1, logarithmic=True).ticks()) <= 8


def test_no_points_no_chart():
    assert chart("c", [Curve("c", [], "x")], last=10) == ""


def labels_of(points, **options):
    """The numbers at the upward axis of a chart."""
    found = chart("c", [Curve("c", points, "x")], last=100, **options)
    return re.findall(r'text-anchor="end">([^<]*)<', found)


def test_an_axis_of_shares_ends_where_they_do():
    always = [(0.0, 100.0), (100.0, 100.0)]
    assert labels_of(always)[-1] == "110"
    assert labels_of(always, most=100)[-1] == "100"
    assert labels_of([(0.0, 90.0), (100.0, 130.0)], most=100)[-1] == "120"  # what there is is shown


@pytest.mark.parametrize(("low", "high"), [(99.91, 100.0), (1e-4, 1.1e-4), (1e-6, 1.0), (999.0, 1001.0), (-0.1, 0.1)])
def test_labels_of_an_axis_differ_and_have_room(low, high):
    labels = labels_of([(0.0, low), (100.0, high)])
    assert len(labels) > 1
    assert len(set(labels)) == len(labels)
    assert max(map(len, labels)) <= 7
