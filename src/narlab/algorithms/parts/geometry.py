"""Points in the plane: the turn that three of them make, and the lowest one."""

from narlab.common.compiling import jitted


@jitted
def turn(x, y, i, j, k):
    """Above zero if the way from point i over j to k turns left, below if it turns right, zero if it is straight."""
    return (x[j] - x[i]) * (y[k] - y[i]) - (y[j] - y[i]) * (x[k] - x[i])


@jitted
def lowest(x, y):
    """The point with the least y, of several the one with the least x, of several the first."""
    best = 0
    for i in range(1, len(x)):
        if y[i] < y[best] or (y[i] == y[best] and x[i] < x[best]):
            best = i
    return best
