"""How all pictures look: colours that colour-blind readers can tell apart (Okabe and Ito), sizes and the legend."""

from collections.abc import Sequence
from typing import Any, Literal

from matplotlib.colors import to_hex, to_rgb
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

INK, WHITE = "#222222", "#ffffff"
ORANGE, SKY, GREEN, YELLOW = "#e69f00", "#56b4e9", "#009e73", "#f0e442"
BLUE, VERMILLION, PURPLE = "#0072b2", "#d55e00", "#cc79a7"
GREY, PALE = "#8a8a8a", "#d4d4d4"

PLAIN = "#c3cbd1"  # what is neither marked nor special
MARKED = BLUE  # the answer
WRONG = VERMILLION  # a prediction that differs from it
DEFECT = PURPLE  # what makes an answer invalid
SPECIAL = ORANGE  # what the input singles out: a source, a target

SETTINGS: dict[Any, Any] = {
    "font.family": "DejaVu Sans",  # comes with matplotlib: the same picture on every machine
    "font.size": 9,
    "text.parse_math": False,  # a $ in a name is a $
    "axes.edgecolor": INK,
    "axes.labelcolor": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "text.color": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "legend.fontsize": 8,
    "legend.frameon": False,
    "figure.titlesize": 12,
    "figure.titleweight": "bold",
    "svg.hashsalt": "narlab",
    "pdf.fonttype": 42,  # letters that editors and publishers take for letters
}


def by_size(nodes: int, small: float, large: float) -> float:
    """A size for `nodes` nodes: `small` up to 16 of them, `large` from 64 on."""
    share = min(max((nodes - 16) / 48, 0), 1)
    return small + share * (large - small)


def on(colour: str) -> str:
    """The colour of text on `colour`."""
    red, green, blue = (int(colour[k : k + 2], 16) for k in (1, 3, 5))
    return INK if 0.299 * red + 0.587 * green + 0.114 * blue > 140 else WHITE


def tint(colour: str, share: float) -> str:
    """`colour` mixed with white: 0 is white, 1 is `colour`."""
    red, green, blue = (1 - share * (1 - value) for value in to_rgb(colour))
    return to_hex((red, green, blue))


GROUPS = (SKY, GREEN, YELLOW, PURPLE, BLUE, GREY, *(tint(colour, 0.4) for colour in (GREEN, PURPLE, BLUE, GREY)))


Dashes = tuple[float, Sequence[float]] | Literal["-"]
SOLID: Dashes = "-"
DASHES: Dashes = (0, (2.5, 1.5))


RINGS: dict[str, Any] = {
    "linestyle": "",
    "marker": "o",
    "markersize": 7,
    "color": WHITE,
    "markeredgecolor": DEFECT,
    "markeredgewidth": 2,
    "clip_on": False,
    "zorder": 4,
}
"""Marks of defects at an axis."""


def swatch(colour: str) -> Patch:
    """A filled box of a legend."""
    return Patch(facecolor=colour, edgecolor="none")


def outline(colour: str) -> Patch:
    """A dashed box of a legend."""
    return Patch(facecolor=WHITE, edgecolor=colour, linestyle=DASHES, linewidth=1.2)


def stroke(colour: str, *, width: float = 2.2, style: Dashes = SOLID) -> Line2D:
    """A line of a legend."""
    return Line2D([], [], color=colour, linewidth=width, linestyle=style)


def disc(colour: str, *, edge: str = INK, width: float = 0.9) -> Line2D:
    """A node of a legend."""
    return Line2D([], [], marker="o", linestyle="", markersize=8, color=colour, mec=edge, mew=width)
