"""What all pictures share: figures of one look, a grid of panels, their bytes, and the one way to save them."""

import io
import os
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from matplotlib import font_manager
from matplotlib import style as matplotlib_style
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from matplotlib.text import Text

from narlab.common.errors import UsageError, unknown
from narlab.common.files import check_target, write_whole
from narlab.report.pictures import style

KINDS = ("png", "svg", "pdf")
SUFFIXES = tuple(f".{kind}" for kind in KINDS)
STAMPS = {"png": ("Software",), "svg": ("Date", "Creator"), "pdf": ("CreationDate", "Creator", "Producer")}
"""What files would say of the time and the program; left out."""
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


@dataclass(frozen=True)
class Look:
    """What a reader may want otherwise: the width in inches, the font and its size in points, and the title.

    Letters keep their size when the width changes, so that a figure of a column's width fits the text around it. An
    empty title is none.
    """

    width: float | None = None
    font: str | None = None
    font_size: float | None = None
    title: str | None = None

    def __post_init__(self) -> None:
        for name, least, most in (("width", 0.5, 100), ("font_size", 1, 1000)):
            value = getattr(self, name)
            if value is not None and not least <= value <= most:
                words = name.replace("_", " ")
                raise UsageError(f"the {words} of a figure must be a number from {least} to {most}, got {value}")
        if self.font is not None:
            try:
                font_manager.findfont(self.font, fallback_to_default=False)
            except ValueError:
                known = sorted(set(font_manager.get_font_names()))
                raise unknown("font", self.font, known) from None

    def apply(self, figure: Figure) -> Figure:
        """The figure as it is wanted."""
        if self.title is not None:
            figure.suptitle(self.title, fontsize=TITLE_SIZE)
        for text in figure.findobj(Text) if self.font or self.font_size else ():
            if self.font is not None:
                text.set_fontfamily(self.font)
            if self.font_size is not None:
                text.set_fontsize(float(text.get_fontsize()) * self.font_size / style.SETTINGS["font.size"])
        if self.width is not None:
            across, up = figure.get_size_inches()
            figure.set_size_inches(self.width, up * self.width / across)
        return figure


AS_DRAWN = Look()


def rendered(draw: Callable[[], Figure], kind: str, look: Look = AS_DRAWN) -> bytes:
    """What `draw` draws, as "png", "svg" or "pdf": the same bytes at any time, whatever the user's own settings are."""
    assert kind in KINDS
    with matplotlib_style.context(["default", style.SETTINGS]):
        content = io.BytesIO()
        look.apply(draw()).savefig(content, format=kind, metadata=dict.fromkeys(STAMPS[kind]))
    return content.getvalue()


def check_path(path: str | os.PathLike) -> Path:
    """`path`, if a picture can be written there."""
    return check_target(path, SUFFIXES)


def save(draw: Callable[[], Figure], path: str | os.PathLike, look: Look = AS_DRAWN) -> Path:
    """Write what `draw` draws to a file, whole or not at all; its ending says which kind."""
    path = check_path(path)
    return write_whole(path, rendered(draw, path.suffix.lower().removeprefix("."), look))
