"""Training steps of narlab and of what one could take in its place, in one run."""

import importlib.util
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from narlab.bench import dm_clrs_baseline, pyg_mpnn
from narlab.bench.cases import Case, training_step
from narlab.bench.presentation import NAMES, UNKNOWN, Presentation
from narlab.bench.processes import Maker, Workload, in_turns
from narlab.common.errors import UsageError

NARLAB = "narlab"
GRAPHS = 32
TABLE = (
    Case("mpnn_g", "bfs", GRAPHS),
    Case("mpnn_fc", "insertion_sort", GRAPHS),
    Case("mpnn_fc", "quicksort", GRAPHS),
)


@dataclass(frozen=True)
class Peer:
    """A way to take the training step of a case; `package` is what it needs beside narlab, `extra` brings it."""

    make: Callable[[Case], Workload]
    package: str | None = None
    extra: str | None = None

    @property
    def is_there(self) -> bool:
        return self.package is None or importlib.util.find_spec(self.package) is not None


PEERS: Mapping[str, Peer] = {
    NARLAB: Peer(partial(training_step, kernels=True)),
    "eager PyTorch": Peer(partial(training_step, kernels=False)),
    "PyTorch Geometric": Peer(pyg_mpnn.training_step, "torch_geometric", "pyg"),
    "dm-clrs (JAX)": Peer(dm_clrs_baseline.training_step, "clrs", "oracle"),
}


@dataclass(frozen=True)
class Row:
    """Seconds of a training step by the name of the peer, measured in turns."""

    case: Case
    seconds: dict[str, float]
    others: float  # cores that other processes used meanwhile

    def ratio(self, peer: str) -> float:
        """How many times narlab's seconds a peer takes."""
        return self.seconds[peer] / self.seconds[NARLAB]


def chosen(algorithms: Sequence[str]) -> list[Case]:
    """The table's rows of these algorithms, all if none are named."""
    known = [case.algorithm for case in TABLE]
    for name in algorithms:
        if name not in known:
            raise UsageError(f"the table of peers has no row of {name!r}; it has {', '.join(known)}")
    return [case for case in TABLE if not algorithms or case.algorithm in algorithms]


def missing() -> list[str]:
    """For each peer whose package is not installed, how to get it."""
    absent = {name: peer for name, peer in PEERS.items() if not peer.is_there}
    return [
        f"{name} is not installed and left out; get it with: pip install 'narlab[{peer.extra}]'"
        for name, peer in absent.items()
    ]


def row(case: Case, *, repeats: int) -> Row:
    """All peers that are installed, each in a process of its own and on all cores."""
    there = {name: peer for name, peer in PEERS.items() if peer.is_there}
    makers: list[Maker] = [partial(peer.make, case) for peer in there.values()]
    measured = in_turns(makers, repeats=repeats, threads=None)
    seconds = {name: measurement.seconds for name, measurement in zip(there, measured, strict=True)}
    return Row(case, seconds, measured[0].others)


def of_peers(rows: Sequence[Row]) -> Presentation:
    """A line per case and peer."""
    columns = (*NAMES, "by", "B", "N", "H", "T", "step s", "times narlab's")
    lines = [_line(row, peer) for row in rows for peer in row.seconds]
    return Presentation(columns, lines, columns[3:])


def _line(row: Row, peer: str) -> list[str]:
    case = row.case
    sizes = [str(size) for size in (case.graphs, case.nodes, case.width, case.depth)]
    ratio = UNKNOWN if peer == NARLAB else f"{row.ratio(peer):.1f}"
    return [case.processor, case.algorithm, peer, *sizes, f"{row.seconds[peer]:.3f}", ratio]
