"""Outputs with a value for every pair of nodes: matrices of pointers, and the directions of a longest subsequence."""

from functools import partial

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.patches import Rectangle

from narlab.report.pictures import style
from narlab.report.pictures.instance.panel import Entries, Panel
from narlab.report.pictures.instance.sample import Sample

ARROWS = ("↖", "↑", "←")
SHARE = 0.4  # of colour in a cell that stands out
WRITTEN = 40  # nodes up to which values are written


def pointers_panel(sample: Sample) -> Panel:
    (name,) = sample.outputs
    meaning = ": node before j on the way from i" if sample.algorithm.has_graph else " for all i < j"
    side = max(1.6, min(0.4 * sample.nodes, 0.32 * sample.nodes + 0.6, 9))
    return Panel(f"{sample.called(name)}[i, j]{meaning}", max(side + 0.4, 3.6), side, partial(_draw_pointers, sample))


def directions_panel(sample: Sample) -> Panel:
    (name,) = sample.outputs
    rows, columns = _block(sample)
    side = min(0.36, 9 / max(rows.sum(), columns.sum()))
    size = max(3.6, side * columns.sum() + 0.4), max(1.6, side * rows.sum()) + 0.3
    return Panel(f"{sample.called(name)}: directions and the way back", *size, partial(_draw_directions, sample))


def mark_defects(sample: Sample, axes: Axes) -> None:
    """A frame around each cell; of a graph's table the arcs are marked in the graph instead."""
    rows, columns = _shown_nodes(sample)
    for i, j in [] if sample.algorithm.has_graph else sample.defective_edges:
        at = columns.index(j) - 0.46, rows.index(i) - 0.46
        axes.add_patch(Rectangle(at, 0.92, 0.92, fill=False, edgecolor=style.DEFECT, linewidth=2.4, zorder=4))


def _shown_nodes(sample: Sample) -> tuple[list[int], list[int]]:
    """The nodes of the rows and of the columns."""
    if "string" not in sample.inputs:
        return list(range(sample.nodes)), list(range(sample.nodes))
    first, second = (np.flatnonzero(nodes).tolist() for nodes in _block(sample))
    return first, second


def _block(sample: Sample) -> tuple[np.ndarray, np.ndarray]:
    """The nodes of the first and of the second string, [N] each."""
    second = sample.given("string").astype(bool)
    return ~second, second


def _draw_pointers(sample: Sample, axes: Axes) -> Entries:
    """Every pair's node; pairs that say nothing are pale."""
    (name,) = sample.outputs
    shown, right = sample.shown(name), sample.right(name)
    rows, columns = np.indices(shown.shape)
    by_graph = sample.algorithm.has_graph
    trivial = (shown == rows) if by_graph else (rows >= columns) & (shown == 0)
    share = np.where(trivial, 0, SHARE if by_graph else 0.7 * shown / max(sample.nodes - 1, 1))
    _draw_cells(
        axes, _mixed(share, right), [str(v) for v in range(sample.nodes)], [str(v) for v in range(sample.nodes)]
    )
    if sample.nodes <= WRITTEN:
        fontsize = min(8.5, 130 / sample.nodes)
        for i, j in np.ndindex(shown.shape):
            colour = style.WHITE if not right[i, j] else style.GREY if trivial[i, j] else style.INK
            text = "·" if trivial[i, j] and right[i, j] and not by_graph else str(shown[i, j])
            axes.text(j, i, text, ha="center", va="center_baseline", fontsize=fontsize, color=colour)
    axes.set_xlabel("j")
    axes.set_ylabel("i", rotation=0, va="center")
    entries: Entries = [("over other nodes", style.swatch(style.tint(style.SKY, SHARE)))]
    return (entries if by_graph and not trivial.all() else []) + _wrong_entry(right)


def _draw_directions(sample: Sample, axes: Axes) -> Entries:
    """The block of the two strings as a table of arrows, and the way back through it from its last cell."""
    (name,) = sample.outputs
    first, second = _block(sample)
    shown, right = sample.shown(name)[np.ix_(first, second)], sample.right(name)[np.ix_(first, second)]
    way = _way_back(shown)
    share = np.zeros(shown.shape)
    share[tuple(zip(*way, strict=True))] = SHARE
    _draw_cells(axes, _mixed(share, right), _letters(sample, first), _letters(sample, second))
    for i, j in np.ndindex(shown.shape):
        text = ARROWS[shown[i, j]] if 0 <= shown[i, j] < len(ARROWS) else "?"
        colour = style.WHITE if not right[i, j] else style.INK if (i, j) in way else style.GREY
        axes.text(j, i, text, ha="center", va="center", fontsize=min(12, 380 / max(shown.shape)), color=colour)
    matches = [cell for cell in way if shown[cell] == 0]
    for i, j in matches:
        axes.add_patch(Rectangle((j - 0.46, i - 0.46), 0.92, 0.92, fill=False, edgecolor=style.MARKED, linewidth=2))
    axes.set(xlabel="second string", ylabel="first string")
    entries: Entries = [("way back", style.swatch(style.tint(style.SKY, SHARE)))]
    frame = Rectangle((0, 0), 1, 1, fill=False, edgecolor=style.MARKED, linewidth=2)
    return entries + ([("letter in common", frame)] if matches else []) + _wrong_entry(right)


def _letters(sample: Sample, nodes: np.ndarray) -> list[str]:
    return [chr(ord("a") + int(letter)) for letter in sample.given("key")[nodes]]


def _way_back(directions: np.ndarray) -> list[tuple[int, int]]:
    """The cells from the last one along the arrows until they leave the table."""
    i, j = directions.shape[0] - 1, directions.shape[1] - 1
    way = []
    while i >= 0 and j >= 0:
        way.append((i, j))
        back = {0: (1, 1), 1: (1, 0), 2: (0, 1)}.get(int(directions[i, j]), (1, 1))
        i, j = i - back[0], j - back[1]
    return way


def _draw_cells(axes: Axes, colours: np.ndarray, rows: list[str], columns: list[str]) -> None:
    axes.imshow(colours, interpolation="nearest")
    step = 1 if len(rows) <= WRITTEN else 4
    axes.set_xticks(range(0, len(columns), step), columns[::step])
    axes.set_yticks(range(0, len(rows), step), rows[::step])
    axes.set_xticks(np.arange(len(columns) + 1) - 0.5, minor=True)
    axes.set_yticks(np.arange(len(rows) + 1) - 0.5, minor=True)
    axes.grid(which="minor", color=style.PALE, linewidth=0.5)
    axes.tick_params(which="both", length=0)
    axes.xaxis.tick_top()
    axes.xaxis.set_label_position("top")
    axes.spines[:].set_visible(False)


def _mixed(share: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Cells in sky blue mixed with white, wrong ones in vermillion, as RGB."""
    colour, wrong = np.array(to_rgb(style.SKY)), np.array(to_rgb(style.WRONG))
    mixed = 1 - share[..., None] * (1 - colour)
    return np.where(right[..., None], mixed, wrong)


def _wrong_entry(right: np.ndarray) -> Entries:
    return [] if right.all() else [("wrong", style.swatch(style.WRONG))]
