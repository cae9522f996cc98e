"""Names of runs: pinned, since what changes one orphans finished runs."""

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from narlab.cli import main
from narlab.training import Run, recipes
from narlab.training.folder import Folder
from narlab.training.identity import differences, first_name, folder_in, run_name
from narlab.training.loop import default_folder

OLD = Path(__file__).parent / "old_folder" / "finished"
SMALL = Run(
    "bfs", dataset="custom", n=4, test_n=5, hidden=4, depth=2, steps=12, batch_size=4, validate_every=4, test_every=8,
    samples=20,
)  # fmt: skip
HINTS = Run(
    "dfs", processor="hybrid_average:mpnn_g+mpnn_g", hints="encoded_decoded", hint_names=("pi_h", "color"), seed=43
)
BFS_FIRST = "bfs-l_clrs-mpnn_g-random_scalar-42-ba5b59a8"
TRIANGLE = Run("bfs", processor="triangle", position="order", readout="pairs", relations=True, depth="n/2")
HALF = Run("bfs", processor="two_wl", bfloat16=True, steps=2000, quantiser="straight_through")


@pytest.mark.parametrize(
    ("run", "name", "first"),
    [
        (Run("bfs"), "bfs-l_clrs-mpnn_g-42", BFS_FIRST),
        (
            HINTS,
            "dfs-l_clrs-hybrid_average-mpnn_g+mpnn_g-43-e77df905",
            "dfs-l_clrs-hybrid_average-mpnn_g+mpnn_g-random_scalar-43-174f03d7",
        ),
        (HALF, "bfs-l_clrs-two_wl-42-42be415c", "bfs-l_clrs-two_wl-random_scalar-42-db11c6f3"),
        (SMALL, "bfs-custom-mpnn_g-42-c19b7323", "bfs-custom-mpnn_g-random_scalar-42-d6160a02"),
        (Run("bfs", dataset="clrs", recipe="clrs"), "bfs-clrs-mpnn_g-recipe=clrs-42", None),
        (
            Run("bfs", recipe="paper:averaging=0.99"),
            "bfs-l_clrs-mpnn_g-recipe=paper-averaging=0.99-42-72985202",
            None,
        ),
        (Run("bfs", relations=False, readout="paper"), "bfs-l_clrs-mpnn_g-42", BFS_FIRST),
        (TRIANGLE, "bfs-l_clrs-triangle-order-42-82ebdd5a", None),
    ],
)
def test_names_are_pinned(run, name, first):
    assert run_name(run) == name
    assert run_name(run.resolved()) == name
    assert first_name(run) == first


def test_what_is_as_it_would_be_anyway_does_not_count():
    assert differences(Run("bfs")) == {"algorithm": "bfs"}
    said = Run("bfs", hidden=128, depth=32, steps=20_000, batch_size=32, learning_rate=1e-4, clip=1, metrics=None)
    assert differences(said) == {"algorithm": "bfs"}
    assert differences(replace(said, processor="two_wl")) == {
        "algorithm": "bfs",
        "batch_size": 32,
        "processor": "two_wl",
    }
    assert differences(Run("bfs", recipe="clrs", steps=10_000)) == {"algorithm": "bfs", "recipe": "clrs"}


def test_numbers_are_what_they_are_worth():
    plain = Run("bfs", clip=2, seed=7, learning_rate=3e-5)
    assert run_name(plain) == run_name(Run("bfs", clip=2.0, seed=np.int64(7), learning_rate=np.float64(3e-5)))
    assert run_name(Run("bfs", seed=0)) == "bfs-l_clrs-mpnn_g-0"


def test_different_runs_have_different_names():
    runs = [
        Run("bfs"), Run("bfs", steps=5), Run("bfs", steps=6), Run("bfs", depth="trajectory"), Run("bfs", seed=1),
        Run("bfs", position="scalar"), Run("bfs", position="scalar", steps=5), Run("bfs", recipe="clrs"),
        Run("bfs", hints="encoded_decoded"), Run("bfs", bfloat16=True), Run("bfs", samples=7),
    ]  # fmt: skip
    assert len({run_name(run) for run in runs}) == len(runs)
    assert len({default_folder(run) for run in runs}) == len(runs)


def test_a_folder_of_the_first_form_is_found(tmp_path):
    assert folder_in(tmp_path, SMALL) == tmp_path / run_name(SMALL)
    (tmp_path / first_name(SMALL)).mkdir()
    assert folder_in(tmp_path, SMALL) == tmp_path / first_name(SMALL)
    (tmp_path / run_name(SMALL)).mkdir()
    assert folder_in(tmp_path, SMALL) == tmp_path / run_name(SMALL)
    averaged = replace(SMALL, recipe=replace(recipes.get("paper"), averaging=0.5))
    assert folder_in(tmp_path, averaged) == tmp_path / run_name(averaged)


def test_folders_of_the_first_form_are_converted_by_one_command(tmp_path, capsys):
    runs = tmp_path / "paper" / "runs"
    shutil.copytree(OLD, runs / first_name(SMALL))
    shutil.copytree(OLD, runs / "a_name_of_my_own")
    main(["runs", str(tmp_path), "--convert"])
    said = capsys.readouterr().out
    assert f"{runs / first_name(SMALL)} -> {run_name(SMALL)}" in said
    assert sorted(path.name for path in runs.iterdir()) == ["a_name_of_my_own", run_name(SMALL)]
    assert Folder(runs / run_name(SMALL)).result() == Folder(OLD).result()
    main(["runs", str(tmp_path), "--convert"])
    assert "->" not in capsys.readouterr().out
