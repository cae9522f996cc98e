"""`python -m narlab`, and what the command `narlab` calls first: Ctrl-C counts from the beginning."""

import gc
import os
import signal
import sys

TYPE_CHECKING = False  # until `main` listens, Ctrl-C is Python's: nothing is loaded before that Python has not anyway
if TYPE_CHECKING:
    from sys import UnraisableHookArgs
    from types import FrameType

INTERRUPTED = 130  # the exit code
OBJECTS = 20_000  # new ones between searches for garbage: loading libraries makes half a million, and no garbage


def main() -> None:
    """Run the command line, whose libraries take a moment to load."""
    ctrl_c = signal.getsignal(signal.SIGINT)
    if callable(ctrl_c):  # it is not ignored
        signal.signal(signal.SIGINT, _end)
    gc.set_threshold(OBJECTS)
    from narlab.cli import main as run

    interrupts: list[int] = []

    def note(number: int, frame: "FrameType | None") -> None:
        assert callable(ctrl_c)
        if _is_loading(frame):
            _end(number, frame)
        interrupts.append(number)
        ctrl_c(number, frame)

    if callable(ctrl_c):
        signal.signal(signal.SIGINT, note)
    sys.unraisablehook = _end_or_tell
    try:
        run()
    except KeyboardInterrupt:  # another one, while the first was being told of
        os._exit(INTERRUPTED)
    except Exception:
        if not interrupts:
            raise
        _end(interrupts[0], None)  # a library that a command loads made another error of it
    finally:
        _take_no_more_signals()
        gc.freeze()  # Python searches all that is left for garbage when it ends, which takes half a second


def _is_loading(frame: "FrameType | None") -> bool:
    """Whether a module is being loaded: some libraries swallow an exception there, or abort in their C++."""
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return True
        frame = frame.f_back
    return False


def _end_or_tell(unraisable: "UnraisableHookArgs") -> None:
    """A Ctrl-C that comes in a destructor or in a callback of C would go nowhere."""
    if issubclass(unraisable.exc_type, KeyboardInterrupt):
        _end(signal.SIGINT, None)
    sys.__unraisablehook__(unraisable)


def _take_no_more_signals() -> None:
    """While Python ends, one more signal ends the process where it is: an exception would be shown as a traceback."""
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)  # Windows has no SIGHUP
        if number is not None and callable(signal.getsignal(number)):
            signal.signal(number, lambda *_: os._exit(INTERRUPTED))


def _end(number: int, frame: "FrameType | None") -> None:
    """End here and now: an exception would pass through libraries that are half loaded, and some make another of it."""
    os.write(2, b"narlab: interrupted\n")
    os._exit(INTERRUPTED)


if __name__ == "__main__":
    main()
