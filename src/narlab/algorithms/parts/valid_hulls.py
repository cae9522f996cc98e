"""When the answer of a convex hull algorithm is valid: one judge for all, because they answer one question."""

import numpy as np

from narlab.algorithms.engine.validity import Arrays, Defect, Validity
from narlab.algorithms.parts.geometry import LEFT, RIGHT, side, turn
from narlab.algorithms.parts.order import sort_by_two
from narlab.algorithms.parts.ties import ties
from narlab.compiling import compiled, in_place


@in_place
def convex_hull(x, y, order, member, polygon):
    """Fill `polygon`, [2 N], with the corners of the members' hull, counterclockwise; return how many there are.

    This is Andrew's monotone chain: `order` sorts the points by x, then y; there and back gives the two halves.
    """
    size, least = 0, 2
    for k in range(2 * len(order)):
        v = order[min(k, 2 * len(order) - 1 - k)]
        if k == len(order):
            least = size + 1
        if member[v] and (size == 0 or polygon[size - 1] != v):
            while size >= least and turn(x, y, polygon[size - 2], polygon[size - 1], v) <= 0:
                size -= 1
            polygon[size] = v
            size += 1
    return max(size - 1, min(size, 1))  # it ends where it starts


@in_place
def exceeds(a, b):
    return a > b and not ties(a, b)


@in_place
def is_inside(x, y, polygon, size, v):
    """Whether point v lies left of all sides, and on none."""
    for k in range(size):
        if side(x, y, polygon[k], polygon[(k + 1) % size], v) != LEFT:
            return False
    return True


@in_place
def is_outside(x, y, polygon, size, v):
    """Whether point v lies right of some side, or beyond all corners: the sides of a polygon may be one line."""
    west = south = np.inf
    east = north = -np.inf
    for k in range(size):
        i = polygon[k]
        if side(x, y, i, polygon[(k + 1) % size], v) == RIGHT:
            return True
        west, east = min(west, x[i]), max(east, x[i])
        south, north = min(south, y[i]), max(north, y[i])
    return exceeds(west, x[v]) or exceeds(x[v], east) or exceeds(south, y[v]) or exceeds(y[v], north)


@in_place
def is_corner(x, y, order, member, polygon, v):
    """Whether point v lies outside of the hull of all others; `member` and `polygon` are room."""
    member[:] = True
    member[v] = False
    return is_outside(x, y, polygon, convex_hull(x, y, order, member, polygon), v)


@in_place
def is_hull(x, y, order, in_hull, hull, size, polygon):
    """Whether no selected point lies inside of the hull, and no point outside of the hull of the selected ones."""
    selected_size = convex_hull(x, y, order, in_hull, polygon)
    for v in range(len(x)):
        if in_hull[v] and is_inside(x, y, hull, size, v):
            return False
        if not in_hull[v] and is_outside(x, y, polygon, selected_size, v):
            return False
    return True


@compiled
def judge(inputs, outputs, verdicts):
    n = inputs.x.shape[1]
    order, member = np.zeros(n, np.int64), np.zeros(n, np.bool_)
    hull, polygon = np.zeros(2 * n, np.int64), np.zeros(2 * n, np.int64)
    for b in range(len(verdicts.valid)):
        x, y, in_hull = inputs.x[b], inputs.y[b], outputs.in_hull[b]
        sort_by_two(x, y, order)
        member[:] = True
        size = convex_hull(x, y, order, member, hull)
        valid = is_hull(x, y, order, in_hull, hull, size, polygon)
        verdicts.valid[b] = valid
        for v in range(n):
            if in_hull[v]:
                right = valid or not is_inside(x, y, hull, size, v)
            else:
                right = valid or not is_corner(x, y, order, member, polygon, v)
            verdicts.elements.in_hull[b, v] = right


def defects(inputs: Arrays, outputs: Arrays) -> list[Defect]:
    x, y, in_hull = inputs["x"], inputs["y"], outputs["in_hull"]
    order, hull, polygon = np.lexsort((y, x)), np.zeros(2 * len(x), int), np.zeros(2 * len(x), int)
    size = convex_hull(x, y, order, np.ones(len(x), np.int8), hull)
    selected_size = convex_hull(x, y, order, in_hull, polygon)
    found = []
    for v in range(len(x)):
        if in_hull[v] and is_inside(x, y, hull, size, v):
            found.append(Defect(f"node {v} is selected, but lies inside of the hull", (v,)))
        if not in_hull[v] and is_outside(x, y, polygon, selected_size, v):
            found.append(Defect(f"node {v} lies outside of the hull of the selected nodes", (v,)))
    return found


HULL = Validity(
    judge=judge,
    defects=defects,
    rule="no selected point lies inside of the convex hull, and no point outside of the hull of the selected ones",
    theorem="the convex hull (CLRS 33.3): the smallest convex polygon with each point on its boundary or inside",
    ties="points on a side, within the tolerance, may be selected or not, and so may all but one of points in one "
    "place; the two products of a turn are compared",
    elements="a selected point does not lie inside of the hull, and one that is not lies in the hull of all others",
    value=None,
)
