"""A real Ray cluster of two workers on this machine, one of which is killed in the middle."""

import importlib.util
import os
import socket
import sys
from contextlib import suppress
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

from narlab.experiments.sweeping import ray_connection, sweep
from narlab.experiments.sweeping.cluster import Cluster
from narlab.experiments.sweeping.jobs import Event
from narlab.experiments.sweeping.ray_connection import LOOPBACK, VARIABLE, closed_ray
from narlab.experiments.sweeping.remote_worker import RemoteWorker, files_in, write_files
from narlab.training import train
from narlab.training.folder import Folder

LONG = {"steps": 600, "validate_every": 20, "test_every": 100}
OBJECTS = 2**27  # bytes
pytestmark = pytest.mark.xdist_group("cluster")
needs_ray = pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="Ray is not installed")


@pytest.fixture(scope="module")
def nodes():
    """A head without CPUs and two workers with one each, that talk through the loopback alone."""
    closed_ray()
    from ray.cluster_utils import Cluster as Nodes

    own = {"node_ip_address": LOOPBACK, "object_store_memory": OBJECTS, "include_dashboard": False}
    started = Nodes(initialize_head=True, head_node_args={"num_cpus": 0, **own})
    try:
        for _ in range(2):
            started.add_node(num_cpus=1, **own)
        yield started
    finally:
        started.shutdown()


def listening():
    """The addresses at which the processes of Ray listen, from the kernel's tables."""
    found = set()
    owned = {link for process in ray_processes() for link in links_of(process)}
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        for line in Path(table).read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A" and f"socket:[{fields[9]}]" in owned:
                found.add(fields[1].partition(":")[0])
    return found


def ray_processes():
    names = {int(file.parent.name): file for file in Path("/proc").glob("[0-9]*/cmdline")}
    for number, file in names.items():
        with suppress(OSError):
            command = file.read_text()
            if "raylet" in command or "gcs_server" in command or command.startswith("ray::"):
                yield number


def links_of(process):
    for file in Path(f"/proc/{process}/fd").glob("*"):
        with suppress(OSError):
            yield os.readlink(file)


@needs_ray
@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads the tables of Linux")
def test_no_other_machine_can_reach_a_cluster_of_this_one(tmp_path, job_in, diary):
    seen = set()

    def look(job, step):
        seen.update(listening())

    diary.actions["started"] = look
    Cluster().execute([job_in(tmp_path)], diary)
    assert diary.of("finished") == [("bfs-42", None)]
    assert seen
    assert seen <= {"0100007F", "0000000000000000FFFF00000100007F", "00000000000000000000000001000000"}


@needs_ray
@pytest.mark.slow
def test_a_killed_worker_changes_nothing(tmp_path, job_in, diary, leavings, nodes):
    jobs = [job_in(tmp_path, seed, **LONG) for seed in (1, 2, 3)]
    bad = job_in(tmp_path, 4, learning_rate=1e30, validate_every=1)
    killed = []

    def kill(job, line):
        if not killed and all((job.folder / "checkpoint.safetensors").exists() for job in jobs[:2]):
            killed.append(next(iter(nodes.worker_nodes)))
            nodes.remove_node(killed[0], allow_graceful=False)

    diary.actions["evaluation"] = kill
    ending = sweep.execute([*jobs, bad], Cluster(nodes.address, interval=0.1, rest=10.0), diary)
    assert list(ending.failed) == [bad]
    assert str(bad.folder) in ending.failed[bad][0]
    assert sorted(diary.of("finished")) == [(job.name, None) for job in jobs]
    assert "its worker was lost; it goes on elsewhere from its last checkpoint" in diary.of("said")[0][0]
    names = [name for name, _ in diary.of("started")]
    (lost,) = {name for name in names if names.count(name) > 1}  # others may have been given to the dead node, too
    assert [step for name, step in diary.of("started") if name == lost][1] >= 20, "it began anew"
    for job in jobs:
        alone = job_in(tmp_path / "alone", job.run.seed, **LONG)
        train(alone.run, alone.folder, threads=1)
        assert leavings(job) == leavings(alone)
        assert Folder(job.folder).holder() is None


@needs_ray
@pytest.mark.slow
def test_a_run_that_was_begun_elsewhere_goes_on(tmp_path, job_in, diary, nodes):
    job, done = job_in(tmp_path, 1, **LONG), job_in(tmp_path, 2)
    theirs = job_in(tmp_path, 3)

    class StopError(Exception):
        pass

    def stop(job, line):
        if line["step"] == 40:
            raise StopError

    diary.actions["evaluation"] = stop
    with pytest.raises(StopError):
        Cluster(nodes.address, interval=0.0).execute([job], diary)
    train(done.run, done.folder, threads=1)
    later = type(diary)()
    with Folder(theirs.folder).locked():
        ending = sweep.execute([job, done, theirs], Cluster(nodes.address), later)
    ((_, step),) = later.of("started")
    assert step >= 20
    assert list(ending.held) == [theirs]
    assert f"process {os.getpid()}" in ending.held[theirs]
    assert Folder(job.folder).result()["step"] > 0


@needs_ray
@pytest.mark.slow
def test_ctrl_c_fetches_what_there_is(tmp_path, job_in, diary, nodes):
    job = job_in(tmp_path, steps=10**6, validate_every=20)

    def interrupt(job, line):
        if line["step"] == 40:
            raise KeyboardInterrupt

    diary.actions["evaluation"] = interrupt
    with pytest.raises(KeyboardInterrupt):
        Cluster(nodes.address, interval=1000.0).execute([job], diary)
    assert "fetching the runs' checkpoints" in diary.of("said")[-1][0]
    assert sweep.reached(job) >= 40
    assert Folder(job.folder).read_checkpoint()[1]["step"] >= 40


@needs_ray
@pytest.mark.slow
def test_more_than_a_node_has(tmp_path, job_in, diary, nodes):
    with pytest.raises(ValueError, match="no node of the cluster has 9 CPUs and 0 GPUs; the largest has 1 CPUs"):
        Cluster(nodes.address, cpus=9).execute([job_in(tmp_path)], diary)


@needs_ray
def test_an_address_where_nothing_is(tmp_path, job_in, diary):
    with pytest.raises(ValueError, match=r"no Ray cluster at '127\.0\.0\.1:1': .*refused; give the address"):
        Cluster("127.0.0.1:1").execute([job_in(tmp_path)], diary)


@pytest.fixture
def listener():
    """A port of this machine's loopback that is listened to."""
    with socket.create_server((LOOPBACK, 0)) as server:
        yield server.getsockname()[1]


def test_a_cluster_at_the_loopback_alone_is_closed(listener):
    assert ray_connection._is_closed(f"localhost:{listener}")


def test_a_cluster_that_others_reach_is_not_closed(monkeypatch, listener):
    monkeypatch.setattr(ray_connection, "ANY_OTHER_HOST", (LOOPBACK, 9))  # as if the way to others began there
    assert not ray_connection._is_closed(f"{LOOPBACK}:{listener}")


@pytest.mark.parametrize("address", ["auto", "ray://head:10001", "10.0.0.1:6379"])
def test_addresses_of_others_are_not_closed(address):
    assert not ray_connection._is_closed(address)


@pytest.mark.parametrize("before", [None, "1"])
def test_ray_that_would_open_a_cluster_is_not_started(monkeypatch, before):
    """As it is when the program itself has imported it; the variable is as it was."""
    early = ModuleType("ray")
    early.__spec__ = ModuleSpec("ray", None)
    early.is_initialized = lambda: False
    early.util = SimpleNamespace(get_node_ip_address=lambda: "192.0.2.7")
    monkeypatch.setitem(sys.modules, "ray", early)
    monkeypatch.delenv(VARIABLE, raising=False)
    if before is not None:
        monkeypatch.setenv(VARIABLE, before)
    with pytest.raises(ValueError, match=f"Ray was imported before, .* begin Python with {VARIABLE}=0"):
        closed_ray()
    assert os.environ.get(VARIABLE) == before


def test_without_ray_the_remedy_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ValueError, match=r"install it with: pip install 'narlab\[cluster\]'"):
        Cluster()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"cpus": 0}, "cpus must be at least 1, got 0"),
        ({"gpus": -1.0}, "gpus must be at least 0, got -1.0"),
        ({"workers": 0}, "workers must be at least 1, got 0"),
    ],
)
def test_settings_that_can_not_be(options, message):
    with pytest.raises(ValueError, match=message):
        Cluster(**options)


@pytest.mark.slow
def test_a_worker_copies_a_folder_that_can_be_gone_on_with(tmp_path, job_in, leavings):
    """From each copy that comes back on the way, a run ends with the same bits."""
    job = job_in(tmp_path, **LONG)
    worker = RemoteWorker(job, {}, threads=1, device="cpu", interval=0.0)
    copies, note = [], worker._note

    def keep(event):
        note(event)
        if (copy := worker._taken()) is not None:
            copies.append(copy)

    worker._note = keep
    events, files = worker.train()
    assert events[-1] == Event("finished", job)
    write_files(job.folder, files)
    assert files_in(job.folder) == files
    assert copies
    for k, copy in enumerate((copies[0], copies[-1])):
        again = job_in(tmp_path / str(k), **LONG)
        write_files(again.folder, copy)
        train(again.run, again.folder, threads=1)
        assert leavings(again) == leavings(job)
