"""One process at a time trains in a folder, as far as the system can say so."""

import errno
import getpass
import os
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from enum import Enum
from pathlib import Path
from typing import TextIO

from narlab.common.errors import UsageError

try:
    import fcntl
except ImportError:  # Windows has none
    fcntl = None  # type: ignore[assignment]

NAME = ".lock"
LOOKS, BETWEEN_LOOKS = 3, 0.05  # times and seconds: who only asks for the holder has the lock for a moment, too
TAKEN = (errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES)


class HeldError(UsageError):
    """Another process is training in the folder."""

    def __init__(self, path: Path, owner: str) -> None:
        super().__init__(f"another process is training in {str(path)!r}: {owner}; wait for it or end it")
        self.owner = owner


class Answer(Enum):
    """What the system says when a lock is asked for."""

    OURS = "ours"
    TAKEN = "taken by another process"
    NO_LOCKS = "there are no locks here"


@contextmanager
def locked(folder: Path, say: Callable[[str], None]) -> Iterator[None]:
    """While this lasts, no other process trains in the folder; a `HeldError` if one does already.

    Where there are no locks, as on Windows and on some shared file systems, `say` is told so once.
    """
    with (folder / NAME).open("a+") as lock:  # keeps the name that is in it
        answer = _asked_some_times(lock)
        if answer is Answer.TAKEN:
            raise HeldError(folder, _owner_in(lock))
        if answer is Answer.NO_LOCKS:
            say(f"{str(folder)!r} can't be locked here: see to it that no other process trains in it")
        with suppress(OSError):  # a full disk has room for a lock, though not for its owner's name
            os.truncate(lock.fileno(), 0)
            os.write(lock.fileno(), _this_process().encode())
        try:
            yield
        finally:
            os.truncate(lock.fileno(), 0)


def holder(folder: Path) -> str | None:
    """Who trains in the folder now: a user, a machine, a process, and since when."""
    try:
        lock = (folder / NAME).open()
    except OSError:
        return None
    with lock:
        return _owner_in(lock) if _asked(lock, exclusive=False) is Answer.TAKEN else None


def _asked_some_times(lock: TextIO) -> Answer:
    for look in range(LOOKS):
        if look:
            time.sleep(BETWEEN_LOOKS)
        answer = _asked(lock, exclusive=True)
        if answer is not Answer.TAKEN:
            break
    return answer


def _asked(lock: TextIO, *, exclusive: bool) -> Answer:
    if fcntl is None:
        return Answer.NO_LOCKS
    try:
        fcntl.flock(lock, (fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH) | fcntl.LOCK_NB)
    except OSError as error:
        return Answer.TAKEN if error.errno in TAKEN else Answer.NO_LOCKS
    return Answer.OURS


def _owner_in(lock: TextIO) -> str:
    lock.seek(0)
    return lock.read().strip() or "one that does not say who it is"


def _this_process() -> str:
    now = time.strftime("%Y-%m-%d %H:%M:%S")
    return f"{_user()} on {socket.gethostname()}, process {os.getpid()}, since {now}\n"


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):  # a container's user may have no name
        return f"user {os.getuid()}" if hasattr(os, "getuid") else "a user without a name"
