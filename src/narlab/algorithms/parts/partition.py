"""Lomuto's partition (CLRS 7.1), step by step, which quicksort and quickselect share."""

from narlab.algorithms.parts.order import chain
from narlab.common.compiling import jitted


@jitted
def partition_step(key, order, i, j, r):
    """Move position j below the split i if its key is not above the pivot's, which stands at r; return the new split.

    A partition takes these steps for all j up to r itself: the last one puts the pivot at the split.
    """
    if key[order[j]] <= key[order[r]]:
        order[i], order[j] = order[j], order[i]
        if j < r:
            i += 1
    return i


@jitted
def probe_partition(hints, t, order, p, r, i, j):
    """Write row t: the order and the nodes at the borders p and r, at the split i and at the scan position j."""
    chain(order, hints.pred_h[t])
    hints.p[t, order[p]] = hints.r[t, order[r]] = hints.i[t, order[i]] = hints.j[t, order[j]] = 1
