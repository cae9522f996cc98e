"""The sdist and the wheel: complete, and the wheel passes tests in an environment that knows nothing of the checkout.

`make wheel-test`. The wheel is built from the sdist, and the tests are the sdist's own: so both are all that is needed.
"""

import os
import shutil
import subprocess
import sys
import tarfile
import venv
from pathlib import Path
from zipfile import ZipFile

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("distribution")]

ROOT = Path(__file__).parents[1]
LEFT_OUT = ("*.egg-info", ".*", "build", "demo", "dist", "results", "runs", "__pycache__")
QUICK = (
    "tests/common",
    "tests/algorithms/test_golden.py",
    "tests/data/test_official.py",
    "tests/experiments/test_paper.py",
    "tests/training/test_pretrained.py",
)
OF_BFS = "common or paper or pretrained or bfs"  # compiling all 30 algorithms takes minutes


def run(command, folder, **options):
    """What a command prints; nothing of this process' paths is handed on."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL_ENV"))}
    done = subprocess.run(
        [str(word) for word in command],
        cwd=folder,
        env=clean,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        **options,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """The sdist and the wheel that is made of it, from a copy: building leaves files beside the sources."""
    folder = tmp_path_factory.mktemp("built")
    source = shutil.copytree(ROOT, folder / "source", ignore=shutil.ignore_patterns(*LEFT_OUT))
    run([sys.executable, "-m", "build", "--no-isolation", "--outdir", folder / "dist", source], folder)
    (sdist,), (wheel,) = (folder / "dist").glob("*.tar.gz"), (folder / "dist").glob("*.whl")
    return sdist, wheel


@pytest.fixture(scope="module")
def unpacked(built, tmp_path_factory):
    folder = tmp_path_factory.mktemp("unpacked")
    with tarfile.open(built[0]) as archive:
        archive.extractall(folder, filter="data")
    (root,) = folder.iterdir()
    return root


@pytest.fixture(scope="module")
def python(built, tmp_path_factory):
    """The Python of a new environment that the wheel and what its tests need are installed in."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, with_pip=True)
    pip = [folder / "bin" / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    run([*pip, "--constraint", ROOT / "constraints.txt", built[1], "hypothesis", "pytest", "pytest-xdist"], folder)
    return folder / "bin" / "python"


def test_the_wheel_has_every_file_of_the_package(built):
    package = ROOT / "src" / "narlab"
    files = {file.relative_to(package.parent).as_posix() for file in package.rglob("*") if file.is_file()}
    wanted = {name for name in files if "__pycache__" not in name}
    assert {"narlab/py.typed", "narlab/report/leaderboard/cited.csv"} <= wanted
    assert wanted == {name for name in ZipFile(built[1]).namelist() if ".dist-info/" not in name}


def test_the_sdist_has_what_tests_and_pages_are_made_of(unpacked):
    for name in ("Makefile", "constraints.txt", "mkdocs.yml", "CITATION.cff", "examples/extension/pyproject.toml"):
        assert (unpacked / name).is_file(), name
    for folder, ending in (("docs", "*.md"), ("tests", "*.py"), ("tests", "*.npz"), ("notebooks", "*.ipynb")):
        there = {file.relative_to(ROOT) for file in (ROOT / folder).rglob(ending)}
        assert there == {file.relative_to(unpacked) for file in (unpacked / folder).rglob(ending)}


def test_the_wheel_is_what_is_imported_with_its_data(python, tmp_path):
    code = "import narlab; from narlab.report.leaderboard.page import cited; print(len(cited()), narlab.__file__)"
    published, where = run([python, "-c", code], tmp_path).split()
    assert int(published) > 0
    assert Path(where).is_relative_to(python.parents[1])


def test_the_command_works_without_a_checkout(python, tmp_path):
    command = python.parent / "narlab"
    assert "narlab train" in run([command, "--help"], tmp_path)
    told = run([command, "evaluate", "quicksort@triangle", "--sizes", "8", "--count", "4"], tmp_path)
    assert "100.00" in told


def test_the_tests_pass_without_a_checkout(python, unpacked, tmp_path):
    tests = shutil.copytree(unpacked / "tests", tmp_path / "tests")
    shutil.copy(unpacked / "pyproject.toml", tmp_path)  # pytest's settings
    assert not (tmp_path / "src").exists()
    told = run([python, "-m", "pytest", *QUICK, "-m", "not slow and not oracle", "-k", OF_BFS], tests.parent)
    assert " passed" in told
