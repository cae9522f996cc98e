"""A folder says what it was trained with, and what it needs."""

import json
import platform
import sys
from dataclasses import replace

import numba
import numpy
import pytest
import torch

import narlab
from narlab.training import load, recipes, train
from narlab.training.environment import Machine, from_outside
from narlab.training.folder import Folder
from narlab.training.reporting import PlainLines

MINE = replace(recipes.get("paper"), warm_up=3)


class Quiet(PlainLines):
    """Says nothing; may break the run off after a step."""

    def __init__(self, stop_at=None):
        super().__init__(write=lambda text: None)
        self.stop_at = stop_at

    def step(self, step, loss):
        if step == self.stop_at:
            raise OSError("pulled the plug")


def test_every_process_that_trained_is_told_apart(tmp_path, tiny):
    with pytest.raises(OSError, match="pulled the plug"):
        train(tiny, tmp_path / "run", threads=1, reporter=Quiet(stop_at=6))
    train(tiny, tmp_path / "run", threads=2, reporter=Quiet())
    train(tiny, tmp_path / "run", threads=2, reporter=Quiet())  # is done already
    first, second = json.loads((tmp_path / "run" / "environment.json").read_text())
    versions = {name: first[name] for name in ("narlab", "torch", "numba", "numpy", "python")}
    assert versions == {
        "narlab": narlab.__version__,
        "torch": torch.__version__,
        "numba": numba.__version__,
        "numpy": numpy.__version__,
        "python": platform.python_version(),
    }
    assert (first["from_step"], second["from_step"]) == (0, 4)
    assert (first["threads"], second["threads"], first["device"]) == (1, 2, "cpu")
    assert first["cpu"]
    assert first["from_outside"] == []


def test_things_from_outside_are_named_with_their_package(tiny):
    run = replace(tiny, recipe=MINE)
    (thing,) = from_outside(run.resolved())
    assert (thing["setting"], thing["name"]) == ("recipe", f"{__name__}:MINE")
    assert thing["package"] == __name__.partition(".")[0]


@pytest.mark.parametrize(
    ("version", "words"), [("1.2", "the package not_here 1.2, which"), (None, "the package not_here, which")]
)
def test_a_folder_that_needs_what_is_not_installed_says_so_in_a_line(tmp_path, tiny, version, words):
    train(tiny, tmp_path / "run", threads=1, reporter=Quiet())
    file = tmp_path / "run" / "environment.json"
    (session,) = json.loads(file.read_text())
    thing = {"setting": "processor", "name": "mine", "package": "not_here", "version": version}
    file.write_text(json.dumps([session | {"from_outside": [thing]}]))
    with pytest.raises(ValueError, match="needs processor 'mine' of") as error:
        load(tmp_path / "run")
    assert words in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("content", [b"", b"{}", b"[1]", b"\xff"])
def test_no_number_depends_on_it(tmp_path, tiny, content):
    train(tiny, tmp_path / "run", threads=1, reporter=Quiet())
    (tmp_path / "run" / "environment.json").write_bytes(content)
    assert Folder(tmp_path / "run").sessions() == []
    assert load(tmp_path / "run").settings.hidden == 8


def test_this_module_is_loaded_under_the_name_it_writes():
    assert sys.modules[__name__].MINE is MINE


@pytest.mark.parametrize("threads", [None, 1])
def test_numbers_below_the_smallest_normal_one_are_zero_while_a_machine_trains(threads):
    smallest = torch.finfo(torch.float32).tiny
    with Machine.of("cpu", threads).limited():
        assert (torch.full((8,), smallest) * 0.5 == 0).all()
    assert (torch.full((8,), smallest) * 0.5 > 0).all()
