"""Compilation with numba: once per machine, kept in numba's cache, and announced when it takes long."""

import hashlib
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, wraps
from pathlib import Path
from typing import Any

from numba import njit
from numba.core.caching import (
    CompileResultCacheImpl,
    FunctionCache,
    InTreeCacheLocator,
    UserProvidedCacheLocator,
    UserWideCacheLocator,
)

SHARED = ("engine/records.py", "parts/*.py")  # what is compiled into the algorithms
PATIENCE = 1.0  # seconds before the user is told what the wait is for

jitted = njit(error_model="numpy", forceinline=True)
"""Compiles a function into its callers: handing over a record of hints takes longer than writing a row of them."""

in_place = njit(error_model="numpy", forceinline=True, _nrt=False)  # type: ignore[call-overload]
"""The same for a small step that makes no new array: it does not even count references to the arrays it is given."""


def compiled(function: Callable) -> Callable:
    """Compile a function that loops over a batch; it lets other threads run and is cached on disk."""
    dispatcher: Any = njit(nogil=True, error_model="numpy")(function)
    dispatcher._cache = _Cache(function)
    what = f"{function.__module__.rpartition('.')[2]}.{function.__name__}".removesuffix(".run")

    @wraps(function)
    def call(*arguments: Any) -> Any:
        if dispatcher.signatures:
            return dispatcher(*arguments)
        with announced(what):
            return dispatcher(*arguments)

    return call


@contextmanager
def announced(what: str) -> Iterator[None]:
    """Say on standard error what is being waited for, if it takes more than a second."""
    message = f"narlab: compiling {what} (once on this machine) ..."
    timer = threading.Timer(PATIENCE, lambda: print(message, file=sys.stderr, flush=True))
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


@cache
def _shared_sources() -> str:
    """A digest of the shared sources: numba itself looks only at the file that a function stands in."""
    here = Path(__file__).parent.parent
    files = sorted(file for pattern in SHARED for file in here.glob(pattern))
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()


class _Stamp:
    """A cache entry is stale when the algorithm's file or a shared one has changed."""

    def get_source_stamp(self) -> tuple:
        return super().get_source_stamp(), _shared_sources()  # type: ignore[misc]


class _UserProvided(_Stamp, UserProvidedCacheLocator):
    pass


class _InTree(_Stamp, InTreeCacheLocator):
    pass


class _UserWide(_Stamp, UserWideCacheLocator):
    pass


class _CacheImpl(CompileResultCacheImpl):
    _locator_classes = [_UserProvided, _InTree, _UserWide]  # noqa: RUF012 (as numba declares it)


class _Cache(FunctionCache):
    _impl_class = _CacheImpl
