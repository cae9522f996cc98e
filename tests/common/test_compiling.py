"""Compiled once, then cached; and a wait of more than a second is explained."""

import gc
import os
import subprocess
import sys
import time

import numpy as np
import pytest
from numba import njit
from numba.np import arrayobj

from narlab.common import compiling
from narlab.kernels import numerics

CODE = """
from narlab import algorithms
from narlab.common import compiling

compiling.PATIENCE = 0.1  # seconds; this one takes about one
algorithms.get("minimum").compile()
"""
SAID = "narlab: compiling minimum (once on this machine) ...\n"


def start(cache):
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(cache)}  # numba's own setting, to begin with an empty cache
    return subprocess.Popen([sys.executable, "-c", CODE], stderr=subprocess.PIPE, text=True, env=environment)


def said(process):
    _, err = process.communicate()
    assert process.returncode == 0, err
    return err


@pytest.mark.slow
def test_the_first_process_says_that_it_compiles_and_others_are_silent(tmp_path):
    together = [start(tmp_path), start(tmp_path)]
    assert sorted(map(said, together)) == ["", SAID]  # one waited for the other
    assert said(start(tmp_path)) == ""
    (index,) = tmp_path.rglob("minimum.run-*.nbi")
    whole = index.read_bytes()
    index.write_bytes(whole[: len(whole) // 2])
    assert said(start(tmp_path)) == SAID  # a cache that can't be read is made anew
    assert said(start(tmp_path)) == ""


def test_only_a_long_wait_is_announced(capsys, monkeypatch):
    monkeypatch.setattr(compiling, "PATIENCE", 0.05)
    compiling._announcement("quick").cancel()
    time.sleep(0.1)
    assert capsys.readouterr().err == ""
    compiling._announcement("slow").join()
    assert capsys.readouterr().err == "narlab: compiling slow (once on this machine) ...\n"


def test_a_changed_shared_file_makes_the_cache_stale(tmp_path):
    layer = tmp_path / "algorithms"
    (layer / "parts").mkdir(parents=True)
    (layer / "parts" / "order.py").write_text("one")
    before = compiling._shared_sources.__wrapped__(layer)
    (layer / "parts" / "order.py").write_text("two")
    assert compiling._shared_sources.__wrapped__(layer) != before


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


def test_a_process_that_compiles_gives_the_same_bits_as_one_that_finds_it_compiled(tmp_path):
    """Steps that are shared by kernels were optimised alone and in their callers, and rounded differently."""
    code = """
import numpy as np
from narlab.common.compiling import compiled
from narlab.kernels.numerics import normalise

@compiled
def normalised(x, scale, offset):
    out = np.empty_like(x)
    for _ in range(3):
        normalise(x, scale, offset, out)
    return out

random = np.random.default_rng(0)
x, scale, offset = (random.standard_normal(shape, np.float32) for shape in ((500, 8), 8, 8))
print(normalised(x, scale, offset).tobytes().hex())
"""
    (tmp_path / "normalising.py").write_text(code)
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    compiles, finds = (
        subprocess.run(
            [sys.executable, str(tmp_path / "normalising.py")], check=True, env=environment, stdout=-1
        ).stdout
        for _ in range(2)
    )
    assert compiles == finds


def test_a_row_that_does_not_fit_is_an_error_and_numba_is_left_as_it_was():
    @compiling.compiled
    def assign(rows, row):
        rows[0] = row
        return rows

    before = arrayobj.raise_with_shape_context, gc.isenabled()
    assert assign(np.zeros((2, 3)), np.ones(3)).tolist() == [[1, 1, 1], [0, 0, 0]]
    with pytest.raises(ValueError, match="can't be assigned to one of another shape"):
        assign(np.zeros((2, 3)), np.ones(2))
    assert (arrayobj.raise_with_shape_context, gc.isenabled()) == before


def test_another_process_is_waited_for_and_may_fail(tmp_path):
    with compiling.elsewhere("import sys, time; time.sleep(0.1); open(sys.argv[1], 'w').close()", f"{tmp_path / 'a'}"):
        assert not (tmp_path / "a").exists()
    assert (tmp_path / "a").exists()
    with compiling.elsewhere("raise SystemExit(3)"):
        pass
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt), compiling.elsewhere("import time; time.sleep(60)"):
        raise KeyboardInterrupt
    assert time.monotonic() - began < 30


def test_what_only_compiled_code_calls_is_an_error_from_python():
    with pytest.raises(TypeError):
        numerics.exponential(np.float32(1))


def test_nobody_waits_for_ever_for_a_process_that_was_stopped(tmp_path):
    with (tmp_path / "a.lock").open("w") as held, (tmp_path / "a.lock").open("w") as ours:
        compiling._lock(held, 0)
        before = time.monotonic()
        compiling._lock(ours, before + 0.2)
        assert 0.2 <= time.monotonic() - before < 5


def test_a_part_of_an_algorithm_is_compiled_once_for_all_constants():
    @compiling.jitted
    def product(row, factors):
        return (row + 1) * factors[0]

    @njit
    def products(row):
        return product(row, (2, 3)), product(0, (row, 3)), product(7, (row, row))

    assert products(4) == (10, 4, 32)
    assert len(product.overloads) == 1
