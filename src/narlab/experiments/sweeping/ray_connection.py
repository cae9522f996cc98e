"""Connections to Ray clusters, of which those of this machine alone are closed to all others."""

import importlib.util
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any

from narlab.common.errors import UsageError

REACH = 5.0  # seconds to reach a cluster
OBJECTS = 2**28  # bytes that a cluster of this machine alone gets for files on their way
LOOPBACK = "127.0.0.1"
LOOPBACK_NAMES = (LOOPBACK, "localhost", "::1", "[::1]")
ANY_OTHER_HOST = ("192.0.2.1", 9)  # of documentation: a datagram socket looks up the way there and sends nothing
VARIABLE = "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"  # Ray's, for nodes that other machines reach; read as it is imported


def check_installed() -> None:
    if importlib.util.find_spec("ray") is None:
        raise UsageError("the engine ray needs Ray; install it with: pip install 'narlab[cluster]'")


@contextmanager
def connected(address: str | None) -> Iterator[ModuleType]:
    """Ray, connected to a cluster; a connection that is there already is used and left."""
    ray = closed_ray() if address is None or _is_closed(address) else _ray()
    if ray.is_initialized():
        yield ray
        return
    quiet: dict[str, Any] = {"log_to_driver": False, "logging_level": "error"}
    if address is None:
        ray.init("local", include_dashboard=False, object_store_memory=OBJECTS, _node_ip_address=LOOPBACK, **quiet)
    else:
        _check_reachable(address)
        try:
            ray.init(address, **quiet)
        except (ConnectionError, RuntimeError, ValueError) as error:
            raise UsageError(f"no Ray cluster at {address!r}: {str(error).splitlines()[0]}") from error
    try:
        yield ray
    finally:
        ray.shutdown()


def closed_ray() -> ModuleType:
    """Ray, so that a cluster that is started or joined at `LOOPBACK` really is there, for the rest of this process.

    Anyone who reaches a cluster can run code on it. On Linux, Ray takes a loopback address for the machine's public one
    and listens to all the world, unless `VARIABLE` says that it should do as it does on other systems.
    """
    before = os.environ.get(VARIABLE)
    os.environ[VARIABLE] = "0"
    try:
        ray = _ray()
    finally:
        if before is None:
            del os.environ[VARIABLE]
        else:
            os.environ[VARIABLE] = before
    if not ray.is_initialized() and ray.util.get_node_ip_address() != LOOPBACK:
        raise UsageError(
            "Ray was imported before, and would open its cluster of this machine to others; "
            f"begin Python with {VARIABLE}=0, or connect with ray.init before"
        )
    return ray


def _ray() -> ModuleType:
    check_installed()
    import ray

    return ray


def _is_closed(address: str) -> bool:
    """Whether a cluster is at the loopback alone; one that was started for others has only its public address."""
    host, _, port = address.rpartition(":")
    if host not in LOOPBACK_NAMES or not port.isdigit():
        return False
    try:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as towards_others:
            towards_others.connect(ANY_OTHER_HOST)
            public = towards_others.getsockname()[0]
    except OSError:
        return True
    return not answers(f"{public}:{port}")


def answers(address: str) -> bool:
    """Whether somebody listens there."""
    host, _, port = address.rpartition(":")
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=REACH).close()
    except (OSError, OverflowError):
        return False
    return True


def _check_reachable(address: str) -> None:
    """Say at once what Ray would take minutes to find out."""
    host, _, port = address.rpartition(":")
    if not port.isdigit() or "/" in host:
        return  # such as "auto", which Ray itself looks up
    try:
        socket.create_connection((host, int(port)), timeout=REACH).close()
    except (OSError, OverflowError) as error:
        raise UsageError(f"no Ray cluster at {address!r}: {error}; give the address that `ray start` printed") from None
