"""Files: read within bounds, written whole or not at all, looked at before the work begins; and the lock of a folder.

Links: a path that a user gives may lead through links, and a file that is read may be one. What is written never goes
through a link: one that stands where a file goes is replaced by the file and its target stays as it is; one that stands
where a lock, a log or a folder of ours goes is refused. So a folder from elsewhere can't have anything written outside.
"""

import errno
import getpass
import json
import os
import secrets
import socket
import stat
import time
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from enum import Enum
from io import FileIO
from pathlib import Path
from typing import Any, BinaryIO

from narlab.common import printable
from narlab.common.errors import Kind, UsageError, brief

try:
    import fcntl
except ImportError:  # Windows has none
    fcntl = None  # type: ignore[assignment]

UNFINISHED = ".unfinished"
LARGEST_TEXT, LARGEST_TOML = 2**28, 2**20  # bytes of a file
NO_LINKS = getattr(os, "O_NOFOLLOW", 0)
IN_BYTES = getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
NO_WAITING = getattr(os, "O_NONBLOCK", 0)  # for the writer of a pipe, say
LOCK = ".lock"
WEIGHTS_OF_RUNS = tuple(f"{name}.safetensors" for name in ("best", "last", "checkpoint", "checkpoint.previous"))
OF_RUNS = ("run.toml", "result.json", "environment.json", "metrics.jsonl", *WEIGHTS_OF_RUNS)  # what no other replaces
LOOKS, BETWEEN_LOOKS = 3, 0.05  # times and seconds: who only asks for the holder has the lock for a moment, too
TAKEN = (errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES)


def check_target(path: str | os.PathLike, suffixes: Sequence[str] = ()) -> Path:
    """`path`, if a file can be written there; with `suffixes`, its name must end in one of them."""
    path = Path(path)
    if suffixes and path.suffix.lower() not in suffixes:
        raise UsageError(f"cannot tell the format of {str(path)!r}; its name must end in {' or '.join(suffixes)}")
    with clear_errors(path):
        _check_no_part_of_a_run(path)
        _check_replaceable(path)
        _check_name(path, f"cannot write {str(path)!r}")
        check_folder(path.parent, f"cannot write {str(path)!r}")
    return path


def check_targets(paths: Mapping[str, Path | None]) -> None:
    """See that a file can be written for each option that has one, and no two of them the same."""
    options: dict[Path, str] = {}
    for option, path in paths.items():
        if path is None:
            continue
        other = options.setdefault(check_target(path).resolve(), option)
        if other != option:
            raise UsageError(f"{other} and {option} are the same file, {str(path)!r}; give two")


def _check_no_part_of_a_run(path: Path) -> None:
    """Raise a `UsageError` if the file is one that a run needs: a run's folder explains itself only as it is."""
    if path.name in OF_RUNS and (path.parent / OF_RUNS[0]).is_file():
        raise UsageError(f"cannot write {str(path)!r}: it is a part of the run in {str(path.parent)!r}")


def _check_replaceable(path: Path) -> None:
    """Raise a `UsageError` if a folder, a pipe or a device stands where a file goes: it would be lost."""
    if path.is_dir():
        raise UsageError(f"cannot write {str(path)!r}: it is a folder")
    if path.exists() and not path.is_file():
        raise UsageError(f"cannot write {str(path)!r}: it is no ordinary file")


def _check_name(path: Path, complaint: str) -> None:
    """Raise a `UsageError` for a name that libraries could not read again."""
    try:
        str(path).encode()
    except UnicodeEncodeError:
        raise UsageError(f"{complaint}: its name is no text in UTF-8; choose another") from None


def check_folder(folder: Path, complaint: str) -> None:
    """Raise a `UsageError` that begins with `complaint` if the folder is not there and writable and can't be made."""
    _check_name(folder, complaint)
    there = next(each for each in (folder.absolute(), *folder.absolute().parents) if os.path.lexists(each))
    if not there.is_dir():
        raise UsageError(f"{complaint}: {str(there)!r} is not a folder")
    attempt = there / f".{secrets.token_hex(8)}{UNFINISHED}"
    try:
        os.close(os.open(attempt, os.O_WRONLY | os.O_CREAT | os.O_EXCL | NO_LINKS, 0o600))
        attempt.unlink()
    except PermissionError:
        raise UsageError(f"{complaint}: no permission to write to {str(there)!r}") from None
    except OSError as error:
        raise UsageError(f"{complaint}: {error.strerror} in {str(there)!r}") from None


@contextmanager
def clear_errors(path: Path, remedy: str = "") -> Iterator[None]:
    """Errors of the system in one line: what can't be written and why, and then `remedy`."""
    try:
        yield
    except OSError as error:
        raise UsageError(f"cannot write {str(path)!r}: {error.strerror or error}{remedy}") from error


def write_whole(path: str | os.PathLike, content: bytes) -> Path:
    """Write the whole file or none; what was there stays until the new file is complete."""
    path = Path(path)
    with clear_errors(path):
        _check_replaceable(path)
        with whole_file(path) as file:
            file.write(content)
    return path


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """A new file that takes the place of `path` when all of it is written and on the disk; its folder is made."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole_file_in(path.parent, path.name) as file:
        yield file


@contextmanager
def whole_file_in(folder: Path, name: str) -> Iterator[BinaryIO]:
    """As `whole_file`, in a folder that must be there."""
    unfinished = folder / f".{name[:200]}.{secrets.token_hex(8)}{UNFINISHED}"
    try:
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | NO_LINKS | IN_BYTES
        with os.fdopen(os.open(unfinished, flags, 0o666), "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(unfinished, folder / name)
    finally:
        with suppress(OSError):
            unfinished.unlink(missing_ok=True)


def is_unfinished(file: Path) -> bool:
    """Whether a file is what a process left that was killed while it wrote."""
    return file.name.startswith(".") and file.name.endswith(UNFINISHED)


def open_own(path: Path, flags: int) -> FileIO:
    """A file of ours that is written in place, such as a log, opened with `flags`; a link is refused, not followed."""
    if path.is_symlink():  # where the system can't refuse it by itself
        raise UsageError(f"{str(path)!r} is a link, which is never written through; remove it")
    descriptor = os.open(path, flags | NO_LINKS | NO_WAITING | IN_BYTES, 0o666)
    file = FileIO(descriptor, "r+" if flags & os.O_RDWR else "w" if flags & os.O_WRONLY else "r")
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        file.close()
        raise UsageError(f"{str(path)!r} is no ordinary file; remove it")
    return file


def inside(folder: Path, *names: str) -> Path:
    """The folder below `folder` that `names` lead to; none of them may be a link."""
    for name in names:
        folder = folder / name
        if folder.is_symlink():
            raise UsageError(f"{str(folder)!r} is a link, which nothing is written through; remove it")
    return folder


def read_bytes(path: str | os.PathLike, most: int = LARGEST_TEXT) -> bytes:
    """The content of an ordinary file of at most `most` bytes; an `OSError` if there is none that can be read."""
    with open(path, "rb", opener=_open_ordinary) as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise UsageError(f"{str(path)!r} is larger than the {most:,} bytes that such a file may have")
    return content


def _open_ordinary(path: str, flags: int) -> int:
    descriptor = os.open(path, flags | NO_WAITING | IN_BYTES)
    try:
        _check_ordinary(path, os.fstat(descriptor))
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def check_ordinary(path: str | os.PathLike) -> None:
    """Raise a `UsageError` if `path` is a pipe, a device or a folder: reading it might never end."""
    _check_ordinary(path, os.stat(path))


def _check_ordinary(path: str | os.PathLike, about: os.stat_result) -> None:
    if not stat.S_ISREG(about.st_mode):
        raise UsageError(f"{str(path)!r} is no ordinary file")


def read_json(path: str | os.PathLike, schema: Kind, *, remedy: str = "") -> Any:
    """What a JSON file holds, if it is as `schema` says. No file: a `FileNotFoundError`."""
    try:
        found = parse_json(read_bytes(path))
        schema.check(found)
    except FileNotFoundError:
        raise
    except (OSError, ValueError) as error:
        raise UsageError(f"{str(path)!r} can't be read: {error}{remedy}") from error
    return found


def read_toml(path: str | os.PathLike) -> dict[str, Any]:
    """What a TOML file says."""
    try:
        return tomllib.loads(read_bytes(path, LARGEST_TOML).decode())
    except FileNotFoundError:
        raise UsageError(f"there is no file {str(path)!r}") from None
    except RecursionError:
        raise UsageError(f"{str(path)!r} can't be read as TOML: it is nested too deeply") from None
    except (OSError, ValueError) as error:
        raise UsageError(f"{str(path)!r} can't be read as TOML: {error}") from error


def parse_json(content: bytes | str) -> Any:
    """The value of a JSON text; what can't be read, is nested too deeply or named twice is a `ValueError`."""
    try:
        return json.loads(content, object_pairs_hook=_named_once)
    except RecursionError:
        raise UsageError("its lists and objects are nested too deeply") from None


def _named_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The object of these pairs; `json` alone would take the last of those with the same name."""
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise UsageError(f"{brief(next(name for name in names if names.count(name) > 1))} stands in it twice")
    return found


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
def locked(folder: Path, say: Callable[[str], None]) -> Iterator[FileIO]:
    """While this lasts, no other process has the folder, as far as the system can say; a `HeldError` if one does.

    Where there are no locks, as on Windows and on some shared file systems, `say` is told so once. A lock that was not
    there before is removed again if what it was for is refused.
    """
    lock, is_new = _taken(folder, say)
    with lock:
        with suppress(OSError):  # a full disk has room for a lock, though not for its owner's name
            lock.truncate(0)
            lock.write(_this_process().encode())
        try:
            yield lock
        except UsageError:
            if is_new and holds(folder, lock):
                (folder / LOCK).unlink(missing_ok=True)
            raise
        finally:
            lock.truncate(0)


def holds(folder: Path, lock: FileIO) -> bool:
    """Whether `lock` is still the folder's: not if the folder was removed, or its lock replaced."""
    try:
        return os.path.samestat(os.fstat(lock.fileno()), os.lstat(folder / LOCK))
    except OSError:
        return False


def _taken(folder: Path, say: Callable[[str], None]) -> tuple[FileIO, bool]:
    """The folder's lock, which is ours now, and whether it is new."""
    while True:
        is_new = not (folder / LOCK).exists()
        with clear_errors(folder / LOCK):
            lock = open_own(folder / LOCK, os.O_RDWR | os.O_CREAT)
        try:
            answer = _asked_some_times(lock)
            if answer is Answer.TAKEN:
                raise HeldError(folder, _owner_in(lock))
            if holds(folder, lock):  # else it was removed while we asked for it
                if answer is Answer.NO_LOCKS:
                    say(f"{str(folder)!r} can't be locked here: see to it that no other process trains in it")
                return lock, is_new
        except BaseException:
            lock.close()
            raise
        lock.close()


def holder(folder: Path) -> str | None:
    """Who has the folder's lock now: a user, a machine, a process, and since when."""
    try:
        lock = open_own(folder / LOCK, os.O_RDONLY)
    except (OSError, UsageError):
        return None
    with lock:
        return _owner_in(lock) if _asked(lock, exclusive=False) is Answer.TAKEN else None


def _asked_some_times(lock: FileIO) -> Answer:
    for look in range(LOOKS):
        if look:
            time.sleep(BETWEEN_LOOKS)
        answer = _asked(lock, exclusive=True)
        if answer is not Answer.TAKEN:
            break
    return answer


def _asked(lock: FileIO, *, exclusive: bool) -> Answer:
    if fcntl is None:
        return Answer.NO_LOCKS
    try:
        fcntl.flock(lock, (fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH) | fcntl.LOCK_NB)
    except OSError as error:
        return Answer.TAKEN if error.errno in TAKEN else Answer.NO_LOCKS
    return Answer.OURS


def _owner_in(lock: FileIO) -> str:
    lock.seek(0)
    return printable(lock.read(500).decode(errors="replace").strip()) or "one that does not say who it is"


def _this_process() -> str:
    now = time.strftime("%Y-%m-%d %H:%M:%S")
    return f"{_user()} on {socket.gethostname()}, process {os.getpid()}, since {now}\n"


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):  # a container's user may have no name
        return f"user {os.getuid()}" if hasattr(os, "getuid") else "a user without a name"
