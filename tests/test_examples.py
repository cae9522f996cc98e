"""The examples in docstrings do what they say."""

import doctest
from importlib import import_module
from pathlib import Path

import pytest

import narlab

ROOT = Path(narlab.__file__).parent


def modules_with_examples():
    """The names of all modules with a prompt in them."""
    files = [file for file in ROOT.rglob("*.py") if ">>> " in file.read_text("utf-8")]
    names = (".".join(file.relative_to(ROOT.parent).with_suffix("").parts) for file in files)
    return sorted(name.removesuffix(".__init__") for name in names)


@pytest.mark.parametrize("module", modules_with_examples())
def test_examples(module, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # an example may write files
    found = doctest.testmod(import_module(module), extraglobs={"narlab": narlab}, optionflags=doctest.ELLIPSIS)
    assert found.attempted > 0
    assert found.failed == 0
