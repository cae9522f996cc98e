"""The code on the page docs/interop.md runs as it stands, in an empty folder."""

import re
from importlib.util import find_spec
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "interop.md"
BLOCK = re.compile(r"(?:<!-- (?P<notes>[^\n]*) -->\n)?```python\n(?P<code>.*?)```", re.DOTALL)


def blocks():
    """Each block of the page with what it needs, marked if it takes minutes or is for dm-clrs."""
    for number, found in enumerate(BLOCK.finditer(PAGE.read_text("utf-8"))):
        notes = found["notes"] or ""
        needs = notes.partition("needs ")[2].split()
        marks = [pytest.mark.slow] if notes.startswith("slow") else [pytest.mark.oracle] if "clrs" in needs else []
        yield pytest.param(found["code"], needs, id=str(number), marks=marks)


@pytest.mark.filterwarnings("ignore")  # other people's libraries warn
@pytest.mark.parametrize(("code", "needs"), list(blocks()))
def test_a_block(code, needs, tmp_path, monkeypatch):
    for package in needs:
        if find_spec(package) is None:
            pytest.skip(f"{package} is not installed")
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "docs/interop.md", "exec"), {"__name__": "page"})


def test_the_page_has_blocks_for_all_ways_out():
    needed = {package for block in blocks() for package in block.values[1]}
    assert needed == {"onnxruntime", "onnxscript", "pyarrow", "datasets", "torch_geometric", "clrs"}
