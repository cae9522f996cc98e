"""Compiled once, then cached; and a wait of more than a second is explained."""

import os
import subprocess
import sys
import time

from narlab.common import compiling

CODE = "from narlab import algorithms; algorithms.get('heapsort').compile()"


def run(cache):
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache)}  # numba's own setting, to begin with an empty cache
    return subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, check=True, env=environment)


def test_the_first_call_says_that_it_compiles_and_later_ones_are_silent(tmp_path):
    first, second = run(tmp_path), run(tmp_path)
    assert first.stderr == "narlab: compiling heapsort (once on this machine) ...\n"
    assert second.stderr == ""
    assert list(tmp_path.rglob("heapsort.run-*.nbi"))


def test_only_a_long_wait_is_announced(capsys, monkeypatch):
    monkeypatch.setattr(compiling, "PATIENCE", 0.05)
    with compiling.announced("quick"):
        pass
    time.sleep(0.1)
    assert capsys.readouterr().err == ""
    with compiling.announced("slow"):
        time.sleep(0.3)
    assert capsys.readouterr().err == "narlab: compiling slow (once on this machine) ...\n"


def test_a_changed_shared_file_makes_the_cache_stale(tmp_path):
    layer = tmp_path / "algorithms"
    (layer / "parts").mkdir(parents=True)
    (layer / "parts" / "order.py").write_text("one")
    before = compiling._shared_sources.__wrapped__(layer)
    (layer / "parts" / "order.py").write_text("two")
    assert compiling._shared_sources.__wrapped__(layer) != before


def test_a_cache_that_cannot_be_read_is_made_anew(tmp_path):
    run(tmp_path)
    (index,) = tmp_path.rglob("heapsort.run-*.nbi")
    whole = index.read_bytes()
    index.write_bytes(whole[: len(whole) // 2])
    assert run(tmp_path).stderr.startswith("narlab: compiling heapsort")
    assert run(tmp_path).stderr == ""


def test_a_function_for_several_types_is_compiled_for_each(tmp_path):
    code = """
from narlab.common.compiling import compiled

@compiled
def double(x):
    return x + x

assert (double(1), double(1.5), double(1j)) == (2, 3.0, 2j)
"""
    (tmp_path / "doubling.py").write_text(code)
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    subprocess.run([sys.executable, str(tmp_path / "doubling.py")], check=True, env=environment)
    assert len(list((tmp_path / "cache").rglob("*.nbc"))) == 3
