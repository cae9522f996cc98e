"""Points in the plane: the turn that three of them make, the side of a line, and the lowest one."""

from narlab.algorithms.engine.validity import ties
from narlab.common.compiling import in_place, jitted

RIGHT, STRAIGHT, LEFT = -1, 0, 1


@jitted
def turn(x, y, i, j, k):
    """Above zero if the way from point i over j to k turns left, below if it turns right, zero if it is straight."""
    return (x[j] - x[i]) * (y[k] - y[i]) - (y[j] - y[i]) * (x[k] - x[i])


@in_place
def side(x, y, i, j, k):
    """Where point k lies, seen from i towards j: LEFT, RIGHT or, if the two products of `turn` tie, STRAIGHT."""
    left, right = (x[j] - x[i]) * (y[k] - y[i]), (y[j] - y[i]) * (x[k] - x[i])
    return STRAIGHT if ties(left, right) else LEFT if left > right else RIGHT


@jitted
def lowest(x, y):
    """The point with the least y, of several the one with the least x, of several the first."""
    best = 0
    for i in range(1, len(x)):
        if y[i] < y[best] or (y[i] == y[best] and x[i] < x[best]):
            best = i
    return best
