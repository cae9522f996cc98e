"""What is right on arrays, strings and points: by all permutations, segments, trees, subsets and triangles."""

from collections.abc import Iterator, Sequence
from itertools import combinations, pairwise, permutations, product

from .problem import Instance, Problem, optimisation

DIAGONAL, UP, LEFT = range(3)
Point = tuple[float, float]


def marked(mask: Sequence[int]) -> tuple[int, ...]:
    return tuple(k for k, mark in enumerate(mask) if mark == 1)


def sort(inputs: Instance) -> Problem:
    """The chain is that of a permutation in which no key is below the one before it."""
    key = inputs["key"].tolist()
    chains = set()
    for order in permutations(range(len(key))):
        if all(key[a] <= key[b] for a, b in pairwise(order)):
            chains.add(tuple(order[max(order.index(v) - 1, 0)] for v in range(len(key))))
    return Problem(lambda outputs: tuple(outputs["pred"].tolist()) in chains)


def one_of(name: str, nodes: set[int]) -> Problem:
    return Problem(lambda outputs: set(marked(outputs[name].tolist())) <= nodes)


def minimum(inputs: Instance) -> Problem:
    """No key is below the marked one's."""
    key = inputs["key"].tolist()
    return one_of("min", {v for v in range(len(key)) if not any(other < key[v] for other in key)})


def quickselect(inputs: Instance) -> Problem:
    """Some permutation that sorts the keys has the marked node in the middle, the upper one if n is even."""
    key = inputs["key"].tolist()
    orders = permutations(range(len(key)))
    ascending = [order for order in orders if all(key[a] <= key[b] for a, b in pairwise(order))]
    return one_of("median", {order[len(key) // 2] for order in ascending})


def binary_search(inputs: Instance) -> Problem:
    """The marked key is the least that is not below the target, or the greatest if all are below it."""
    key, target = inputs["key"].tolist(), float(inputs["target"])
    found = min((k for k in key if k >= target), default=max(key))
    return one_of("return", {v for v in range(len(key)) if key[v] == found})


def find_maximum_subarray_kadane(inputs: Instance) -> Problem:
    """No segment has a larger sum; a segment is not empty."""
    key = inputs["key"].tolist()
    sums = {(i, j): sum(key[i : j + 1]) for i in range(len(key)) for j in range(i, len(key))}
    ends = ("start", "end")
    return optimisation(
        max(sums.values()), lambda outputs: sums.get(tuple(outputs[end].tolist().index(1) for end in ends))
    )


def parenthesisations(i: int, j: int) -> Iterator[dict[tuple[int, int], int]]:
    """All ways to multiply the matrices i to j: the split of each product, by its first and last matrix."""
    if i == j:
        yield {}
    for k in range(i, j):
        for left, right in product(parenthesisations(i, k), parenthesisations(k + 1, j)):
            yield {(i, j): k} | left | right


def matrix_chain_order(inputs: Instance) -> Problem:
    """The splits that multiplying the whole chain makes use of cost as little as any parenthesisation."""
    p = inputs["p"].tolist()
    last = len(p) - 1

    def cost(splits: dict[tuple[int, int], int]) -> float:
        return sum(p[i - 1] * p[k] * p[j] for (i, j), k in splits.items())

    costs = {tuple(sorted(splits.items())): cost(splits) for splits in parenthesisations(1, last)}

    def used(s: list[list[int]], i: int, j: int) -> list | None:
        """The splits from the chain i to j downwards, or None if one is no split."""
        if i == j:
            return []
        k = s[i][j]
        left, right = (used(s, i, k), used(s, k + 1, j)) if i <= k < j else (None, None)
        return None if left is None or right is None else [((i, j), k), *left, *right]

    def found(outputs: Instance) -> float | None:
        splits = used(outputs["s"].tolist(), 1, last)
        return None if splits is None else costs[tuple(sorted(splits))]

    return optimisation(min(costs.values()), found)


Tree = tuple[int, "Tree | None", "Tree | None"]  # the root, what is left and what is right of it


def search_trees(i: int, j: int) -> Iterator[Tree | None]:
    """All binary search trees over the keys i to j - 1."""
    if i == j:
        yield None
    for root in range(i, j):
        for left, right in product(search_trees(i, root), search_trees(root + 1, j)):
            yield root, left, right


def optimal_bst(inputs: Instance) -> Problem:
    """Looking up a random word takes as few comparisons in the tree of the used roots as in any tree."""
    p, q = inputs["p"].tolist(), inputs["q"].tolist()
    keys = len(q) - 1

    def cost(tree: Tree | None, gap: int, depth: int) -> float:
        """Of the tree whose leftmost gap is `gap`; a gap is found one level below its key."""
        if tree is None:
            return q[gap] * depth
        root, left, right = tree
        return p[root] * depth + cost(left, gap, depth + 1) + cost(right, root + 1, depth + 1)

    costs = {tree: cost(tree, 0, 1) for tree in search_trees(0, keys)}

    def read(root: list[list[int]], i: int, j: int) -> Tree | None:
        r = root[i][j]
        if i == j:
            return None
        return (r, read(root, i, r), read(root, r + 1, j)) if i <= r < j else (-1, None, None)

    return optimisation(min(costs.values()), lambda outputs: costs.get(read(outputs["root"].tolist(), 0, keys)))


def two_strings(inputs: Instance) -> tuple[list[int], list[int]]:
    letters, string = inputs["key"].argmax(-1).tolist(), inputs["string"].tolist()
    first = string.index(1)
    return letters[:first], letters[first:]


def lcs_length(inputs: Instance) -> Problem:
    """Following the directions from the corner spells a common subsequence, and none is longer."""
    x, y = two_strings(inputs)

    def subsequences(word: list[int]) -> set[tuple[int, ...]]:
        return {letters for size in range(len(word) + 1) for letters in combinations(word, size)}

    def spelt(outputs: Instance) -> int | None:
        i, j, letters = len(x) - 1, len(y) - 1, []
        while i >= 0 and j >= 0:
            direction = outputs["b"][i, len(x) + j].tolist().index(1)
            if direction not in (DIAGONAL, UP, LEFT) or (direction == DIAGONAL and x[i] != y[j]):
                return None
            if direction == DIAGONAL:
                letters.append(x[i])
            i, j = i - (direction != LEFT), j - (direction != UP)
        return len(letters)

    return optimisation(max(map(len, subsequences(x) & subsequences(y))), spelt)


def activity_selector(inputs: Instance) -> Problem:
    """No two chosen activities overlap, and no set without overlaps has more of them."""
    s, f = inputs["s"].tolist(), inputs["f"].tolist()
    n = len(s)
    clash = {(a, b) for a, b in combinations(range(n), 2) if s[a] < f[b] and s[b] < f[a]}
    subsets = [chosen for size in range(n + 1) for chosen in combinations(range(n), size)]
    sizes = {chosen: len(chosen) for chosen in subsets if not clash.intersection(combinations(chosen, 2))}
    return optimisation(max(sizes.values()), lambda outputs: sizes.get(marked(outputs["selected"].tolist())))


def task_scheduling(inputs: Instance) -> Problem:
    """Done in some order the tasks are in time, and no more is lost than in some run of the benchmark's rule, which
    goes through an order in which no penalty is above the one before it and takes each task that is in time.

    In time is the first task, and each other one whose deadline is later than the number of tasks before it.
    """
    d, w = inputs["d"].tolist(), inputs["w"].tolist()
    in_time, lost_by_rule = set(), []

    def lost(chosen: Sequence[int]) -> float:
        return sum(w[task] for task in range(len(d)) if task not in chosen)

    for order in permutations(range(len(d))):
        subsets = (chosen for size in range(len(d) + 1) for chosen in combinations(order, size))
        in_time |= {tuple(sorted(c)) for c in subsets if all(k < max(d[c[k]], 1) for k in range(len(c)))}
        if all(w[a] >= w[b] for a, b in pairwise(order)):
            taken: list[int] = []
            for task in order:
                if not taken or len(taken) < d[task]:
                    taken.append(task)
            lost_by_rule.append(lost(taken))

    def value(outputs: Instance) -> float | None:
        chosen = marked(outputs["selected"].tolist())
        return max(lost(chosen), max(lost_by_rule)) if chosen in in_time else None

    return optimisation(max(lost_by_rule), value)


def string_matcher(inputs: Instance) -> Problem:
    """The needle stands at the marked node, or nowhere, and then its own first node is marked."""
    haystack, needle = ("".join(map(str, word)) for word in two_strings(inputs))
    places = {v for v in range(len(haystack)) if haystack[v:].startswith(needle)}
    return one_of("match", places or {len(haystack)})


def cross(a: Point, b: Point, c: Point) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def in_segment(p: Point, a: Point, b: Point) -> bool:
    """By the triangle inequality's case of equality: p is between a and b in both coordinates and on their line."""
    return cross(a, b, p) == 0 and all(min(a[k], b[k]) <= p[k] <= max(a[k], b[k]) for k in (0, 1))


def in_hull(p: Point, points: Sequence[Point]) -> bool:
    """Whether p is a convex combination of the points: of three of them at most (Carathéodory)."""
    if any(in_segment(p, a, b) for a, b in product(points, repeat=2)):
        return True
    for a, b, c in combinations(points, 3):
        sides = {cross(a, b, p) > 0, cross(b, c, p) > 0, cross(c, a, p) > 0}
        if cross(a, b, c) != 0 and len(sides) == 1:
            return True
    return False


def convex_hull(inputs: Instance) -> Problem:
    """All points that are no convex combination of others are chosen, and none that no line can touch from outside.

    What is on the border between two corners may be chosen or not; of equal corners one has to be.
    """
    points = list(zip(inputs["x"].tolist(), inputs["y"].tolist(), strict=True))
    corners = {p for p in points if not in_hull(p, [other for other in points if other != p])}

    def on_border(p: Point) -> bool:
        turns = [[cross(p, other, third) for third in points] for other in points if other != p]
        return not turns or any(min(turn) >= 0 or max(turn) <= 0 for turn in turns)

    border = [on_border(p) for p in points]

    def is_right(outputs: Instance) -> bool:
        chosen = marked(outputs["in_hull"].tolist())
        return corners <= {points[v] for v in chosen} and all(border[v] for v in chosen)

    return Problem(is_right)


def segments_intersect(inputs: Instance) -> Problem:
    """Two segments have a point in common exactly if zero is a convex combination of their ends' differences."""
    a, b, c, d = zip(inputs["x"].tolist(), inputs["y"].tolist(), strict=True)
    differences = [(p[0] - r[0], p[1] - r[1]) for p in (a, b) for r in (c, d)]
    common = int(in_hull((0.0, 0.0), differences))
    return Problem(lambda outputs: outputs["intersect"] == common)
