"""What all pictures share: figures of one look, a grid of panels, their bytes, and the one way to save them."""

import io
import os
import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

from matplotlib import style as matplotlib_style
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine

from narlab.common.files import check_target, write_whole
from narlab.report.pictures import style

KINDS = ("png", "svg")
SUFFIXES = tuple(f".{kind}" for kind in KINDS)
DPI = 200
TITLE_SIZE, PANEL_TITLE_SIZE = 10, 9  # points
LETTERS_PER_INCH = 12  # of the title, roughly


def columns_of(panels: int) -> int:
    """How many panels stand beside each other: up to three, and four two by two."""
    return 2 if panels == 4 else min(max(panels, 1), 3)


def new_figure(
    panels: int, size: tuple[float, float], title: str, *, below: float = 0.0, **sharing: Any
) -> tuple[Figure, list[Axes]]:
    """A figure with so many panels of this size and room `below` them, in inches; `sharing` is for `subplots`."""
    columns = columns_of(panels)
    rows = -(-max(panels, 1) // columns)
    width = columns * size[0]
    lines = textwrap.wrap(title, max(int(LETTERS_PER_INCH * width), 20))
    figure = Figure(
        (width, rows * size[1] + 0.2 * len(lines) + below),
        dpi=DPI,
        layout=ConstrainedLayoutEngine(w_pad=0.05, h_pad=0.06, wspace=0.03),
    )
    FigureCanvasAgg(figure)
    if lines:
        figure.suptitle("\n".join(lines), fontsize=TITLE_SIZE)
    grid = figure.subplots(rows, columns, squeeze=False, **sharing)
    for unused in grid.flat[panels:]:
        unused.set_axis_off()
    return figure, list(grid.flat[:panels])


def rendered(draw: Callable[[], Figure], kind: str) -> bytes:
    """What `draw` draws, as "png" or "svg": the same bytes at any time and whatever the user's own settings are."""
    assert kind in KINDS
    with matplotlib_style.context(["default", style.SETTINGS]):
        content = io.BytesIO()
        stamp = {"Software": None} if kind == "png" else {"Date": None, "Creator": None}
        draw().savefig(content, format=kind, metadata=stamp)
    return content.getvalue()


def check_path(path: str | os.PathLike) -> Path:
    """`path`, if a picture can be written there."""
    return check_target(path, SUFFIXES)


def save(draw: Callable[[], Figure], path: str | os.PathLike) -> Path:
    """Write what `draw` draws to a file, whole or not at all; its ending says which kind."""
    path = check_path(path)
    return write_whole(path, rendered(draw, path.suffix.lower().removeprefix(".")))
