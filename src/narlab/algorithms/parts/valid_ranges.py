"""When a table of splits is valid: range i to j is split at k into i to k and k + 1 to j, down to single items.

Parenthesisations and search trees have this form. Functions are given what the two problems differ in: `least`, the
first item; the cost of single items, on the diagonal of `best`; and `join(weights, i, k, j)`, what it costs to join the
parts of range i to j that is split at k.
"""

from typing import Any

import numpy as np

from narlab.algorithms.engine.validity import Defect, number, relative_gap, tied, ties
from narlab.common.compiling import in_place


@in_place
def fill_best(join, weights, least, best):
    """Fill `best` above the diagonal with the least cost of each range."""
    for i in range(len(best) - 2, least - 1, -1):
        for j in range(i + 1, len(best)):
            cost = np.inf
            for k in range(i, j):
                cost = min(cost, best[i, k] + best[k + 1, j] + join(weights, i, k, j))
            best[i, j] = cost


@in_place
def cost_of_whole(join, weights, least, best, split, waiting):
    """The cost of the whole range if it is split as the table says, infinite if that leads out of a range.

    Only cells that the whole range leads to are looked at. `waiting` is room for their ranges, [N, 2].
    """
    total, count = 0.0, 1
    waiting[0, 0], waiting[0, 1] = least, len(split) - 1
    while count > 0:
        count -= 1
        i, j = waiting[count]
        if i == j:
            total += best[i, i]
        elif i < j:
            k = split[i, j]
            if not i <= k < j:
                return np.inf
            total += join(weights, i, k, j)
            waiting[count, 1] = k
            waiting[count + 1, 0], waiting[count + 1, 1] = k + 1, j
            count += 2
    return total


@in_place
def fill_right(join, weights, least, best, split, right):
    """Fill `right` with whether each range's split is one of its best; what is no range is never wrong."""
    right[:] = True
    for i in range(least, len(split)):
        for j in range(i + 1, len(split)):
            k = split[i, j]
            right[i, j] = i <= k < j and ties(best[i, k] + best[k + 1, j] + join(weights, i, k, j), best[i, j])


@in_place
def judge_splits(join, weights, least, best, split, waiting, right):
    """Fill `best` and `right`; return whether the splits of the whole range are valid, and their gap."""
    fill_best(join, weights, least, best)
    cost = cost_of_whole(join, weights, least, best, split, waiting)
    optimum = best[least, -1] if least < len(best) else 0.0
    if ties(cost, optimum):
        right[:] = True
        return True, 0.0
    fill_right(join, weights, least, best, split, right)
    return False, relative_gap(cost - optimum, optimum)


def split_defects(
    join: Any, weights: np.ndarray, least: int, best: np.ndarray, split: np.ndarray, *, phrase: str
) -> list[Defect]:
    """The splits that cost more than the best ones, among those that the whole range leads to.

    `phrase` says in words that range i to j is split at k; the item before j is called `before`.
    """
    join, n = join.py_func, len(split)
    for i in range(n - 2, least - 1, -1):
        for j in range(i + 1, n):
            best[i, j] = (best[i, i:j] + best[i + 1 : j + 1, j] + join(weights, i, slice(i, j), j)).min()
    cost = cost_of_whole.py_func(join, weights, least, best, split, np.empty((n, 2), int))
    if least >= n or tied(cost, best[least, -1]):
        return []
    found, waiting = [], [(least, n - 1)]
    while waiting:
        i, j = waiting.pop()
        if i < j:
            k = int(split[i, j])
            text = phrase.format(i=i, k=k, j=j, before=j - 1)
            if not i <= k < j:
                found.append(Defect(f"{text}, which is not from {i} to {j - 1}", (k,), ((i, j),)))
                continue
            own = best[i, k] + best[k + 1, j] + join(weights, i, k, j)
            if not tied(own, best[i, j]):
                reason = f"at a cost of {number(own)}, not {number(best[i, j])}"
                found.append(Defect(f"{text}, {reason}", (k,), ((i, j),)))
            waiting += [(k + 1, j), (i, k)]
    if cost < np.inf:
        found.append(Defect(f"the whole costs {number(cost)}, the best {number(best[least, -1])}"))
    return found
