"""The site is built without a warning, fetches nothing, and its reference has every public name."""

import importlib
import re
import subprocess
import sys
import zlib
from pathlib import Path

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("site")]

ROOT = Path(__file__).parents[1]
LOADED = re.compile(r"<(?:script|img|iframe|source)[^>]* src=[\"']?([^\"' >]+)|<link[^>]* href=[\"']?([^\"' >]+)")


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    pytest.importorskip("mkdocs")
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return folder


def test_every_page_is_there(site):
    pages = {page.relative_to(ROOT / "docs").with_suffix(".html") for page in (ROOT / "docs").rglob("*.md")}
    assert pages <= {page.relative_to(site) for page in site.rglob("*.html")}


def test_nothing_is_fetched_from_elsewhere(site):
    loaded = {name for page in site.rglob("*.html") for pair in LOADED.findall(page.read_text()) for name in pair}
    assert any(name.endswith(".css") for name in loaded)
    assert [name for name in loaded if re.match(r"(https?:)?//", name)] == []
    for sheet in site.rglob("*.css"):
        assert not re.search(r"(?:url\(|@import )[\"']?https?:", sheet.read_text()), sheet


def test_the_reference_has_every_public_name(site, monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "docs")
    modules = importlib.import_module("reference_pages").public_modules()
    assert {"narlab", "narlab.data", "narlab.models.processors", "narlab.algorithms.engine"} <= set(modules)
    inventory = (site / "objects.inv").read_bytes().split(b"\n", 4)[4]
    documented = {line.split(" ")[0] for line in zlib.decompress(inventory).decode().splitlines()}
    public = {f"{name}.{each}" for name in modules for each in getattr(importlib.import_module(name), "__all__", ())}
    assert public - documented == set()
