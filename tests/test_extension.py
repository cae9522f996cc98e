"""`examples/extension`, installed in a place of its own: each kind works from the command line and in Python."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.xdist_group("extension")  # so that what they share is made once

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "examples" / "extension"
TINY = "--dataset custom --n 6 --test-n 8 --hidden 8 --depth 2 --steps 4 --validate-every 2 --samples 16 --threads 1"

COMMAND_LINE = f"""
from narlab.cli import main

def run(line):
    print("$", line)
    main(line.split())

run("algorithms")
run("show mst_boruvka --n 6 --graphs caterpillar:share=0.4")
run("generate custom mst_boruvka --n 8 --count 5 --graphs caterpillar --hints --out boruvka.npz")
run("train mst_boruvka --processor max_pooling --position from_both_ends --recipe brisk --out run {TINY}")
run("evaluate run --sizes 6 --graphs caterpillar,er --count 4 --metrics score,tree_edges --json scores.json")
run("predict run --input boruvka.npz --out answers.json")
run("reproduce spanning-trees --budget smoke --out results")
run("runs .")
run("train bfs --processor hybrid_average:mpnn_g+narlab_extension.max_pooling:Processor --out hybrid {TINY}")
"""

PYTHON = """
print("$ python")
import narlab
from narlab.experiments.declaring.selection import Selection
from narlab_extension import brisk, spanning_trees, tree_edges
from narlab_extension.caterpillar import Family
from narlab_extension.from_both_ends import Position
from narlab_extension.max_pooling import Processor
from narlab_extension.mst_boruvka import ALGORITHM

model = narlab.models.build(ALGORITHM, processor=Processor, position=Position, hidden=8, depth=2)
data = narlab.data.custom(ALGORITHM, n=6, count=4, graphs=Family(share=0.4))
scores = narlab.evaluation.evaluate(model, data, metrics=("score", tree_edges.METRIC))
run = narlab.Run(ALGORITHM, processor=Processor, position=Position, recipe=brisk.RECIPE)
print(run.algorithm, run.processor, run.position, run.recipe, data.description.graphs, sorted(scores))
print(len(narlab.algorithms.CLRS_30), "mst_boruvka" in narlab.algorithms.names(), spanning_trees.TITLE)
print(Selection.of("spanning-trees", budget="smoke").algorithms)

inputs = narlab.algorithms.get("mst_kruskal").sample(9, 50, seed=3)
kruskal, boruvka = (narlab.algorithms.get(name).execute(inputs) for name in ("mst_kruskal", "mst_boruvka"))
print("the same forest:", (kruskal.outputs["in_mst"] == boruvka.outputs["in_mst"]).all())
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """A folder that the package is installed in, and nothing else."""
    source, target = tmp_path_factory.mktemp("source") / "extension", tmp_path_factory.mktemp("installed")
    shutil.copytree(PACKAGE, source)  # building leaves files beside the sources
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
    subprocess.run([*pip, "--no-build-isolation", "--no-index", "--target", target, source], check=True)
    return target


def python(code, folder, *paths):
    """Run code in a process of its own with further folders to import from."""
    path = os.pathsep.join(map(str, (*paths, *sys.path)))
    environment = {**os.environ, "PYTHONPATH": path, "PYTHONWARNINGS": "error::UserWarning"}
    command = [sys.executable, "-c", code]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def used(installed, tmp_path_factory):
    """What the command line and Python printed in one process, and the folder that they worked in."""
    folder = tmp_path_factory.mktemp("used")
    done = python(COMMAND_LINE + PYTHON, folder, installed)
    assert done.returncode == 0, done.stderr
    return done.stdout, folder


def test_every_part_works_from_the_command_line(used):
    text, folder = used
    assert "mst_boruvka" in text.partition("$ show")[0]
    shown = text.partition("$ show")[2].partition("$ generate")[0]
    assert "in_mst_h" in shown
    assert "component_h" in shown
    measured = json.loads((folder / "scores.json").read_text())["results"]
    assert [row["graphs"] for row in measured] == ["caterpillar:share=0.5", "er:p=0.5"]
    assert all(row["tree_edges"] >= 0 for row in measured)
    assert "Two algorithms for minimum spanning trees" in text
    assert 'recipe = "brisk"' in (folder / "run" / "run.toml").read_text()


def test_a_folder_says_where_things_came_from(used):
    _, folder = used
    (session,) = json.loads((folder / "run" / "environment.json").read_text())
    assert {thing["package"] for thing in session["from_outside"]} == {"narlab-extension"}
    assert {thing["version"] for thing in session["from_outside"]} == {"1.0"}
    assert {"mst_boruvka", "max_pooling", "from_both_ends", "brisk"} <= {t["name"] for t in session["from_outside"]}


def test_without_the_package_a_folder_is_refused_in_one_line(used):
    _, folder = used
    done = python("from narlab.cli import main; main(['evaluate', 'run'])", folder)
    assert done.returncode == 2, done.stderr
    assert done.stdout == ""
    (line,) = done.stderr.strip().splitlines()
    assert "narlab-extension" in line


def test_objects_pass_through_in_python(used):
    first, second, third, _ = used[0].partition("$ python\n")[2].splitlines()
    assert first == "mst_boruvka max_pooling from_both_ends brisk caterpillar:share=0.4 ['score', 'tree_edges']"
    assert second == "30 True Two algorithms for minimum spanning trees"
    assert third == "('mst_boruvka', 'mst_kruskal')"


def test_boruvka_marks_a_minimum_spanning_forest(used):
    assert used[0].endswith("the same forest: True\n")
