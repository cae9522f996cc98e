"""Small answers of the algorithms without a graph, by hand: what is valid, what is wrong with the others, and ties."""

import numpy as np
import pytest

from narlab import algorithms

SORTS = ("bubble_sort", "heapsort", "insertion_sort", "quicksort")
MATCHERS = ("naive_string_matcher", "kmp_matcher")
HULLS = ("graham_scan", "jarvis_march")


def one(name, inputs, outputs):
    """The verdict, the gap, the wrong elements of each output and the defects of a single instance."""
    algorithm = algorithms.get(name)
    n = len(next(array for array in inputs.values() if np.ndim(array)))
    inputs = {"pos": np.arange(n) / n} | inputs
    batch = [{key: np.array(array)[None] for key, array in arrays.items()} for arrays in (inputs, outputs)]
    verdicts = algorithm.verdicts(*batch)
    wrong = [np.argwhere(~elements[0]).tolist() for elements in verdicts.elements]
    return verdicts.valid[0], verdicts.gap[0], wrong, [defect.text for defect in algorithm.defects(*batch)[0]]


def at(node, n):
    return np.arange(n) == node


@pytest.mark.parametrize("name", SORTS)
@pytest.mark.parametrize(
    ("pred", "wrong", "texts"),
    [
        ([1, 1, 0, 2], [], []),
        ([2, 1, 1, 0], [], []),
        ([1, 0, 0, 2], [[1]], ["no node points to itself, so that there is no first one", "cycle 0 -> 1 -> 0"]),
        ([0, 1, 0, 2], [[0]], ["several nodes point to themselves, but only one is the first: 0, 1"]),
        ([1, 1, 1, 2], [], ["several nodes point to 1: 0, 2"]),
        ([2, 1, 0, 1], [[3]], ["cycle 0 -> 2 -> 0"]),
        ([1, 1, 3, 0], [[2]], ["node 2 with key 0.5 follows 3 with key 0.75"]),
    ],
)
def test_a_sort_may_order_equal_keys_as_it_likes(name, pred, wrong, texts):
    valid, _, (elements,), found = one(name, {"key": [0.5, 0.25, 0.5, 0.75]}, {"pred": pred})
    assert (valid, elements) == (not texts, wrong)
    assert all(text in found for text in texts)


SEARCHES = [
    ("minimum", {"key": [2, 1, 3, 1]}, "min", [1, 3], "node 2 has key 3, node 1 only 1"),
    ("quickselect", {"key": [2, 5, 2, 1]}, "median", [0, 2], "node 3 with key 1 has rank 0; rank 2 has key 2"),
    (
        "binary_search",
        {"key": [1, 2, 2, 3], "target": 2},
        "return",
        [1, 2],
        "the key of node 0, 1, is below the target",
    ),
    ("binary_search", {"key": [1, 2, 2, 3], "target": 9}, "return", [3], "the key of node 0, 1, is below the target"),
    ("binary_search", {"key": [1, 2, 2, 3], "target": 0}, "return", [0], "that of node 0 is 1"),
]


@pytest.mark.parametrize(("name", "inputs", "output", "right", "text"), SEARCHES)
def test_a_search_may_find_any_node_of_the_wanted_key(name, inputs, output, right, text):
    answers = [one(name, inputs, {output: at(node, 4)}) for node in range(4)]
    assert [node for node in range(4) if answers[node][0]] == right
    assert any(text in found for *_, defects in answers for found in defects)


@pytest.mark.parametrize("name", MATCHERS)
def test_every_occurrence_of_the_needle_is_a_match_and_none_is_said_by_its_first_node(name):
    def match(node, letters):
        inputs = {"string": np.arange(8) >= 6, "key": np.eye(4)[letters]}
        return one(name, inputs, {"match": at(node, 8)})

    there, absent = [0, 1, 0, 1, 1, 0, 0, 1], [0, 1, 0, 1, 1, 0, 2, 1]
    assert [node for node in range(8) if match(node, there)[0]] == [0, 2]
    assert match(1, there)[3] == ["at node 1 the needle's letter 0 is 0, but node 1 is 1"]
    assert match(5, there)[3] == ["the needle does not fit behind node 5: it has 2 letters"]
    assert match(6, there)[3] == ["node 6 is in the needle, but that stands in the haystack at node 0"]
    assert [node for node in range(8) if match(node, absent)[0]] == [6]
    assert match(7, absent)[3] == ["node 7 is in the needle; that it stands nowhere is said by its first node, 6"]


def test_a_subarray_may_be_any_of_the_largest_sum():
    def kadane(start, end):
        return one("find_maximum_subarray_kadane", {"key": [2, -2, 2, -1]}, {"start": at(start, 4), "end": at(end, 4)})

    assert [(s, e) for s in range(4) for e in range(4) if kadane(s, e)[0]] == [(0, 0), (0, 2), (2, 2)]
    assert kadane(0, 3) == (False, 0.5, [[], [[]]], ["the segment from node 0 to 3 sums to 1, the best one to 2"])
    assert kadane(2, 0) == (False, np.inf, [[], []], ["the segment starts at node 2, after its end at node 0"])


def splits(n, **cells):
    """A table [n, n] of 0 but for some cells: `splits(4, c13=1)`."""
    table = np.zeros((n, n))
    for cell, k in cells.items():
        table[int(cell[1]), int(cell[2])] = k
    return table


def test_a_chain_may_be_split_in_any_cheapest_way_and_other_cells_do_not_count():
    chain = {"p": [1, 1, 1, 1]}  # three matrices, two ways of equal cost
    assert one("matrix_chain_order", chain, {"s": splits(4, c13=1, c23=2)}) == (True, 0, [[]], [])
    assert one("matrix_chain_order", chain, {"s": splits(4, c13=2, c12=1, c01=3, c23=0)}) == (True, 0, [[]], [])
    missing = ["matrices 2 to 3 are split after 0, which is not from 2 to 2"]
    assert one("matrix_chain_order", chain, {"s": splits(4, c13=1)}) == (False, np.inf, [[[1, 2], [2, 3]]], missing)
    texts = ["matrices 1 to 3 are split after 2, at a cost of 12, not 5", "the whole costs 12, the best 5"]
    dear = one("matrix_chain_order", {"p": [3, 1, 2, 1]}, {"s": splits(4, c13=2, c12=1, c23=2)})
    assert dear == (False, 7 / 5, [[[1, 3]]], texts)


def test_a_search_tree_may_have_any_root_of_least_cost():
    keys = {"p": [1, 1, 0], "q": [0, 0, 0]}
    assert one("optimal_bst", keys, {"root": splits(3, c02=0, c12=1)}) == (True, 0, [[]], [])
    assert one("optimal_bst", keys, {"root": splits(3, c02=1)}) == (True, 0, [[]], [])
    texts = ["keys 0 to 1 have the root 0, at a cost of 5, not 4", "the whole costs 5, the best 4"]
    worse = one("optimal_bst", {"p": [1, 2, 0], "q": [0, 0, 0]}, {"root": splits(3, c02=0, c12=1)})
    assert worse == (False, 0.25, [[[0, 2]]], texts)
    assert one("optimal_bst", keys, {"root": splits(3, c02=2)})[1] == np.inf


def lcs(letters, rows, directions):
    """The verdicts on a table of directions, given as lines of D, U, L or - for none."""
    n = len(letters)
    table = np.zeros((n, n, 4))
    table[:, :, 3] = -1
    for i, line in enumerate(directions):
        for j, letter in enumerate(line):
            table[i, rows + j] = np.arange(4) == "DUL-".index(letter)
    return one("lcs_length", {"string": np.arange(n) >= rows, "key": np.eye(4)[letters]}, {"b": table})


def test_directions_may_lead_to_any_longest_common_subsequence():
    letters = [0, 1, 1, 0]  # 01 and 10: either letter is a longest one
    assert lcs(letters, 2, ["UD", "DU"]) == (True, 0, [[]], [])
    assert lcs(letters, 2, ["UD", "DL"]) == (True, 0, [[]], [])
    assert lcs(letters, 2, ["--", "DL"]) == (True, 0, [[]], [])  # the first line is not visited
    assert lcs(letters, 2, ["DD", "DU"]) == (True, 0, [[]], [])
    differ = ["pair 1, 3 matches the letters 1 and 0, which differ"]
    assert lcs(letters, 2, ["UD", "DD"]) == (False, np.inf, [[[1, 3]]], differ)
    assert lcs(letters, 2, ["UD", "D-"]) == (False, np.inf, [[[1, 3]]], ["pair 1, 3 has no direction"])
    lost = ["pair 1, 2 goes left, where 0 letters are common, not 1"]
    assert lcs(letters, 2, ["UD", "LL"]) == (False, 1, [[[1, 2]]], lost)


def test_any_largest_set_of_activities_that_do_not_overlap_is_valid():
    def select(*nodes):
        times = {"s": [0, 0, 1, 1], "f": [1, 2, 2, 3]}
        return one("activity_selector", times, {"selected": np.isin(range(4), nodes)})

    assert select(0, 2) == select(0, 3) == (True, 0, [[]], [])
    assert select(0) == (False, 0.5, [[]], ["the size of the set is 1, that of a largest one 2"])
    assert select(3) == (False, 0.5, [[[0]]], ["the size of the set is 1, that of a largest one 2"])
    assert select(0, 1) == (False, np.inf, [[[1]]], ["activities 0 (0 to 1) and 1 (0 to 2) overlap"])


def tasks(d, w, *selected):
    return one("task_scheduling", {"d": d, "w": w}, {"selected": np.isin(range(len(d)), selected)})


def test_tasks_are_in_time_in_some_order_and_lose_no_more_than_the_benchmark_does():
    assert tasks([2, 1, 2], [3, 2, 1], 0, 2) == (True, 0, [[]], [])  # the benchmark's own
    assert tasks([2, 1, 2], [3, 2, 1], 0, 1) == (True, 0, [[]], [])  # the textbook's, which loses less
    late = ["task 2 is due at 2, but 3 of the selected tasks are due until then"]
    assert tasks([2, 1, 2], [3, 2, 1], 0, 1, 2) == (False, np.inf, [[[1]]], late)
    lost = ["a penalty of 3 is lost, but only 2 if each task is selected that is in time"]
    assert tasks([2, 1, 2], [3, 2, 1], 0) == (False, 0.5, [[[2]]], lost)


def test_tasks_of_equal_penalty_may_be_done_in_any_order():
    assert tasks([2, 1], [1, 1], 0) == tasks([2, 1], [1, 1], 0, 1) == (True, 0, [[]], [])
    lost = ["a penalty of 1 is lost, but only 0 if each task is selected that is in time"]
    assert tasks([2, 2], [1, 1], 0) == (False, np.inf, [[[1]]], lost)


def test_more_tasks_may_be_in_time_than_a_byte_counts():
    lost = ["a penalty of 71 is lost, but only 70 if each task is selected that is in time"]
    assert tasks([130] * 200, [1] * 200, *range(129))[3] == lost


SQUARE = [(0, 0), (1, 0), (2, 0), (2, 2), (0, 2), (1, 1), (2, 2)]  # 1 is on a side, 5 inside, 6 where 3 is


def hull(name, points, *selected):
    x, y = np.transpose(points)
    return one(name, {"x": x, "y": y}, {"in_hull": np.isin(range(len(points)), selected)})


@pytest.mark.parametrize("name", HULLS)
def test_a_hull_has_all_corners_and_may_have_other_points_of_its_sides(name):
    for selected in [(0, 2, 3, 4), (0, 2, 6, 4), (0, 1, 2, 3, 4, 6)]:
        assert hull(name, SQUARE, *selected)[0]
    inside = ["node 5 is selected, but lies inside of the hull"]
    valid, _, wrong, found = hull(name, SQUARE, 0, 2, 3, 4, 5)
    assert (valid, wrong, found) == (False, [[[5]]], inside)
    outside = [f"node {v} lies outside of the hull of the selected nodes" for v in (3, 6)]
    valid, _, wrong, found = hull(name, SQUARE, 0, 2, 4)  # either node in that corner would do, so none is wrong alone
    assert (valid, wrong, found) == (False, [[]], outside)
    assert hull(name, SQUARE, 0, 3, 4)[2:] == (
        [[[2]]],
        [f"node {v} lies outside of the hull of the selected nodes" for v in (1, 2)],
    )


@pytest.mark.parametrize("name", HULLS)
def test_the_hull_of_points_in_a_line_has_both_ends(name):
    line = [(0, 0), (1, 1), (2, 2), (3, 3)]
    assert hull(name, line, 0, 3)[0]
    assert hull(name, line, 0, 1, 3)[0]
    assert not hull(name, line, 0, 2)[0]
    assert not hull(name, line)[0]
    assert hull(name, [(1, 1)] * 3, 2)[0]


def test_a_march_that_stops_early_on_points_in_a_line_is_noticed():
    algorithm = algorithms.get("jarvis_march")
    inputs = {"pos": [np.arange(4) / 4], "x": [[0, 1, 3, 2]], "y": [[2, 2, 2, 0]]}
    outputs = algorithm.execute(inputs).outputs
    assert [defect.text for defect in algorithm.defects(inputs, outputs)[0]] == [
        "node 0 lies outside of the hull of the selected nodes"
    ]


def segments(*points, meet):
    x, y = np.transpose(points)
    return one("segments_intersect", {"x": x, "y": y}, {"intersect": int(meet)})


def test_segments_that_touch_meet():
    crossing, touching = [(0, 0), (2, 2), (0, 2), (2, 0)], [(0, 0), (2, 0), (1, 0), (1, 1)]
    apart, in_line = [(0, 0), (2, 0), (0, 1), (2, 1)], [(0, 0), (1, 0), (2, 0), (3, 0)]
    for points, truth in [(crossing, True), (touching, True), (apart, False), (in_line, False)]:
        assert segments(*points, meet=truth)[0]
        text = "the segments meet" if truth else "the segments do not meet"
        assert segments(*points, meet=not truth)[2:] == ([[[]]], [text])


def second_segment(gap):
    return one("find_maximum_subarray_kadane", {"key": [1, -9, 1 - gap]}, {"start": at(2, 3), "end": at(2, 3)})


def large_second_segment(gap):
    key = [1e6, -9e6, 1e6 * (1 - gap)]
    return one("find_maximum_subarray_kadane", {"key": key}, {"start": at(2, 3), "end": at(2, 3)})


def right_to_left(gap):  # 2 - gap instead of 2 - 2 gap
    return one("matrix_chain_order", {"p": [1, 1, 1 - gap, 1]}, {"s": splits(4, c13=1, c23=2)})


def rare_root(gap):  # 3 - gap instead of 3 - 2 gap
    return one("optimal_bst", {"p": [1, 1 - gap, 0], "q": [0, 0, 0]}, {"root": splits(3, c02=1)})


def cheaper_task(gap):
    return tasks([1, 1], [1, 1 - gap], 1)


def corner_left_out(gap):  # the two products of its turn are -2 gap and 0
    return hull("graham_scan", [(0, 0), (2, 0), (1, 1), (1, -gap)], 0, 1, 2)


def point_inside(gap):
    return hull("graham_scan", [(0, 0), (2, 0), (1, 1), (1, gap)], 0, 1, 2, 3)


def segments_apart(gap):
    return segments((0, 0), (2, 0), (1, gap), (1, 1), meet=True)


@pytest.mark.parametrize(
    ("answer", "tolerance"),
    [
        (second_segment, 1e-9),
        (large_second_segment, 1e-9),
        (right_to_left, 2e-9),
        (rare_root, 3e-9),
        (cheaper_task, 1e-9),
        (corner_left_out, 0.5e-9),
        (point_inside, 0.5e-9),
        (segments_apart, 0.5e-9),
    ],
)
def test_the_tolerance_at_its_edge(answer, tolerance):
    within, beyond = answer(0.99 * tolerance), answer(1.01 * tolerance)
    assert (within[0], within[3]) == (True, [])
    assert not beyond[0]
    assert beyond[3]
    assert np.isnan(beyond[1]) or (within[1] == 0 and 0 < beyond[1] < 1e-8)
