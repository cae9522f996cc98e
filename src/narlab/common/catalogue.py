"""A catalogue of one kind of things: processors, graph families, metrics, descriptions, ...

A thing comes in by one of four doors, and none of them is ours alone:

1. a file in the kind's own folder: `models/processors/mpnn_g.py` is `mpnn_g` (a leading underscore: not a thing);
2. an entry point of an installed package: `[project.entry-points."narlab.processors"]`, `mine = "my_package:Mine"`;
3. the text `package.module:Name`, wherever a name goes: `--processor my_package.mine:Mine`;
4. the object itself, in Python: `narlab.models.build("bfs", processor=Mine)`.

Where a thing has options, they follow its name: `ws:k=4,p=0.1`, `package.module:Name:k=4`.
"""

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib import import_module, metadata
from importlib.util import find_spec
from pathlib import Path
from traceback import walk_tb
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from narlab.common.errors import UsageError, unknown

KINDS = {int: "an integer", float: "a number", bool: "true or false", str: "a text", NoneType: "none"}
SWITCHES = {"true": True, "false": False}
BETWEEN = "+"  # the parts of a list; a comma stands between options


@dataclass(frozen=True)
class Origin:
    """The package and version that a thing from outside came from; a module of no package has no version."""

    package: str
    version: str | None

    def __str__(self) -> str:
        return self.package if self.version is None else f"{self.package} {self.version}"


@dataclass(frozen=True)
class Catalogue:
    """The things of one kind.

    `kind` is its word in messages, `folder` the package whose files are things, `attribute` what a file calls its thing
    (`None`: the module is the thing), `group` the entry points of other packages. `accepts` says whether an object can
    be such a thing, `wanted` in words what it must be. `separator` stands in public names where files have `_`.
    """

    kind: str
    folder: str
    attribute: str | None
    group: str
    accepts: Callable[[Any], bool]
    wanted: str
    separator: str = "_"

    def names(self) -> tuple[str, ...]:
        """All names, in alphabetical order: our own and those of installed packages."""
        return self._names

    @cached_property
    def _names(self) -> tuple[str, ...]:
        return tuple(sorted({*self.own_names, *self._entry_points}))

    @cached_property
    def own_names(self) -> tuple[str, ...]:
        """The names of the files in the kind's own folder."""
        paths = getattr(import_module(self.folder), "__path__")  # noqa: B009 (a module's type has none)
        stems = (file.stem for path in paths for file in Path(path).glob("*.py"))
        return tuple(sorted(stem.replace("_", self.separator) for stem in stems if not stem.startswith("_")))

    @cached_property
    def _entry_points(self) -> dict[str, metadata.EntryPoint]:
        found = metadata.entry_points(group=self.group)
        return {point.name: point for point in found if point.name not in self.own_names}

    def get(self, thing: Any) -> Any:
        """The thing that a name, a text `package.module:Name` or an object stands for."""
        if not isinstance(thing, str):
            return self._checked(thing, repr(thing))
        if thing in self.own_names:
            module = self._own_module(thing)
            return module if self.attribute is None else getattr(module, self.attribute)
        if thing in self._entry_points:
            return self._load(self._entry_points[thing])
        if is_import_text(thing):
            return self._checked(_imported(self.kind, thing), repr(thing))
        if self.spelled(thing) != thing:
            return self.get(self.spelled(thing))
        raise unknown(self.kind, thing, self.names())

    def _own_module(self, name: str) -> Any:
        path = f"{self.folder}.{name.replace(self.separator, '_')}"
        return sys.modules.get(path) or import_module(path)

    def spelled(self, text: str) -> str:
        """A name as it is written here, whatever its capitals: `Bfs` is `bfs`; any other text stays as it is."""
        names = self.names()
        return text if text in names else {name.lower(): name for name in names}.get(text.lower(), text)

    def _load(self, point: metadata.EntryPoint) -> Any:
        try:
            found = point.load()
        except (Exception, SystemExit) as error:
            package = point.dist.name if point.dist is not None else point.module
            said = f"{self.kind} {point.name!r} of the package {package!r} can't be loaded: {_told(error)}"
            raise UsageError(said) from error
        return self._checked(found, repr(point.name))

    def _checked(self, found: Any, said: str) -> Any:
        if not self.accepts(found):
            raise UsageError(f"{said} is no {self.kind}: it must be {self.wanted}")
        return found

    def name_of(self, thing: Any) -> str:
        """The text that `get` takes for a thing: its name, or `package.module:Name`."""
        if isinstance(thing, str):
            return self.spelled(thing)
        self._checked(thing, repr(thing))
        for name, module in self._loaded().items():
            if module is thing or (self.attribute is not None and getattr(module, self.attribute, None) is thing):
                return name
        for name, point in self._entry_points.items():
            if point.module in sys.modules and self._load(point) is thing:
                return name
        return _import_text(self.kind, thing)

    def _loaded(self) -> dict[str, Any]:
        """Our own modules that are imported already: a thing that exists comes from one of them, if it is ours."""
        paths = {name: f"{self.folder}.{name.replace(self.separator, '_')}" for name in self.own_names}
        return {name: sys.modules[path] for name, path in paths.items() if path in sys.modules}

    def origin(self, name: str) -> Origin | None:
        """Where the thing called `name` comes from; `None` if it is our own."""
        if name in self.own_names:
            return None
        point = self._entry_points.get(name)
        if point is not None and point.dist is not None:
            return Origin(point.dist.name, point.dist.version)
        return _origin_of_module(name.partition(":")[0] if point is None else point.module)


def is_import_text(text: str) -> bool:
    """Whether a text has the form `package.module:Name`, of a module that is installed or of a package's path."""
    module, colon, name = text.partition(":")
    dotted = all(part.isidentifier() for part in module.split("."))
    return bool(colon) and dotted and name.isidentifier() and ("." in module or _is_installed(module))


def _is_installed(module: str) -> bool:
    try:
        return module in sys.modules or find_spec(module) is not None
    except (ImportError, ValueError):
        return False


def _imported(kind: str, text: str) -> Any:
    """What a text names; it may come from a stranger's file, so nothing of the standard library is imported for it."""
    module, _, name = text.partition(":")
    if module.partition(".")[0] in sys.stdlib_module_names - {"__main__"}:
        raise UsageError(f"{text!r} is no {kind}: {module!r} is a module of Python's standard library")
    try:
        loaded = import_module(module)
    except ImportError as error:
        remedy = "is the package that brings it installed?"
        raise UsageError(f"{kind} {text!r} can't be loaded: {error}; {remedy}") from error
    except (Exception, SystemExit) as error:
        raise UsageError(f"{kind} {text!r} can't be loaded: {_told(error)}") from error
    try:
        return getattr(loaded, name)
    except AttributeError:
        raise UsageError(f"{kind} {text!r} can't be loaded: the module {module!r} has no {name!r}") from None


def _told(error: BaseException) -> str:
    """An error in one line, with the place of foreign code where it came about."""
    if isinstance(error, ImportError | AttributeError | SyntaxError):
        return str(error)
    *_, (frame, line) = walk_tb(error.__traceback__)
    return f"{type(error).__name__}: {error}, in {frame.f_code.co_filename!r}, line {line}"


def _import_text(kind: str, thing: Any) -> str:
    """Where a class or an object of some module can be imported from."""
    module, name = getattr(thing, "__module__", None), getattr(thing, "__qualname__", None)
    if isinstance(thing, type) and getattr(sys.modules.get(str(module)), str(name), None) is thing:
        return f"{module}:{name}"
    for path, loaded in list(sys.modules.items()):
        for attribute, value in list(getattr(loaded, "__dict__", {}).items()):
            if value is thing and attribute.isidentifier():
                return f"{path}:{attribute}"
    raise UsageError(f"this {kind} has no name to write down: make it a global of a module; got {thing!r}")


def _origin_of_module(module: str) -> Origin:
    top = module.partition(".")[0]
    for package in _packages_by_module(tuple(sys.path)).get(top, ()):
        return Origin(package, metadata.version(package))
    return Origin(top, None)


@lru_cache(maxsize=1)  # reads the files of every package that is installed
def _packages_by_module(path: tuple[str, ...]) -> Mapping[str, list[str]]:
    return metadata.packages_distributions()


def split_options(text: str) -> tuple[str, list[str]]:
    """The name of a thing, which may be `package.module:Name`, and its options.

    >>> split_options("ws:k=4,p=0.1"), split_options("tree")
    (('ws', ['k=4', 'p=0.1']), ('tree', []))
    """
    name, colon, rest = text.strip().partition(":")
    second, more, options = rest.partition(":")
    if is_import_text(f"{name}:{second}"):
        return f"{name}:{second}", options.split(",") if more else []
    return name, rest.split(",") if colon else []


def split_list(kind: str, text: str, *, example: str) -> list[str]:
    """The things of a list with commas, each with its options: a piece such as `p=0.1` belongs to the one before it.

    >>> split_list("family", "er,ws:k=4,p=0.1,tree", example="er")
    ['er', 'ws:k=4,p=0.1', 'tree']
    """
    things: list[str] = []
    for piece in map(str.strip, text.split(",")):
        if "=" not in piece or ":" in piece:
            things.append(piece)
        elif things and ":" in things[-1]:
            things[-1] += f",{piece}"
        else:
            right = f"{things[-1] if things else example}:{piece}"
            raise UsageError(f"option {piece!r} stands behind no {kind} and colon; write it as {right!r}")
    return things


def read_options(kind: str, name: str, pieces: Sequence[str], *, of: type, known: Iterable[str]) -> dict[str, Any]:
    """The values of the options `key=value` of the thing called `name`, in the types of the dataclass `of`.

    >>> from narlab.data.graphs.regular import Family
    >>> read_options("graph family", "regular", ["k=4"], of=Family, known=["k"])
    {'k': 4}
    """
    values: dict[str, Any] = {}
    if not pieces:
        return values
    thing, types, known = f"{kind} {name!r}", get_type_hints(of), list(known)
    for piece in pieces:
        key, equals, value = (part.strip() for part in piece.partition("="))
        if not equals:
            raise UsageError(f"options of {thing} are written key=value, got {piece!r}")
        if key not in known:
            raise unknown(f"option of {name}", key, known)
        if key in values:
            raise UsageError(f"option {key!r} of {thing} is given twice; give it once")
        try:
            values[key] = _value(types[key], value)
        except (ValueError, KeyError):
            raise UsageError(f"option {key!r} of {thing} must be {_words(types[key])}, got {value!r}") from None
    return values


def write_option(value: Any) -> str:
    """The text that `read_options` takes for a value."""
    if isinstance(value, tuple | list):
        return BETWEEN.join(map(write_option, value))
    if value is None or isinstance(value, bool):
        return str(value).lower()
    return value if isinstance(value, str) else repr(value)


def _value(kind: Any, text: str) -> Any:
    if get_origin(kind) in (Union, UnionType):
        return _first_that_fits(get_args(kind), text)
    if get_origin(kind) is tuple:
        return tuple(_value(get_args(kind)[0], part) for part in text.split(BETWEEN) if part)
    if kind is NoneType:
        return {"none": None}[text]
    return SWITCHES[text] if kind is bool else kind(text)


def _first_that_fits(kinds: Sequence[Any], text: str) -> Any:
    """The kinds are tried in their order, but a text, which everything is, last, and nothing at all first."""
    order = sorted(kinds, key=lambda kind: (kind is str) - (kind is NoneType))
    for kind in order[:-1]:
        try:
            return _value(kind, text)
        except (ValueError, KeyError):
            continue
    return _value(order[-1], text)


def _words(kind: Any) -> str:
    if get_origin(kind) in (Union, UnionType):
        return " or ".join(map(_words, get_args(kind)))
    if get_origin(kind) is tuple:
        return f"a list with {BETWEEN} between, each {_words(get_args(kind)[0])}"
    return KINDS[kind]
