"""The examples in the docstrings of training, and of options as text, run."""

import doctest
from importlib import import_module
from pkgutil import walk_packages

import pytest

from narlab import training

MODULES = ["narlab.common.catalogue", *(module.name for module in walk_packages(training.__path__, "narlab.training."))]
WITH_EXAMPLES = [name for name in MODULES if ">>>" in (import_module(name).__loader__.get_source(name) or "")]


@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_examples_run(name):
    done = doctest.testmod(import_module(name))
    assert done.attempted > 0
    assert done.failed == 0
