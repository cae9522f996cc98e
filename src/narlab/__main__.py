"""`python -m narlab`, and what the command `narlab` calls first: Ctrl-C counts from the beginning."""

import os
import signal
from types import FrameType


def main() -> None:
    """Run the command line, whose libraries take a moment to load."""
    ctrl_c = signal.getsignal(signal.SIGINT)
    if callable(ctrl_c):  # it is not ignored
        signal.signal(signal.SIGINT, _end)
    from narlab.cli import main as run

    signal.signal(signal.SIGINT, ctrl_c)
    run()


def _end(number: int, frame: FrameType | None) -> None:
    """End here and now: an exception would pass through libraries that are half loaded, and some make another of it."""
    os.write(2, b"narlab: interrupted\n")
    os._exit(130)


if __name__ == "__main__":
    main()
