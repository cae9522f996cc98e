"""When the answer of a convex hull algorithm is valid: one judge for all, because they answer one question."""

import numpy as np

from narlab.algorithms.engine.validity import Arrays, Defect, Validity, ties
from narlab.algorithms.parts.geometry import LEFT, RIGHT, side, turn
from narlab.algorithms.parts.order import sort_by_two
from narlab.common.compiling import compiled, in_place, jitted


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
def find_misplaced(x, y, in_hull, room, misplaced):
    """Fill `misplaced` with the selected points inside of the hull and the others outside of that of the selected ones.

    Return whether there are any.
    """
    order, member, hull, chosen = room
    sort_by_two(x, y, order)
    member[:] = True
    size, chosen_size = convex_hull(x, y, order, member, hull), convex_hull(x, y, order, in_hull, chosen)
    some = False
    for v in range(len(x)):
        if in_hull[v]:
            misplaced[v] = is_inside(x, y, hull, size, v)
        else:
            misplaced[v] = is_outside(x, y, chosen, chosen_size, v)
        some |= misplaced[v]
    return some


@in_place
def is_corner(x, y, room, v):
    """Whether point v lies outside of the hull of all others; `room` has an order of the points."""
    order, member, hull, _ = room
    member[:] = True
    member[v] = False
    return is_outside(x, y, hull, convex_hull(x, y, order, member, hull), v)


@jitted
def new_room(n):
    """Room for an order, for members and for two polygons."""
    return np.empty(n, np.int64), np.empty(n, np.bool_), np.empty(2 * n, np.int64), np.empty(2 * n, np.int64)


@compiled
def judge(inputs, outputs, verdicts):
    n = inputs.x.shape[1]
    room, misplaced = new_room(n), np.empty(n, np.bool_)
    for b in range(len(verdicts.valid)):
        x, y, in_hull, right = inputs.x[b], inputs.y[b], outputs.in_hull[b], verdicts.elements.in_hull[b]
        verdicts.valid[b] = not find_misplaced(x, y, in_hull, room, misplaced)
        for v in range(n):
            if verdicts.valid[b]:
                right[v] = True
            elif in_hull[v]:
                right[v] = not misplaced[v]
            else:
                right[v] = not is_corner(x, y, room, v)


@compiled
def find_misplaced_of_one(x, y, in_hull, misplaced):
    find_misplaced(x, y, in_hull, new_room(len(x)), misplaced)


def defects(inputs: Arrays, outputs: Arrays) -> list[Defect]:
    in_hull, misplaced = outputs["in_hull"], np.empty(len(outputs["in_hull"]), bool)
    find_misplaced_of_one(inputs["x"], inputs["y"], in_hull, misplaced)
    return [
        Defect(f"node {v} is selected, but lies inside of the hull", (v,))
        if in_hull[v]
        else Defect(f"node {v} lies outside of the hull of the selected nodes", (v,))
        for v in np.flatnonzero(misplaced).tolist()
    ]


HULL = Validity(
    judge=judge,
    defects=defects,
    rule="no selected point lies inside of the convex hull, and no point outside of the hull of the selected ones",
    theorem="the convex hull (CLRS 33.3): the smallest convex polygon with each point on its boundary or inside",
    ties="points on a side, within the tolerance, may be selected or not, and so may all but one of points in one "
    "place; the two products of a turn are compared. On three points in a line the benchmark's own answer can be wrong",
    elements="a selected point does not lie inside of the hull, and one that is not lies in the hull of all others",
    value=None,
)
