"""A real Ray cluster of two nodes here: one is lost, or the head is restarted; all runs end with the same bits."""

import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import sweeps
from cases import MARK, PATIENCE, Place, SkippedError, WrongError, finish, processes_of, start, still_there, wait_until

from narlab.common.errors import UsageError
from narlab.experiments.sweeping.ray_connection import LOOPBACK, closed_ray

LOOPBACKS = ("0100007F", "0000000000000000FFFF00000100007F", "00000000000000000000000001000000")
SWEEP = "reproduce controlled-shift --budget smoke --algorithms bfs"  # three runs for two nodes
OBJECTS = 2**27  # bytes
MOMENTS = 20.0  # seconds after the first run was given out, in which a cluster is hit
HOPELESS = 90.0  # seconds after which a sweep without a head must have given up
AGENTS = 90.0  # seconds that Ray's own agents take to end after their node


@contextmanager
def nodes(place: Place) -> Iterator[Any]:
    """A head without CPUs and two workers with one each."""
    try:
        closed_ray()
    except UsageError:
        raise SkippedError("Ray is not installed; make torture installs it") from None
    from ray.cluster_utils import Cluster as Nodes

    own = {"node_ip_address": LOOPBACK, "object_store_memory": OBJECTS, "include_dashboard": False}
    os.environ[MARK] = place.mark  # all that Ray starts belongs to the case
    started = Nodes(initialize_head=True, head_node_args={"num_cpus": 0, **own})
    try:
        for _ in range(2):
            started.add_node(num_cpus=1, **own)
        yield started
    finally:
        started.shutdown()
        del os.environ[MARK]


def command(folder: Path, address: str) -> list[str]:
    return [*SWEEP.split(), "--engine", "ray", "--address", address, "--out", str(folder)]


def begun(place: Place, address: str) -> subprocess.Popen[str]:
    """A sweep some time after its first run was given out."""
    sweep = start(place, *command(place.folder, address))
    wait_until(lambda: any(place.folder.rglob(".lock")), sweep)
    time.sleep(place.random.uniform(0, MOMENTS) * (sweep.poll() is None))
    return sweep


def loses_a_node(place: Place) -> str:
    """The sweep goes on with the other node."""
    whole = sweeps.in_peace(place, f"{SWEEP} --threads 1")
    with nodes(place) as cluster:
        sweep = begun(place, cluster.address)
        check_closed(place)
        hit = sweep.poll() is None
        cluster.remove_node(place.random.choice(sorted(cluster.worker_nodes, key=id)), allow_graceful=False)
        _, err = sweep.communicate(timeout=2 * PATIENCE)
    if sweep.returncode != 0 or "Traceback" in err:
        raise WrongError(f"ended with {sweep.returncode}: {err[-3000:]}")
    sweeps.check_all(place, whole)
    return "a node was lost" if hit else "done before"


def loses_its_head(place: Place) -> str:
    """The sweep ends in bounded time; with a new head the same command goes on."""
    whole = sweeps.in_peace(place, f"{SWEEP} --threads 1")
    with nodes(place) as cluster:
        sweep = begun(place, cluster.address)
        hit = sweep.poll() is None
        cluster.head_node.kill_gcs_server(check_alive=False)
        try:
            _, err = sweep.communicate(timeout=HOPELESS)
        except subprocess.TimeoutExpired:
            sweep.kill()
            sweep.communicate()
            raise WrongError(f"it still waits for its head after {HOPELESS:.0f} s") from None
    if "Traceback" in err or (sweep.returncode and "the same command goes on" not in err):
        raise WrongError(f"ended with {sweep.returncode}: {err[-3000:]}")
    still_there(place, AGENTS)
    with nodes(place) as cluster:
        finish(place, *command(place.folder, cluster.address))
    sweeps.check_all(place, whole)
    return "the head was lost" if hit and sweep.returncode else "done before"


def check_closed(place: Place) -> None:
    """No process of the case listens where another machine could reach it."""
    owned = {link for number in processes_of(place) for link in _links(number)}
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        for line in Path(table).read_text().splitlines()[1:]:
            fields = line.split()
            address = fields[1].partition(":")[0]
            if fields[3] == "0A" and f"socket:[{fields[9]}]" in owned and address not in LOOPBACKS:
                raise WrongError(f"a port is open to others: {fields[1]}")


def _links(process: int) -> Iterator[str]:
    for file in Path(f"/proc/{process}/fd").glob("*"):
        with suppress(OSError):
            yield os.readlink(file)
