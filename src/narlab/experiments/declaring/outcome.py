"""What an experiment ends with: tables and figures as data. The layer `report` renders them."""

from dataclasses import dataclass, field
from functools import cached_property
from math import sqrt
from statistics import mean, pstdev

ZERO = 0.005  # a deviation below this is printed as 0.00
Z = 1.96  # standard deviations on either side that hold 95 % of a normal distribution


@dataclass(frozen=True)
class Number:
    """A mean with its standard deviation, if one is known; the paper's numbers come so.

    A deviation is that of the seeds themselves (the population's), as in the paper.
    """

    mean: float
    std: float | None = None


@dataclass(frozen=True)
class Cell:
    """One entry of a table: our values, one per seed (none while no run is done), and the paper's number.

    `elements` is how many answers of the test set a score is the share of, where that is known.
    """

    ours: tuple[float, ...] = ()
    paper: Number | None = None
    elements: int | None = None

    @cached_property
    def number(self) -> Number | None:
        """Mean and standard deviation over the seeds."""
        if not self.ours:
            return None
        return Number(mean(self.ours), pstdev(self.ours) if len(self.ours) > 1 else None)

    @property
    def difference(self) -> float | None:
        """Our mean minus the paper's."""
        ours = self.number
        return None if ours is None or self.paper is None else ours.mean - self.paper.mean

    @property
    def within(self) -> bool | None:
        """Whether our mean is within two of the paper's standard deviations; `None` if that can't be said.

        Three equal seeds, ± 0.00, don't say that no other value is possible: then it is whether our mean lies in the
        interval that the size of the test set leaves around the paper's.
        """
        if self.difference is None or self.paper is None or self.paper.std is None:
            return None
        if self.paper.std < ZERO and self.interval is not None:
            low, high = self.interval
            return low - ZERO <= self.paper.mean + self.difference <= high + ZERO
        return abs(self.difference) <= 2 * max(self.paper.std, ZERO)

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95 % interval, in percent, that the size of the test set leaves around the paper's mean."""
        if self.paper is None or self.elements is None or not 0 <= self.paper.mean <= 100:
            return None
        return wilson(self.paper.mean, self.elements)


def wilson(percent: float, count: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a share, in percent, of `count` answers that are right or wrong.

    >>> [round(bound, 2) for bound in wilson(100.0, 2048)]
    [99.81, 100.0]
    """
    share, spread = percent / 100, Z * Z / count
    centre = (share + spread / 2) / (1 + spread)
    half = Z / (1 + spread) * sqrt(share * (1 - share) / count + spread / (4 * count))
    return 100 * max(centre - half, 0.0), 100 * min(centre + half, 1.0)


@dataclass(frozen=True)
class Table:
    """Cells by row and column; `name` is a file's stem, `unit` is of every cell."""

    name: str
    title: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: dict[tuple[str, str], Cell]
    unit: str = "%"
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Series:
    """Points of one colour; `spread` is half the height of an error bar or band at each of them."""

    label: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    spread: tuple[float, ...] | None = None


@dataclass(frozen=True)
class Plot:
    """Curves or points in one or more panels beside each other; `panels` maps a panel's title to its series."""

    name: str
    title: str
    x_label: str
    y_label: str
    panels: dict[str, tuple[Series, ...]]
    points: bool = False  # points without lines between them
    alike: bool = False  # x and y are of one kind: they have one range, and a line where they are equal
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class GraphPanel:
    """A graph to draw: undirected or directed `edges` among nodes 0 to n - 1.

    `groups` [n] colours the nodes, `marked` edges stand out, `labels` are written into nodes; `positions` places them
    (x, y), else the layout is `layout`.
    """

    title: str
    n: int
    edges: tuple[tuple[int, int], ...]
    directed: bool = False
    groups: tuple[int, ...] | None = None
    marked: tuple[tuple[int, int], ...] = ()
    labels: tuple[str, ...] | None = None
    positions: tuple[tuple[float, float], ...] | None = None
    layout: str = "spring"  # or "ring"


@dataclass(frozen=True)
class Drawing:
    """Graphs drawn beside each other."""

    name: str
    title: str
    panels: tuple[GraphPanel, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Outcome:
    """All tables and figures of one experiment at one budget."""

    experiment: str
    budget: str
    tables: tuple[Table, ...] = ()
    plots: tuple[Plot, ...] = ()
    drawings: tuple[Drawing, ...] = ()
    notes: tuple[str, ...] = field(default=())
