"""The machine that numbers come from: what it is, and what it can do."""

import os
import platform
from pathlib import Path

import numba
import torch

from narlab.bench.processes import Workload

LARGE = 2048  # rows and columns of the product that tells what the machine can do


def facts() -> dict[str, str | int]:
    """What measured numbers hang on."""
    return {
        "processor": _processor(),
        "cores": os.cpu_count() or 1,
        "system": platform.platform(terse=True),
        "python": platform.python_version(),
        "torch": torch.__version__,
        "numba": numba.__version__,
    }


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor() or platform.machine()


def large_product() -> Workload:
    """One large matrix product in single precision by PyTorch, on as many threads as it may use."""
    matrix = torch.randn(LARGE, LARGE)
    out = torch.mm(matrix, matrix)
    return Workload(lambda: torch.mm(matrix, matrix, out=out), 2.0 * LARGE**3)
