"""Ladder: many small training sets of up to 16 nodes, the rungs, and sets of 16, 24 and 32 to choose a model on.

A rung is one size, one graph family and one length of needle; `rungs` names those of an algorithm, each as often as it
is to be drawn. What differs between algorithms is the table `TASKS`; all that it does not say is the benchmark's own
sampler. The splits `ladder_16`, `ladder_24` and `ladder_32` have the benchmark's distribution; they and all rungs have
seeds of their own, made of their names. `train`, `val` and `test` are those of L-CLRS.
"""

import zlib
from dataclasses import dataclass, replace
from functools import cache
from itertools import product

from narlab.data.datasets import clrs, l_clrs
from narlab.data.generation import Description


@dataclass(frozen=True)
class Task:
    """What the rungs of an algorithm are made of: every combination is one, and what is named twice counts twice.

    Of string matching, `sizes` are those of the haystack, which has at least one letter more than the needle.
    """

    sizes: tuple[int, ...] = (4, 6, 8, 10, 12, 14, 16, 16)
    graphs: tuple[str | None, ...] = (None,)
    needles: tuple[int | None, ...] = (None,)


PLAIN = Task()
LARGEST = (12, 16, 16, 16, 16, 16, 16, 16)
DENSE = Task(sizes=LARGEST, graphs=("er:p=0.3", "er:p=0.4", "er:p=0.5", "er:p=0.5", "er:p=0.6", "er:p=0.7"))
SPARSE = Task(graphs=("er:p=0.2", "er:p=0.25", "er:p=0.3", "er:p=0.35", "er:p=0.4", "er:p=0.5"))
LARGER = (8, 12, 14, 16, 16, 16, 16, 16)  # a graph of few nodes has no communities or detours to speak of
SHORT_PATHS = Task(  # the more edges, the shorter the shortest paths, and the less they differ: as in larger graphs
    sizes=LARGER, graphs=("er:p=0.4", "er:p=0.5", "er:p=0.7", "er:p=0.8", "er:p=0.9", "er:p=1")
)
JOINED = Task(  # in small sparse graphs nearly every bridge ends in a leaf
    sizes=LARGER,
    graphs=(
        "er:p=0.2",
        "er:p=0.3",
        "er:p=0.4",
        "two_communities:p=0.3",
        "two_communities:p=0.4",
        "two_communities:p=0.5",
        "two_communities:p=0.6",
        "communities:k=2,p=0.3,eps=0.02",
        "communities:k=2,p=0.3,eps=0.04",
        "communities:k=2,p=0.5,eps=0.03",
        "communities:k=2,p=0.5,eps=0.05",
    ),
)
COMPONENTS = Task(  # where a component is not entered by its first node: the larger the graph, the more often
    sizes=LARGEST,
    graphs=(
        None,
        "er:p=0.15",
        "communities:k=2,p=0.5,eps=0.05",
        "communities:k=2,p=0.5,eps=0.1",
        "communities:k=3,p=0.5,eps=0.05",
        "communities:k=3,p=0.5,eps=0.1",
        "communities:k=3,p=0.5,eps=0.2",
        "communities:k=3,p=0.7,eps=0.1",
        "communities:k=4,p=0.5,eps=0.1",
        "communities:k=4,p=0.7,eps=0.05",
        "communities:k=4,p=0.7,eps=0.1",
        "communities:k=5,p=0.7,eps=0.1",
    ),
)
STRINGS = Task(sizes=(5, 8, 12, 16, 16), needles=(1, 2, 3, 4, 5, 6, 7, 8))
ONE_SIZE = Task(sizes=(4,))  # two segments have four ends
TASKS = {
    "articulation_points": SPARSE,
    "bellman_ford": SHORT_PATHS,
    "bfs": DENSE,
    "bridges": JOINED,
    "dag_shortest_paths": SHORT_PATHS,
    "dfs": DENSE,
    "dijkstra": SHORT_PATHS,
    "floyd_warshall": DENSE,
    "kmp_matcher": STRINGS,
    "mst_kruskal": SPARSE,
    "mst_prim": DENSE,
    "naive_string_matcher": STRINGS,
    "segments_intersect": ONE_SIZE,
    "strongly_connected_components": COMPONENTS,
    "topological_sort": DENSE,
}
LADDER = {"ladder_16": 16, "ladder_24": 24, "ladder_32": 32}
SPLITS = ("train", "val", "test", *LADDER)
ALGORITHMS = None
COUNT, LADDER_COUNT = 100_000, 64


@cache  # every run is checked against them, and `narlab reproduce` lists a thousand
def rungs(algorithm: str) -> tuple[str, ...]:
    """The names of the splits to train on, each as often as it is to be drawn.

    >>> rungs("quicksort")[:2], rungs("bfs")[0], rungs("kmp_matcher")[0]
    (('rung_4', 'rung_6'), 'rung_12_er:p=0.3', 'rung_5_needle_1')
    """
    return tuple(_name(*rung) for rung in _rungs(algorithm))


@cache
def _rungs_by_name(algorithm: str) -> dict[str, tuple[int, str | None, int | None]]:
    return {_name(*rung): rung for rung in _rungs(algorithm)}


def _rungs(algorithm: str) -> list[tuple[int, str | None, int | None]]:
    task = TASKS.get(algorithm, PLAIN)
    return [
        (size if needle is None else max(size, needle + 1), graphs, needle)
        for size, graphs, needle in product(task.sizes, task.graphs, task.needles)
    ]


def _name(size: int, graphs: str | None, needle: int | None) -> str:
    return f"rung_{size}" + (f"_{graphs}" if graphs else "") + (f"_needle_{needle}" if needle else "")


def describe(algorithm: str, split: str) -> Description:
    if split in ("train", "val", "test"):
        return replace(l_clrs.describe(algorithm, split), dataset="ladder")
    seed = zlib.crc32(split.encode()) >> 1  # 31 bits: seeds of evaluations have 32
    if split in LADDER:
        n = 5 * LADDER[split] // 4 if algorithm in clrs.STRING_MATCHERS else LADDER[split]
        return Description("ladder", algorithm, split, n=n, count=LADDER_COUNT, seed=seed)
    size, graphs, needle = _rungs_by_name(algorithm)[split]
    n = size + (needle or 0)
    return Description("ladder", algorithm, split, n=n, count=COUNT, seed=seed, graphs=graphs, needle=needle)
