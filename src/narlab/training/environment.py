"""Where a run is trained: device and threads, versions, and the packages that its things come from."""

import platform
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from importlib import import_module, metadata
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import torch
from threadpoolctl import threadpool_limits

import narlab
from narlab.common.catalogue import Catalogue, split_options
from narlab.common.errors import Either, Items, Nothing, Record, Switch, Text, UsageError, Whole, brief
from narlab.common.machine import check_threads
from narlab.models import processors
from narlab.training.run import CUSTOM, ResolvedRun

HOMES = {
    "algorithm": "narlab.algorithms",
    "dataset": "narlab.data.datasets",
    "processor": "narlab.models.processors",
    "position": "narlab.models.positions",
    "hints": "narlab.models.hint_modes",
    "quantiser": "narlab.models.quantisers",
    "readout": "narlab.models.readouts",
    "pair_features": "narlab.models.pair_features",
    "recipe": "narlab.training.recipes",
    "graphs": "narlab.data.graphs",
    "metrics": "narlab.evaluation.metrics",
}
"""Which settings of a run name things, and the package whose `CATALOGUE` has them."""
THING_SCHEMA = Record({**dict.fromkeys(("setting", "name", "package"), Text()), "version": Either(Text(), Nothing())})
DEVICES = ("cpu", "cuda")  # that runs are known to be trained on
SESSION_SCHEMA = Record(
    optional={"from_step": Whole(), "threads": Whole(1), "compiled": Switch(), "from_outside": Items(THING_SCHEMA)},
    others=Either(Text(), Nothing()),
)
"""What `describe` says."""


@dataclass(frozen=True)
class Machine:
    """The device, the number of threads (`None`: as many as PyTorch takes), and whether steps are compiled for it.

    Nothing of it belongs to the run.
    """

    device: torch.device
    threads: int | None = None
    compiles: bool = False

    @classmethod
    def of(cls, device: str, threads: int | None = None, *, compiles: bool = False) -> "Machine":
        """The machine with the device called `device`; a `ValueError` if it is not there."""
        if threads is not None:
            check_threads(threads)
        return cls(device_of(device), threads, compiles)

    @property
    def options(self) -> str:
        """What the command line needs beside the run to go on with the same bits, each option after a space.

        >>> Machine.of("cpu", threads=1).options
        ' --threads 1'
        """
        device = "" if self.device.type == "cpu" else f" --device {self.device}"
        threads = "" if self.threads is None else f" --threads {self.threads}"
        return device + threads + " --compile" * self.compiles

    @contextmanager
    def limited(self) -> Iterator[None]:
        """While this lasts, PyTorch and the BLAS of NumPy and SciPy use no more threads than allowed, and numbers below
        1e-38 count as 0: a model without errors has such gradients, and with them a step takes ten times as long."""
        torch.set_flush_denormal(True)
        try:
            with nullcontext() if self.threads is None else self._own_threads(self.threads):
                yield
        finally:
            torch.set_flush_denormal(False)

    @contextmanager
    def _own_threads(self, threads: int) -> Iterator[None]:
        before = torch.get_num_threads()
        torch.set_num_threads(threads)
        try:
            with threadpool_limits(threads, user_api="blas"):
                yield
        finally:
            torch.set_num_threads(before)


def device_of(name: str) -> torch.device:
    """The device called `name`, if this machine has it."""
    try:
        device: torch.device | None = torch.device(name)
    except (RuntimeError, TypeError):
        device = None
    if device is None or device.type not in DEVICES or (device.type == "cpu" and device.index is not None):
        raise UsageError(f"unknown device {brief(name)}; known: cpu, cuda, cuda:0, ...")
    if device.type == "cuda" and not torch.cuda.is_available():
        raise UsageError("device 'cuda' asked for, but this machine has no usable GPU; leave --device out")
    if device.type == "cuda" and (device.index or 0) >= torch.cuda.device_count():
        raise UsageError(f"unknown device {name!r}; this machine has {torch.cuda.device_count()} GPUs, counted from 0")
    return device


def describe(run: ResolvedRun, machine: Machine, step: int) -> dict[str, Any]:
    """One process's work on a run, as its folder's environment.json keeps it; `step` is where it begins."""
    return {
        "began": time.strftime("%Y-%m-%d %H:%M:%S %z"),
        "from_step": step,
        "narlab": narlab.__version__,
        "commit": commit(),
        "python": platform.python_version(),
        **{package: metadata.version(package) for package in ("torch", "numba", "numpy")},
        "system": platform.platform(),
        "cpu": cpu_model(),
        "device": _device_name(machine.device),
        "threads": machine.threads or torch.get_num_threads(),
        "compiled": machine.compiles,
        "from_outside": from_outside(run),
    }


def from_outside(run: ResolvedRun) -> list[dict[str, Any]]:
    """The things of a run that are not our own, each with its package and version."""
    found = []
    for setting, catalogue, name in _things(run):
        origin = catalogue.origin(name)
        if origin is not None:
            found.append({"setting": setting, "name": name, "package": origin.package, "version": origin.version})
    return found


def _things(run: ResolvedRun) -> Iterator[tuple[str, Catalogue, str]]:
    for setting, home in HOMES.items():
        value = getattr(run, setting)
        for text in value if isinstance(value, tuple) else [value]:
            if text is not None and (setting, text) != ("dataset", CUSTOM):
                yield setting, import_module(home).CATALOGUE, split_options(text)[0]
    for part in processors.parts(run.processor):
        yield "processor", processors.CATALOGUE, part


def check_installed(where: Path, sessions: Iterable[Mapping[str, Any]]) -> None:
    """Raise a `ValueError` if a thing that a folder's run is made of is of a package that is not there."""
    for thing in (thing for session in sessions for thing in session.get("from_outside", ())):
        package, version = thing["package"], thing["version"]
        if not _is_installed(package, is_module=version is None):
            said = package if version is None else f"{package} {version}"
            raise UsageError(
                f"{str(where)!r} needs {thing['setting']} {thing['name']!r} of the package {said}, which is not "
                "installed here; install it"
            )


def _is_installed(package: str, *, is_module: bool) -> bool:
    if is_module:
        top = package.partition(".")[0]  # looking for a part of a package would import it
        return top in sys.modules or find_spec(top) is not None
    try:
        metadata.version(package)
    except metadata.PackageNotFoundError:
        return False
    return True


def commit() -> str | None:
    """The git commit of narlab's own source, with a + if files differ from it; `None` where it is no checkout."""
    source = Path(narlab.__file__).parent

    def git(*words: str) -> str:
        command = ["git", "-C", str(source), *words]
        return subprocess.run(command, capture_output=True, text=True, check=True, timeout=10).stdout.strip()

    try:
        git("ls-files", "--error-unmatch", "__init__.py")  # else it lies in somebody else's repository
        return git("rev-parse", "--short=12", "HEAD") + ("+" if git("status", "--porcelain", "--", ".") else "")
    except (OSError, subprocess.SubprocessError):
        return None


def cpu_model() -> str:
    """The processor's name, where the system tells it."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, platform.processor() or platform.machine())


def _device_name(device: torch.device) -> str:
    return torch.cuda.get_device_name(device) if device.type == "cuda" else str(device)
