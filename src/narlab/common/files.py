"""Files that results are written to: whole or not at all, and looked at before the work begins."""

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path

from narlab.common.errors import UsageError


def check_target(path: str | os.PathLike, suffixes: Sequence[str] = ()) -> Path:
    """`path`, if a file can be written there; with `suffixes`, its name must end in one of them."""
    path = Path(path)
    if suffixes and path.suffix.lower() not in suffixes:
        raise UsageError(f"cannot tell the format of {str(path)!r}; its name must end in {' or '.join(suffixes)}")
    if path.is_dir():
        raise UsageError(f"cannot write {str(path)!r}: it is a folder")
    if path.exists() and not path.is_file():
        raise UsageError(f"cannot write {str(path)!r}: it is no ordinary file")
    folder = next(folder for folder in path.absolute().parents if folder.exists())
    if not folder.is_dir():
        raise UsageError(f"cannot write {str(path)!r}: {str(folder)!r} is not a folder")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise UsageError(f"cannot write {str(path)!r}: no permission to write to {str(folder)!r}")
    return path


def write_whole(path: str | os.PathLike, content: bytes) -> Path:
    """Write the whole file or none; what was there stays until the new file is complete."""
    path = Path(path)
    try:
        target = path.resolve()
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=f".{target.name}.", dir=target.parent) as scratch:
            unfinished = Path(scratch) / "unfinished"
            unfinished.write_bytes(content)
            os.replace(unfinished, target)
    except OSError as error:
        raise UsageError(f"cannot write {str(path)!r}: {error.strerror or error}") from error
    return path
