"""The private parts of tyro that one-line messages are made with: a version without them is noticed here."""

import errno
import importlib.metadata
import os
import subprocess
import sys

import pytest
from tyro import _errors

from narlab.cli import main


def test_tyro_has_the_errors_that_we_read():
    assert importlib.metadata.version("tyro").startswith("1.0.")
    for name in ("BadValue", "InstantiationFailure", "InvalidChoice", "MissingArgs", "UnrecognizedArgs"):
        assert isinstance(getattr(_errors, name), type)
    assert callable(_errors.on_parse_error)


def test_a_mistake_of_ours_shows_where_it_is(monkeypatch):
    """An error that is no user's mistake, such as NumPy's or a plugin's, is not shown as one."""

    def broken():
        raise ValueError("operands could not be broadcast together")

    monkeypatch.setattr("narlab.algorithms.names", broken)
    with pytest.raises(ValueError, match="broadcast"):
        main(["algorithms"])


def test_little_is_loaded_before_ctrl_c_is_listened_to():
    code = "import re, sys; before = {*sys.modules}; import narlab.__main__; print(*sorted({*sys.modules} - before))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) <= {"gc", "narlab", "narlab.__main__", "signal"}


LOADED_BADLY = """
import builtins, os, signal, sys, time
import narlab.__main__ as first

def load(name, *arguments):
    if name == "narlab.cli":
        os.kill(os.getpid(), signal.SIGINT)
        try:
            time.sleep(20)
        except KeyboardInterrupt:
            raise ImportError("a library that makes another error of it") from None
    return real(name, *arguments)

real, builtins.__import__ = builtins.__import__, load
signal.signal(signal.SIGINT, {handler})
sys.argv = ["narlab", "--version"]
first.main()
"""


def test_ctrl_c_while_libraries_load_is_one_line():
    code = LOADED_BADLY.format(handler="signal.default_int_handler")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "narlab: interrupted\n")


@pytest.mark.parametrize("comes", [True, False])
def test_ctrl_c_of_which_a_library_makes_another_error_is_one_line(comes):
    code = (
        "import os, signal, sys, narlab.__main__ as first, narlab.cli as cli\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "def load():\n"
        "    try:\n"
        f"        if {comes}: os.kill(os.getpid(), signal.SIGINT)\n"
        "    except KeyboardInterrupt: pass\n"
        "    raise AttributeError('half loaded')\n"
        "cli.main = load\n"
        "first.main()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    if comes:
        assert (done.returncode, done.stderr) == (130, "narlab: interrupted\n")
    else:
        assert "AttributeError: half loaded" in done.stderr


STORMED = """
import os, signal, sys, threading
import narlab.__main__ as first

def storm():
    threading.main_thread().join()  # it waits for this thread: Python ends
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        os.kill(os.getpid(), number)

signal.signal(signal.SIGINT, signal.default_int_handler)
sys.argv = ["narlab", "--version"]
threading.Thread(target=storm).start()
first.main()
"""


def test_signals_while_python_ends_show_nothing():
    done = subprocess.run([sys.executable, "-c", STORMED], capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (130, "")
    assert done.stdout.startswith("narlab ")


@pytest.mark.parametrize(
    ("error", "code", "told"), [("KeyboardInterrupt", 130, "narlab: interrupted\n"), ("ValueError", 0, "Traceback")]
)
def test_ctrl_c_where_nothing_can_be_raised_ends_the_command(error, code, told):
    program = (
        "import sys, narlab.__main__ as first, narlab.cli as cli\n"
        "class Broken:\n"
        f"    def __del__(self): raise {error}\n"
        "cli.main = Broken\n"
        "first.main()"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == code
    assert told in done.stderr


LOADS_LATER = """
import signal, narlab.__main__ as first, narlab.cli as cli

def load():
    try:
        import loaded
    except BaseException:
        pass  # as a library does that tries whether another one is there

signal.signal(signal.SIGINT, signal.default_int_handler)
cli.main = load
first.main()
"""


def test_ctrl_c_while_a_command_loads_a_library_is_not_swallowed(tmp_path):
    (tmp_path / "loaded.py").write_text("import os, signal, time; os.kill(os.getpid(), signal.SIGINT); time.sleep(20)")
    settings = {**os.environ, "PYTHONPATH": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", LOADS_LATER], capture_output=True, text=True, check=False, env=settings
    )
    assert (done.returncode, done.stderr) == (130, "narlab: interrupted\n")


def test_ctrl_c_that_is_ignored_stays_ignored():
    code = LOADED_BADLY.format(handler="signal.SIG_IGN").replace("sleep(20)", "sleep(0)")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("narlab ")


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), "cannot write to standard output: No space left on device"),
        (OSError(errno.EACCES, "Permission denied", "x\x1b[31m"), r"'x\x1b[31m': Permission denied"),
        (MemoryError("Unable to allocate 9 TiB"), "there is not enough memory for this: Unable to allocate 9 TiB"),
        (RuntimeError("DefaultCPUAllocator: can't allocate memory: 9 bytes"), "there is not enough memory for this"),
    ],
)
def test_what_the_machine_refuses_is_one_line(monkeypatch, capsys, error, said):
    def refuse():
        raise error

    monkeypatch.setattr("narlab.algorithms.names", refuse)
    monkeypatch.setattr("narlab.cli._drop_output", lambda: None)
    with pytest.raises(SystemExit) as end:
        main(["algorithms"])
    (line,) = capsys.readouterr().err.splitlines()
    assert end.value.code == 2
    assert said in line


def test_a_closed_output_is_one_line(monkeypatch, capsys):
    monkeypatch.setattr("sys.stdout", None)
    with pytest.raises(SystemExit) as end:
        main(["--version"])
    assert end.value.code == 2
    assert "standard output is closed" in capsys.readouterr().err
