"""Curves along training as small SVG: drawn in the page itself, so that they follow its colours and stay light."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from narlab.common import evenly
from narlab.report.page.markup import Markup, element, often

WIDTH, HEIGHT = 380, 205
LEFT, RIGHT, TOP, BOTTOM = 48, 20, 10, 34
POINTS = 60  # of a curve, at most
SMALL = 1e-3  # numbers below are written with a power of ten
LOGARITHMIC = 30.0  # ratio of the largest to the smallest value from which the scale is
Points = list[tuple[float, float]]


@dataclass(frozen=True)
class Curve:
    """A named curve; `look` is a class of the page's style, `dots` shows each point."""

    label: str
    points: Points
    look: str
    dots: bool = False


@dataclass(frozen=True)
class Scale:
    """Values of an axis to places in the picture."""

    low: float
    high: float
    start: float
    end: float
    logarithmic: bool = False

    def place(self, value: float) -> float:
        if self.logarithmic:
            return self.start + math.log10(value / self.low) * self._stretch
        return self.start + (value - self.low) * self._stretch

    @cached_property
    def _stretch(self) -> float:
        """How much of the picture one step of the scale takes."""
        span = math.log10(self.high / self.low) if self.logarithmic else self.high - self.low
        return (self.end - self.start) / (span or 1)

    def ticks(self) -> list[float]:
        """Round numbers on the axis, about four of them."""
        if self.logarithmic:
            first, last = math.floor(math.log10(self.low)), math.ceil(math.log10(self.high))
            few = (1,) if last - first > 2 else (1, 3)
            decades = range(first, last + 1, -(-(last - first) // 6) or 1)
            found = [digit * 10.0**power for power in decades for digit in few]
        else:
            rough = (self.high - self.low or 1) / 4
            power = 10.0 ** math.floor(math.log10(rough))
            unit = next(digit * power for digit in (1, 2, 2.5, 5, 10) if digit * power >= rough * 0.999)
            found = [
                k * unit for k in range(math.ceil(self.low / unit - 1e-9), math.floor(self.high / unit + 1e-9) + 1)
            ]
        return [tick for tick in found if self.low * (1 - 1e-9) <= tick <= self.high * (1 + 1e-9)]


def chart(
    title: str, curves: Sequence[Curve], *, last: float, chosen: float | None = None, most: float = math.inf
) -> Markup:
    """The curves that have points, over the steps from 0 to `last`; a line at the `chosen` step.

    Values above `most` have no meaning: where no curve goes beyond it, the axis does not.
    """
    shown = [curve for curve in curves if curve.points]
    if not shown:
        return Markup("")
    values = [y for curve in shown for _, y in curve.points]
    across, up = Scale(0, last, LEFT, WIDTH - RIGHT), _upwards(min(values), max(values), most)
    parts = _axes(across, up)
    if chosen is not None:
        x = round(across.place(chosen))
        parts.append(element("path", class_="chosen", d=f"M{x} {TOP}V{HEIGHT - BOTTOM}"))
    for curve in shown:
        parts += _lines(curve, across, up)
    ends = ", ".join(f"{curve.label} ends at {_number(curve.points[-1][1])}" for curve in shown)
    picture = element("svg", *parts, viewBox=f"0 0 {WIDTH} {HEIGHT}", role="img", aria_label=f"{title}: {ends}")
    return element("figure", element("figcaption", often("b", title), *map(_key, shown)), picture, class_="chart")


def _upwards(low: float, high: float, most: float) -> Scale:
    if low > 0 and high / low > LOGARITHMIC:
        return Scale(low / 1.15, high * 1.15, HEIGHT - BOTTOM, TOP, logarithmic=True)
    room = 0.06 * (high - low) or 0.1 * abs(high) or 1
    return Scale(low - room, min(high + room, max(high, most)), HEIGHT - BOTTOM, TOP)


def _axes(across: Scale, up: Scale) -> list[Markup]:
    parts = []
    for tick in up.ticks():
        y = round(up.place(tick))
        parts.append(often("path", class_="grid", d=f"M{LEFT} {y}H{WIDTH - RIGHT}"))
        parts.append(often("text", _tick(tick), x=str(LEFT - 6), y=str(y + 4), text_anchor="end"))
    for tick in across.ticks():
        x = round(across.place(tick))
        parts.append(often("text", _tick(tick), x=str(x), y=str(HEIGHT - BOTTOM + 15), text_anchor="middle"))
    base = HEIGHT - BOTTOM
    parts.append(often("path", class_="axis", d=f"M{LEFT} {base}H{WIDTH - RIGHT}"))
    middle = (LEFT + WIDTH - RIGHT) // 2
    parts.append(often("text", "training step", x=str(middle), y=str(HEIGHT - 4), text_anchor="middle"))
    return parts


def _lines(curve: Curve, across: Scale, up: Scale) -> list[Markup]:
    places = [(round(across.place(x)), round(up.place(y))) for x, y in thinned(curve.points)]
    line = element("polyline", class_=curve.look, points=" ".join(f"{x},{y}" for x, y in _corners(places)))
    if not curve.dots and len(places) > 1:
        return [line]
    return [line, element("path", class_=f"{curve.look} dots", d="".join(f"M{x} {y}h0" for x, y in places))]


def thinned(points: Points, most: int = POINTS) -> Points:
    return list(evenly(points, most))


def _corners(places: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The places without those amid a level stretch, which change nothing."""
    triples = zip(places, places[1:], places[2:], strict=False)
    inner = [here for before, here, after in triples if not before[1] == here[1] == after[1]]
    return [places[0], *inner, places[-1]] if len(places) > 1 else places


def _key(curve: Curve) -> Markup:
    """An entry of the legend."""
    parts = [often("path", class_=curve.look, d="M1 5h24")]
    if curve.dots:
        parts.append(often("path", class_=f"{curve.look} dots", d="M13 5h0"))
    return often("span", often("svg", *parts, viewBox="0 0 26 10", aria_hidden="true"), curve.label, class_="key")


def _number(value: float) -> str:
    if abs(value) >= 1000 and float(value).is_integer():
        return f"{value:,.0f}".replace(",", "\N{NARROW NO-BREAK SPACE}")
    return f"{value:.3g}"


def _tick(value: float) -> str:
    """A round number in full: neighbours on an axis are told apart."""
    if 0 < abs(value) < SMALL:
        digits, power = f"{value:.6e}".split("e")
        return f"{float(digits):g}e{int(power)}"
    return _number(value) if abs(value) >= 1000 else f"{value:.6g}"
