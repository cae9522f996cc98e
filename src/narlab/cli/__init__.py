"""The `narlab` command.

A file of `commands/` is a command: `bench_data.py` is `narlab bench data`. Its `COMMAND` is a dataclass: the fields are
options, and `run` does the work.
"""

import os
import signal
import sys
import warnings
from collections.abc import Sequence
from dataclasses import is_dataclass
from inspect import cleandoc
from types import FrameType
from typing import Any

import tyro
from rich.console import Console
from tyro._errors import ParseErrorEvent, on_parse_error

from narlab import __version__
from narlab.common.catalogue import Catalogue
from narlab.common.errors import UsageError, unknown


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command that `arguments` (default: the process's) name; exit with 2 on a user's mistake."""
    _listen()
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _show_warning
            _run(list(sys.argv[1:] if arguments is None else arguments))
    except UsageError as error:
        Console(stderr=True, soft_wrap=True, highlight=False).print(f"narlab: {error}", style="red", markup=False)
        sys.exit(2)
    except KeyboardInterrupt as stop:
        print(f"narlab: {stop or 'interrupted'}", file=sys.stderr)
        sys.exit(130)
    except RuntimeError as error:
        if type(error).__module__.startswith("narlab."):  # something that went wrong in a way we know
            print(f"narlab: {error}", file=sys.stderr)
            sys.exit(1)
        raise
    except BrokenPipeError:  # the reader has gone, as with `narlab ... | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(141)


def _show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    """A warning in one line, without the place in our code where it was given."""
    print(f"narlab: warning: {message}", file=sys.stderr, flush=True)


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
    if not arguments or arguments[0] in ("-h", "--help", "help"):
        print(_overview())
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
    group = [name for name in command_names() if name.startswith(arguments[0] + " ")]
    raise unknown("command", " ".join(arguments[: 2 if group else 1]), group or command_names())


def _overview() -> str:
    width = max(map(len, command_names()))
    summaries = {name: cleandoc(command_class(name).__doc__ or "").splitlines()[0] for name in command_names()}
    lines = [f"  narlab {name:{width}}  {summary}" for name, summary in summaries.items()]
    return "\n".join(
        ["narlab: a laboratory for neural algorithmic reasoning", "", *lines, "", "More: narlab COMMAND --help"]
    )
