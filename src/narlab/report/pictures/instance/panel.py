"""A panel: one half of a picture."""

from collections.abc import Callable
from dataclasses import dataclass

from matplotlib.artist import Artist
from matplotlib.axes import Axes

Entries = list[tuple[str, Artist]]


@dataclass(frozen=True)
class Panel:
    """A title, the inches that are wanted, and what draws into axes and returns the entries of the legend."""

    title: str
    width: float
    height: float
    draw: Callable[[Axes], Entries]
