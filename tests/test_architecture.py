"""The layers import only those to their left, and a plain import loads nothing heavy."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import narlab

ROOT = Path(narlab.__file__).parent
ORDER = (
    "common",
    "specs",
    "algorithms",
    "data",
    "models",
    "evaluation",
    "training",
    "bench",
    "experiments",
    "report",
    "play",
    "interop",
    "cli",
)
BESIDE = {"play": {"report"}, "interop": {"experiments", "report", "play"}}  # stand beside, and see nothing of them
MODULES_TO_TRAIN = 70  # as many as `narlab train bfs` loads, so that its path can be read
MAY_USE_KERNELS = ("data", "models", "bench")  # bench counts what kernels do


def imported_layers(file: Path) -> set[str]:
    found = set()
    for node in ast.walk(ast.parse(file.read_text())):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: relative import"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        found |= {name.split(".")[1] for name in names if name.startswith("narlab.")}
    return found & {*ORDER, "kernels"}


def test_layers_import_only_to_their_left():
    for layer in ORDER:
        allowed = {*ORDER[: ORDER.index(layer) + 1], *(["kernels"] if layer in MAY_USE_KERNELS else [])}
        allowed -= BESIDE.get(layer, set())
        for file in (ROOT / layer).rglob("*.py"):
            assert imported_layers(file) <= allowed, f"{file.relative_to(ROOT)} imports {imported_layers(file)}"


def test_kernels_know_nothing_of_the_rest():
    for file in (ROOT / "kernels").rglob("*.py"):
        assert imported_layers(file) <= {"common", "kernels"}, file


def test_every_folder_is_a_layer():
    folders = {folder.name for folder in ROOT.iterdir() if folder.is_dir() and folder.name != "__pycache__"}
    assert folders <= {*ORDER, "kernels"}


def test_import_loads_nothing_heavy():
    code = (
        "import sys, narlab; print([m for m in ('torch', 'numba', 'matplotlib', 'numpy', 'rich') if m in sys.modules])"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_listing_loads_no_compiler():
    code = "import sys, narlab; narlab.algorithms.names(); print('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"


def test_the_overview_of_commands_loads_no_pytorch():
    code = "import sys; from narlab.cli import main; main([]); print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "False"


def test_what_training_loads(tmp_path):
    """PyTorch's compiler takes longer to load than a run's first steps to do."""
    train = "main(['train', 'bfs', '--steps', '1', '--hidden', '8'])"
    code = f"import sys; from narlab.cli import main; {train}; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path)
    loaded = done.stdout.splitlines()[-1].split()
    assert len([name for name in loaded if name.partition(".")[0] == "narlab"]) <= MODULES_TO_TRAIN
    assert "torch._dynamo" not in loaded


@pytest.mark.xdist_group("one of a group")
def test_groups_of_tests_stay_in_one_process(request):
    """Else what a group shares would be made in every process, and nobody would see why it takes so long."""
    if getattr(request.config.option, "loadgroup", False):
        assert request.node.nodeid.endswith("@one of a group")
