"""What every layer uses: the catalogue, errors, atomic files, compilation, words for people."""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def lazily(package: str, homes: Mapping[str, str]) -> Callable[[str], Any]:
    """The `__getattr__` of a package whose names are loaded from their homes, `module` or `module:name`, when used."""

    def load(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module, _, attribute = homes[name].partition(":")
        found = import_module(module)
        return getattr(found, attribute) if attribute else found

    return load
