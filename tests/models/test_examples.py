"""The examples in the docstrings of models run, and every public part has one."""

import doctest
from importlib import import_module
from pkgutil import walk_packages

import pytest

from narlab import models
from narlab.models import positions, processors, quantisers, readouts

MODULES = [
    module.name
    for module in walk_packages(models.__path__, "narlab.models.")
    if ">>>" in (import_module(module.name).__loader__.get_source(module.name) or "")
]
THINGS = [
    catalogue.get(name) for catalogue in (processors, positions, quantisers, readouts) for name in catalogue.names()
]


@pytest.mark.parametrize("module", ["narlab.models", *MODULES])
def test_examples_run(module):
    done = doctest.testmod(import_module(module), optionflags=doctest.ELLIPSIS)
    assert done.attempted > 0
    assert done.failed == 0


@pytest.mark.parametrize("thing", THINGS, ids=lambda thing: thing.__module__.removeprefix("narlab.models."))
def test_every_part_has_a_formula_a_paper_and_an_example(thing):
    text = thing.__doc__
    assert "https://arxiv.org/abs/" in text
    assert ">>>" in text
    assert "=" in text.split(">>>")[0] or "formula" in text
