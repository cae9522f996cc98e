"""The `narlab` command.

A file of `commands/` is a command: `bench_data.py` is `narlab bench data`. Its `COMMAND` is a dataclass: the fields are
options, and `run` does the work.
"""

import errno
import os
import signal
import sys
import warnings
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import is_dataclass
from inspect import cleandoc
from types import FrameType
from typing import Any, NoReturn

import tyro
from rich.console import Console
from tyro._errors import ParseErrorEvent, on_parse_error

from narlab import __version__
from narlab.common import printable
from narlab.common.catalogue import Catalogue
from narlab.common.errors import UsageError, unknown


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command that `arguments` (default: the process's) name; exit with 2 on a user's mistake."""
    try:
        _listen()
        _check_output()
        with warnings.catch_warnings():
            warnings.showwarning = _show_warning
            _run(list(sys.argv[1:] if arguments is None else arguments))
            sys.stdout.flush()
    except UsageError as error:
        _end(str(error), 2, style="red")
    except KeyboardInterrupt as stop:
        _end(str(stop) or "interrupted", 130)
    except BrokenPipeError:  # the reader has gone, as with `narlab ... | head`
        _drop_output()
        sys.exit(141)
    except (OSError, MemoryError, RuntimeError) as error:
        _end_known(error)


def _check_output() -> None:
    if sys.stdout is None:
        raise UsageError("standard output is closed; lead it to a file, or to /dev/null")


def _end_known(error: OSError | MemoryError | RuntimeError) -> None:
    """End with one line on what went wrong in a way that we know: files, memory, and errors of ours; others go on."""
    if isinstance(error, OSError):
        if error.filename is not None:
            _end(f"{str(error.filename)!r}: {error.strerror or error}", 2)
        if error.errno in (errno.ENOSPC, errno.EBADF, errno.EIO, errno.EFBIG, errno.EDQUOT):
            _drop_output()
            _end(f"cannot write to standard output: {error.strerror}", 2)
    elif isinstance(error, MemoryError) or "can't allocate memory" in str(error) or "out of memory" in str(error):
        what = str(error).splitlines()[0] if str(error) else "nothing is left"
        _end(f"there is not enough memory for this: {what}; take smaller sizes", 2)
    elif type(error).__module__.startswith("narlab."):
        _end(str(error), 1)
    raise error


def _end(text: str, code: int, style: str | None = None) -> NoReturn:
    """Say one line, in which nothing steers the terminal, and exit."""
    if sys.stderr is not None:
        console = Console(stderr=True, soft_wrap=True, highlight=False)
        with suppress(OSError):
            console.print(f"narlab: {printable(text)}", style=style, markup=False, emoji=False)
    sys.exit(code)


def _drop_output() -> None:
    """What is still to be written goes nowhere, so that the end of the process does not fail at it."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    """A warning in one line, without the place in our code where it was given."""
    print(f"narlab: warning: {printable(str(message))}", file=sys.stderr, flush=True)


def _listen() -> None:
    """Be stopped in order by `kill`, by schedulers and by a terminal that is closed, unless that is ignored (nohup)."""
    signal.signal(signal.SIGTERM, _stop)
    if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:  # Windows has none
        signal.signal(signal.SIGHUP, _stop)


def _stop(number: int, frame: FrameType | None) -> None:
    """Take the signal of `kill` and of schedulers as Ctrl-C, also where that is ignored, as in the background."""
    ctrl_c = signal.getsignal(signal.SIGINT)
    if not callable(ctrl_c):
        raise KeyboardInterrupt
    ctrl_c(number, frame)


def _is_command(thing: Any) -> bool:
    return isinstance(thing, type) and is_dataclass(thing) and callable(getattr(thing, "run", None))


CATALOGUE = Catalogue(
    kind="command",
    folder="narlab.cli.commands",
    attribute="COMMAND",
    group="narlab.commands",
    accepts=_is_command,
    wanted="a dataclass whose fields are the options and whose run does the work",
    separator=" ",
)
command_names, command_class = CATALOGUE.names, CATALOGUE.get


def _run(arguments: list[str]) -> None:
    if len(arguments) > 1 and arguments[0] == "help":
        arguments = [*arguments[1:], "--help"]
    if not arguments or arguments[0] in ("-h", "--help", "help"):
        print(_overview(command_names()))
    elif _is_group(arguments[0]) and arguments[1:] in ([], ["-h"], ["--help"]):
        print(_overview(_group(arguments[0])))
    elif arguments[0] == "--version":
        print(f"narlab {__version__}")
    else:
        name, rest = _split(arguments)
        chosen = command_class(name)
        with on_parse_error(lambda event: _refuse(event, chosen)):
            description = cleandoc(chosen.__doc__ or "")
            command: Any = tyro.cli(chosen, prog=f"narlab {name}", description=description, args=rest)
        command.run()


def _refuse(event: ParseErrorEvent, command: type) -> None:
    from narlab.cli.refusal import refuse  # most command lines can be read

    refuse(event, command)


def _split(arguments: list[str]) -> tuple[str, list[str]]:
    """The command's name, of one word or two, and its arguments."""
    for words in (2, 1):
        name = " ".join(arguments[:words])
        if name in command_names():
            return name, arguments[words:]
    group = _group(arguments[0])
    raise unknown("command", " ".join(arguments[: 2 if group else 1]), group or command_names())


def _group(word: str) -> list[str]:
    """The commands of two words whose first one it is."""
    return [name for name in command_names() if name.startswith(word + " ")]


def _is_group(word: str) -> bool:
    return bool(_group(word)) and word not in command_names()


def _overview(names: Sequence[str]) -> str:
    width = max(map(len, names))
    summaries = {name: cleandoc(command_class(name).__doc__ or "").splitlines()[0] for name in names}
    lines = [f"  narlab {name:{width}}  {summary}" for name, summary in summaries.items()]
    more = "More: narlab COMMAND --help, or narlab help COMMAND"
    return "\n".join(["narlab: a laboratory for neural algorithmic reasoning", "", *lines, "", more])
