"""The four doors by which a thing comes in."""

import sys
from dataclasses import dataclass
from importlib import metadata
from types import ModuleType

import pytest

from narlab import algorithms, data
from narlab.common.catalogue import Catalogue, Origin
from narlab.common.errors import UsageError
from narlab.data import datasets, graphs


@dataclass(frozen=True)
class Star:
    """Node 0 knows everybody."""

    arms: int = 3

    def __call__(self, draws, n, count, *, directed, acyclic):
        raise NotImplementedError


def package(monkeypatch, name, **things):
    """A module that can be imported under `name`."""
    module = ModuleType(name)
    for attribute, thing in things.items():
        setattr(module, attribute, thing)
    monkeypatch.setitem(sys.modules, name, module)
    return module


@pytest.fixture
def catalogue():
    """A fresh one: entry points are looked up once per catalogue."""
    return Catalogue(**{name: getattr(graphs.CATALOGUE, name) for name in graphs.CATALOGUE.__dataclass_fields__})


@pytest.fixture
def installed(monkeypatch, tmp_path):
    """An installed package `stars` 1.5 with an entry point `star`."""
    (tmp_path / "stars.py").write_text(
        "from dataclasses import dataclass\n\n\n@dataclass(frozen=True)\nclass Star:\n    arms: int = 3\n\n"
        "    def __call__(self, draws, n, count, *, directed, acyclic): ...\n"
    )
    info = tmp_path / "stars-1.5.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: stars\nVersion: 1.5\n")
    (info / "entry_points.txt").write_text(
        "[narlab.graphs]\nstar = stars:Star\nbroken = stars:Missing\nfails = fails:Star\n"
    )
    (info / "top_level.txt").write_text("stars\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    yield
    sys.modules.pop("stars", None)


def test_a_file_of_the_folder_is_a_thing(catalogue):
    assert "regular" in catalogue.names()
    assert not any(name.startswith("_") for name in catalogue.names())
    assert catalogue.get("regular")(k=4).k == 4
    assert catalogue.origin("regular") is None


def test_an_entry_point_of_an_installed_package_is_a_thing(installed, catalogue):
    assert "star" in catalogue.names()
    found = catalogue.get("star")
    assert found.__name__ == "Star"
    assert catalogue.name_of(found) == "star"
    assert catalogue.origin("star") == Origin("stars", "1.5")
    assert str(catalogue.origin("star")) == "stars 1.5"


def test_an_entry_point_that_can_not_be_loaded_is_named(installed, catalogue):
    with pytest.raises(ValueError, match="graph family 'broken' of the package 'stars' can't be loaded"):
        catalogue.get("broken")


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("\n1 / 0", r"ZeroDivisionError: division by zero, in '.*fails.py', line 2"),
        ("raise SystemExit(3)", "SystemExit: 3, in"),
        ("x = (", "was never closed"),
        ("import nowhere_at_all", "No module named 'nowhere_at_all'"),
    ],
)
@pytest.mark.parametrize("name", ["fails", "fails:Star"])
def test_foreign_code_that_fails_is_named_with_its_place(installed, catalogue, tmp_path, name, code, said):
    (tmp_path / "fails.py").write_text(code)
    with pytest.raises(UsageError, match=f"graph family '{name}'.* can't be loaded: .*{said}"):
        catalogue.get(name)


def test_an_entry_point_never_replaces_one_of_our_own(monkeypatch, catalogue):
    ours = metadata.EntryPoint("regular", "elsewhere:Family", "narlab.graphs")
    monkeypatch.setattr(metadata, "entry_points", lambda group: metadata.EntryPoints([ours]))
    assert catalogue.get("regular").__module__ == "narlab.data.graphs.regular"


def test_a_text_names_a_thing_of_any_module(monkeypatch, catalogue):
    package(monkeypatch, "my_package.stars", Star=Star)
    package(monkeypatch, "my_package")
    assert catalogue.get("my_package.stars:Star") is Star
    assert catalogue.origin("my_package.stars:Star") == Origin("my_package", None)


def test_an_object_passes_through_and_has_a_name(catalogue):
    assert catalogue.get(Star) is Star
    assert catalogue.get(catalogue.name_of(Star)) is Star
    assert catalogue.name_of(Star) == f"{__name__}:Star"
    assert catalogue.name_of(catalogue.get("tree")) == "tree"


def test_an_object_that_is_no_class_is_found_in_the_module_that_holds_it(monkeypatch):
    mine = algorithms.get("bfs")
    assert algorithms.CATALOGUE.name_of(mine) == "bfs"
    from dataclasses import replace

    other = replace(mine, name="other")
    package(monkeypatch, "my_algorithms", OTHER=other)
    assert algorithms.CATALOGUE.name_of(other) == "my_algorithms:OTHER"
    assert data.custom(other, n=4, count=2).algorithm == "my_algorithms:OTHER"


def test_what_has_no_name_to_write_down_is_refused(catalogue):
    hidden = dataclass(frozen=True)(type("Hidden", (), {"__call__": lambda self: None}))
    with pytest.raises(ValueError, match="this graph family has no name to write down"):
        catalogue.name_of(hidden)


def test_an_unknown_name_has_its_nearest(catalogue):
    with pytest.raises(ValueError, match=r"unknown graph family 'regulr'; did you mean 'regular'\? Known: ba, "):
        catalogue.get("regulr")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("no_such_package.stars:Star", "can't be loaded: No module named 'no_such_package'; is the package"),
        ("narlab.data:Star", "the module 'narlab.data' has no 'Star'"),
        ("narlab.data:load", "'narlab.data:load' is no graph family: it must be a frozen dataclass"),
        ("os.path:join", "'os.path' is a module of Python's standard library"),
        ("antigravity:fly", "'antigravity' is a module of Python's standard library"),
    ],
)
def test_a_text_that_names_no_such_thing_is_refused(catalogue, text, message):
    with pytest.raises(ValueError, match=message.replace("(", r"\(")):
        catalogue.get(text)
    assert "antigravity" not in sys.modules


def test_a_family_from_outside_has_options_behind_a_second_colon(monkeypatch):
    package(monkeypatch, "my_stars", Star=Star)
    assert graphs.parse("my_stars:Star") == Star()
    assert graphs.parse("my_stars:Star:arms=5") == Star(arms=5)
    assert graphs.parse(Star(arms=5)) == Star(arms=5)
    assert graphs.parse(graphs.describe(Star(arms=5))) == Star(arms=5)
    with pytest.raises(ValueError, match="unknown option of my_stars:Star 'legs'"):
        graphs.parse("my_stars:Star:legs=5")


def test_a_data_set_from_outside_is_any_object_with_what_it_takes(monkeypatch):
    ours = datasets.get("l_clrs")
    package(monkeypatch, "my_sets", SPLITS=("test",), ALGORITHMS=("bfs",), describe=lambda a, s: ours.describe(a, s))
    small = sys.modules["my_sets"]
    package(monkeypatch, "my_package", small=small)
    loaded = data.load("my_package:small", "bfs", "test")
    assert loaded.description.dataset == "my_package:small"
    assert len(loaded.outputs["pi"]) == 32
    with pytest.raises(ValueError, match="data set 'my_package:small' does not cover 'dfs'; it covers: bfs"):
        data.load("my_package:small", "dfs", "test")
