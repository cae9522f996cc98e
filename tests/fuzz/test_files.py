"""`make fuzz`: every kind of file that is read, changed at random many thousand times.

What a reader may do is return or raise a `UsageError`; nothing else, not for long, and not with much memory.
"""

import json
import random
import resource
import shutil
import signal
import time
from contextlib import contextmanager

import numpy as np
import pytest
from safetensors.numpy import save_file

from narlab import data
from narlab.common.errors import UsageError
from narlab.evaluation import measure, records
from narlab.evaluation.user_instances import as_dataset, read_inputs
from narlab.experiments.declaring import own_sweep
from narlab.models import build
from narlab.report import outcome as outcomes
from narlab.report.leaderboard import numbers_of
from narlab.training import Run, train
from narlab.training.folder import Folder
from narlab.training.reporting import PlainLines
from narlab.training.run import Run as Read

pytestmark = pytest.mark.fuzz

TIMES = 10_000  # changes of each kind of file
LONGEST = 5.0  # seconds for one of them
ROOM = 2 * 2**30  # bytes that may be added
PIECES = (
    b"null", b"[]", b"{}", b"-1", b"1e999", b"NaN", b"Infinity", b"true", b'""', b'"\\u0000"', b"\x1b[31m", b"9" * 400,
    b"[" * 2000, b"\xff\xfe", b"\n", b"\x00" * 8, b"\xff" * 8, b"'", b'"', b"\\", b":", b",", b"{", b"}", b"]", b"=",
)  # fmt: skip


def mutated(content: bytes, draw: random.Random) -> bytes:
    """The content with a few changes: flipped bits, pieces put in, cut out, doubled or swapped."""
    changed = bytearray(content)
    for _ in range(draw.choice((1, 1, 1, 2, 4, 16))):
        first, second = sorted(draw.randrange(len(changed) + 1) for _ in range(2))
        second = min(second, first + draw.choice((1, 4, 64, 1024)))
        kind = draw.randrange(6)
        if kind == 0 and first < len(changed):
            changed[first] ^= 1 << draw.randrange(8)
        elif kind == 1:
            changed[first:first] = draw.choice(PIECES)
        elif kind == 2:
            changed[first:second] = draw.choice(PIECES)
        elif kind == 3:
            del changed[first:second]
        elif kind == 4:
            changed[first:first] = changed[first:second]
        else:
            changed[first:second] = draw.randbytes(second - first)
    return bytes(changed[: draw.randrange(len(changed) + 1)] if draw.random() < 0.05 else changed)


@contextmanager
def bounded():
    """No more time and memory than there should be."""

    def late(number, frame):
        raise AssertionError(f"a file took more than {LONGEST} s")

    before = signal.signal(signal.SIGALRM, late)
    limits = resource.getrlimit(resource.RLIMIT_AS)
    with open("/proc/self/statm") as file:
        used = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + ROOM, limits[1]))
    try:
        yield lambda: signal.setitimer(signal.ITIMER_REAL, LONGEST)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        resource.setrlimit(resource.RLIMIT_AS, limits)
        signal.signal(signal.SIGALRM, before)


class Quiet(PlainLines):
    def __init__(self):
        super().__init__(write=lambda text: None)


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    """A folder with one file of each kind."""
    root = tmp_path_factory.mktemp("good")
    run = Run("bfs", dataset="custom", n=4, hidden=4, depth=2, steps=2, validate_every=1, test_every=2, samples=20)
    train(run, root, threads=1, reporter=Quiet())
    samples = data.custom("bfs", n=4, count=3, hints=True)
    for suffix in ("npz", "safetensors"):
        data.export(samples, root / f"data.{suffix}")
    inputs = {name: array.tolist() for name, array in samples.inputs.items()}
    (root / "inputs.json").write_text(json.dumps(inputs))
    np.savez(root / "inputs.npz", **samples.inputs)
    save_file(samples.inputs, root / "inputs.safetensors")
    (root / "inputs.csv").write_text("# along 0 - 1 - 2\ns,0\nn,4\n0,1\n1,2,0.5\n")
    (root / "sweep.toml").write_text(
        'algorithm = ["bfs", "dfs"]\nsteps = 2\nseed = [1, 2]\nmetrics = ["score", "graph_score"]\n'
    )
    kept = records.keep(root, measure(build("bfs", hidden=4, depth=2), samples), seed=0)
    shutil.copy(kept, root / "record.json")
    table = outcomes.Table("t", "T", ("r",), ("c",), {("r", "c"): outcomes.Cell((1.0, 2.0), outcomes.Number(1.0, 0.5))})
    plot = outcomes.Plot("p", "P", "x", "y", {"a": (outcomes.Series("l", (1.0, 2.0), (0.5, 1.0)),)})
    drawing = outcomes.Drawing("d", "D", (outcomes.GraphPanel("g", 2, ((0, 1),)),))
    outcomes.write(outcomes.Outcome("e", "short", (table,), (plot,), (drawing,), ("note",)), root)
    (root / "board.json").write_text(json.dumps({"row": [{"folder": "x", "test": 0.5, "command": "narlab train"}]}))
    return root


def kept_record(path):
    complaints = []
    (path.parent / "evaluations").mkdir(exist_ok=True)
    shutil.copy(path, path.parent / "evaluations" / "x.json")
    records.kept(path.parent, complaints.append)
    if complaints:
        raise UsageError(complaints[0])


def sessions(path):
    """No number depends on them, so one that can't be read is left out."""
    if not Folder(path.parent).sessions():
        raise UsageError("left out")


KINDS = {
    "run.toml": lambda path: Read.from_toml(path).resolved(),
    "result.json": lambda path: Folder(path.parent).result(),
    "metrics.jsonl": lambda path: Folder(path.parent).metrics(),
    "environment.json": sessions,
    "best.safetensors": lambda path: Folder(path.parent).weights(),
    "checkpoint.safetensors": lambda path: Folder(path.parent).read_checkpoint(),
    "data.npz": data.read,
    "data.safetensors": data.read,
    "inputs.json": read_inputs,
    "inputs.npz": read_inputs,
    "inputs.safetensors": read_inputs,
    "inputs.csv": lambda path: as_dataset("bfs", read_inputs(path)),
    "sweep.toml": own_sweep.read,
    "record.json": kept_record,
    "outcome.json": lambda path: outcomes.read(path.parent),
    "board.json": lambda path: numbers_of("row", path),
}


@pytest.mark.parametrize("name", KINDS)
def test_any_change_is_read_or_refused(good, tmp_path, name):
    content, path, read = (good / name).read_bytes(), tmp_path / name, KINDS[name]
    draw, refused, began = random.Random(name), 0, time.monotonic()
    with bounded() as start:
        for k in range(TIMES):
            changed = mutated(content, draw)
            path.write_bytes(changed)
            start()
            try:
                read(path)
            except UsageError:
                refused += 1
            except MemoryError:
                pytest.fail(f"change {k} takes too much memory: {changed[:2000]!r}")
            except Exception as error:
                pytest.fail(f"change {k} is no clear mistake: {error!r}, {changed[:2000]!r}")
    print(f"{name}: {TIMES} changes, {refused} refused, {time.monotonic() - began:.0f} s")
    assert refused > TIMES // 100
