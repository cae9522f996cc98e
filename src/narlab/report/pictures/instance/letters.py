"""Strings as letters in boxes, and where one occurs in the other."""

from functools import partial

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from narlab.report.pictures import style
from narlab.report.pictures.instance.bars import COLOURS, verdict_entries
from narlab.report.pictures.instance.panel import Entries, Panel
from narlab.report.pictures.instance.sample import Sample, Verdict, has, verdicts
from narlab.specs import Location, Type

LINE = 20  # letters in a line
BOX = 0.3  # inches
PITCH = 1.9  # boxes from line to line
LEFT = 3.8  # boxes of room for the strings' names


def input_panel(sample: Sample) -> Panel:
    names = " and ".join(_names(sample))
    return Panel(
        f"input: {names}{'' if has(sample, Location.NODE, Type.MASK_ONE) else ' string'}",
        *_size(sample),
        partial(_draw_input, sample),
    )


def output_panel(sample: Sample) -> Panel:
    (name,) = sample.outputs
    true, shown = int(sample.true(name)), int(sample.shown(name))
    start = f"{shown}" if true == shown else f"{shown}, true {true}"
    return Panel(f"{sample.called(name)}: starts at node {start}", *_size(sample), partial(_draw_output, sample))


def mark_defects(sample: Sample, axes: Axes) -> None:
    """A frame around each letter."""
    places = _places(sample, _shift(sample))
    for v in sample.defective_nodes:
        x, y = places[v]
        axes.add_patch(Rectangle((x - 0.04, y - 0.08), 1.08, 1.16, fill=False, edgecolor=style.DEFECT, linewidth=2.2))


def _size(sample: Sample) -> tuple[float, float]:
    return max(4.2, BOX * (_columns(sample) + LEFT)), BOX * (PITCH * _lines(sample) + 0.3)


def _draw_input(sample: Sample, axes: Axes) -> Entries:
    _draw_strings(axes, sample, np.full(sample.nodes, Verdict.PLAIN), shift=0)
    return []


def _draw_output(sample: Sample, axes: Axes) -> Entries:
    """The second string below the place where it occurs in the first."""
    (name,) = sample.outputs
    true, shown = int(sample.true(name)), int(sample.shown(name))
    found = verdicts(_match(sample, true), _match(sample, shown))
    if true != shown:
        found[_match(sample, shown)] = Verdict.WRONG  # no letter of it is right, even where the matches overlap
    _draw_strings(axes, sample, found, shift=_shift(sample))
    return verdict_entries(name, found)


def _shift(sample: Sample) -> int:
    """How far to the right the second string stands: below its match in the output, if there is room."""
    name = has(sample, Location.NODE, Type.MASK_ONE)
    first, second = _strings(sample)
    shown = int(sample.shown(name)) if name else 0
    return shown if shown + len(second) <= len(first) <= LINE else 0


def _match(sample: Sample, start: int) -> np.ndarray:
    """The nodes of the first string that a match from `start` covers, [N]; a start beyond it covers itself."""
    first, second = _strings(sample)
    covered = np.zeros(sample.nodes, bool)
    covered[start : min(start + len(second), len(first)) if start < len(first) else start + 1] = True
    return covered


def _strings(sample: Sample) -> tuple[np.ndarray, np.ndarray]:
    """The letters of both strings."""
    key, second = sample.given("key"), sample.given("string").astype(bool)
    return key[~second], key[second]


def _names(sample: Sample) -> tuple[str, str]:
    return ("haystack", "needle") if has(sample, Location.NODE, Type.MASK_ONE) else ("first", "second")


def _columns(sample: Sample) -> int:
    return min(max(len(string) for string in _strings(sample)), LINE)


def _lines(sample: Sample) -> int:
    return sum(-(-len(string) // LINE) for string in _strings(sample))


def _draw_strings(axes: Axes, sample: Sample, found: np.ndarray, shift: int) -> None:
    """Both strings, in lines of boxes; the second one moved to the right by `shift`."""
    first, second = _strings(sample)
    places = _places(sample, shift)
    for name, node in zip(_names(sample), (0, len(first)), strict=True):
        axes.text(-0.5, places[node][1] + 0.5, name, ha="right", va="center", fontsize=9)
    for node, letter in enumerate([*first, *second]):
        _draw_box(axes, places[node], chr(ord("a") + int(letter)), node, found[node])
    axes.set(xlim=(0.2 - LEFT, _columns(sample) + 0.2), ylim=(PITCH * _lines(sample), -0.3), aspect="equal")
    axes.set_axis_off()


def _places(sample: Sample, shift: int) -> list[tuple[float, float]]:
    """Where each node's box begins, the nodes of the first string before those of the second."""
    places: list[tuple[float, float]] = []
    line = 0
    for string, moved in zip(_strings(sample), (0, shift), strict=True):
        places += [(moved + k % LINE, PITCH * (line + k // LINE)) for k in range(len(string))]
        line += -(-len(string) // LINE)
    return places


def _draw_box(axes: Axes, place: tuple[float, float], letter: str, node: int, verdict: Verdict) -> None:
    colour = COLOURS[verdict] if verdict is not Verdict.PLAIN else "#eef1f3"
    missed = verdict is Verdict.MISSED
    edge = {"edgecolor": style.WRONG, "linestyle": style.DASHES} if missed else {"edgecolor": style.INK}
    x, y = place
    axes.add_patch(Rectangle((x + 0.04, y), 0.92, 1, facecolor=colour, linewidth=1.4 if missed else 0.8, **edge))
    axes.text(x + 0.5, y + 0.52, letter, ha="center", va="center", fontsize=10, color=style.on(colour))
    axes.text(x + 0.5, y + 1.3, str(node), ha="center", va="center", fontsize=6.5, color=style.GREY)
