"""Compilation with numba: once per machine, kept in numba's cache, and announced when it takes long."""

import gc
import hashlib
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import cache, partial, wraps
from pathlib import Path
from pickle import UnpicklingError
from typing import Any

from numba import njit, typeof
from numba.core.caching import (
    CompileResultCacheImpl,
    FunctionCache,
    InTreeCacheLocator,
    UserProvidedCacheLocator,
    UserWideCacheLocator,
)
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.types import unliteral
from numba.extending import overload
from numba.np import arrayobj

from narlab.common.errors import UsageError
from narlab.common.files import open_own

try:
    import fcntl
except ImportError:  # Windows has none
    fcntl = None  # type: ignore[assignment]

SHARED = {  # what is compiled into others
    "algorithms": ("engine/__init__.py", "engine/validity.py", "parts/*.py"),
    "kernels": ("*.py",),
}
PATIENCE = 1.0  # seconds before the user is told what the wait is for
LONGEST_WAIT = 20.0  # seconds for another process that compiles the same
LOOK_AGAIN = 0.02


class _PartLibrary(JITCodeLibrary):
    """Code that is linked into its callers, optimised there, and nowhere else: it is no machine code by itself.

    Were it, a process that compiles would call that code, and one that finds its callers compiled would call theirs,
    which may round otherwise.
    """

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._verify_declare_only_symbols()
        self._finalized = True


class _PartCompiler(CompilerBase):
    def compile_extra(self, func: Callable) -> Any:
        """numba finds compiled code by a builtin of its own; this one raises an error, as only compiled code calls."""
        result = super().compile_extra(func)
        builtin = (_ for _ in ()).throw
        self.state.targetctx.insert_user_function(builtin, result.fndesc, [result.library])
        return result._replace(entry_point=builtin)

    def define_pipelines(self) -> list:
        state = self.state
        state.flags.no_compile = True  # nothing to call from Python
        state.library = _PartLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        return [DefaultPassBuilder.define_nopython_pipeline(state)]


part_of = partial(
    njit, pipeline_class=_PartCompiler, error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True
)
"""Compiles a function that only compiled code calls."""


def _of_an_algorithm(**options: Any) -> Callable:
    """Compiles a part of an algorithm once for all numbers, where numba would compile it anew for each constant."""
    part = part_of(forceinline=True, **options)

    def decorate(function: Callable) -> Callable:
        dispatcher: Any = part(function)
        compile_for = dispatcher.compile
        dispatcher.compile = lambda types: compile_for(tuple(map(unliteral, types)))
        return dispatcher

    return decorate


jitted = _of_an_algorithm()
"""Compiles a function into its callers: handing over a record of hints takes longer than writing a row of them."""

in_place = _of_an_algorithm(_nrt=False)
"""The same for a small step that makes no new array: it does not even count references to the arrays it is given."""


def compiled(function: Callable) -> Callable:
    """Compile a function that loops over a batch; it lets other threads run and is cached on disk.

    Its `code_for(*arguments)` is the code for arguments of these very types, which it does not check. numba takes types
    with fields alike, such as those of two algorithms, for one, and then searches at each call, longer than many run.
    """
    dispatcher: Any = njit(nogil=True, error_model="numpy")(function)
    dispatcher._cache = cache = _Cache(function)
    lock = threading.Lock()  # threads that come together wait for one compilation

    @wraps(function)
    def call(*arguments: Any) -> Any:
        if dispatcher.overloads:  # `signatures` makes a list at each call
            return dispatcher(*arguments)
        with lock, cache.locked(), _quick_compiler():
            if not dispatcher.overloads:
                dispatcher.compile(tuple(map(typeof, arguments)))
        return dispatcher(*arguments)

    def code_for(*arguments: Any) -> Callable:
        with lock, cache.locked(), _quick_compiler():
            return dispatcher.compile(tuple(map(typeof, arguments)))

    call.code_for = code_for  # type: ignore[attr-defined]
    call.is_compiled = lambda: bool(dispatcher.overloads) or cache.exists()  # type: ignore[attr-defined]
    return call


@contextmanager
def elsewhere(code: str, *arguments: str) -> Iterator[None]:
    """While this lasts, another process runs `code`: what that compiles is in the cache when this ends.

    Should it fail, nothing is lost: what is not in the cache is compiled where it is needed, and errors are told there.
    """
    command = [sys.executable, "-c", code, *arguments]
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield
        process.wait()
    finally:
        process.kill()
        process.wait()


@contextmanager
def _quick_compiler() -> Iterator[None]:
    """A quarter off the time of compiling: no search for garbage meanwhile, and no text about rows of unequal length.

    Any function that assigns a row compiles the error of a row that does not fit; numba's own, with both shapes in its
    text, takes seconds.
    """
    error, collects = arrayobj.raise_with_shape_context, gc.isenabled()
    arrayobj.raise_with_shape_context = _rows_differ
    gc.disable()
    try:
        yield
    finally:
        arrayobj.raise_with_shape_context = error
        if collects:
            gc.enable()


def _rows_differ(source: tuple, target: tuple) -> None:
    """What compiled code does if the shapes of the two sides of an assignment differ."""


@overload(_rows_differ)
def _error_of_rows(source: Any, target: Any) -> Callable:
    def error(source: Any, target: Any) -> None:
        raise ValueError("an array can't be assigned to one of another shape")

    return error


def _announcement(what: str) -> threading.Timer:
    """A timer that says in a second what is being waited for, unless it is cancelled."""
    message = f"narlab: compiling {what} (once on this machine) ..."
    timer = threading.Timer(PATIENCE, lambda: print(message, file=sys.stderr, flush=True))
    timer.daemon = True
    timer.start()
    return timer


def _lock(file: Any, until: float) -> None:
    """Lock a file if nobody else holds it, or lets go of it in time."""
    while True:
        try:
            return fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > until:
                return None
            time.sleep(LOOK_AGAIN)


@cache
def _shared_sources(layer: Path) -> str:
    """A digest of a layer's shared sources: numba itself looks only at the file that a function stands in."""
    files = sorted(file for pattern in SHARED.get(layer.name, ()) for file in layer.glob(pattern))
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()


class _Stamp:
    """A cache entry is stale when the function's file or one that is shared in its layer has changed."""

    _py_file: str

    def get_source_stamp(self) -> tuple:
        layers = [folder for folder in Path(self._py_file).parents if folder.name in SHARED]
        return super().get_source_stamp(), *map(_shared_sources, layers)  # type: ignore[misc]


class _UserProvided(_Stamp, UserProvidedCacheLocator):
    pass


class _InTree(_Stamp, InTreeCacheLocator):
    pass


class _UserWide(_Stamp, UserWideCacheLocator):
    pass


class _CacheImpl(CompileResultCacheImpl):
    _locator_classes = [_UserProvided, _InTree, _UserWide]  # noqa: RUF012 (as numba declares it)


class _Cache(FunctionCache):
    """Announces what is not in it and so has to be compiled, for each type of arguments; what is loaded is silent."""

    _impl_class = _CacheImpl

    def __init__(self, function: Callable) -> None:
        super().__init__(function)
        self._what = f"{function.__module__.rpartition('.')[2]}.{function.__name__}".removesuffix(".run")
        self._timers: dict[Any, threading.Timer] = {}

    def exists(self) -> bool:
        """Whether the function has been compiled on this machine, for some types of arguments."""
        return Path(self._cache_file._index_path).exists()

    @contextmanager
    def locked(self) -> Iterator[None]:
        """While this lasts, no other process compiles the function: it waits, and then finds it here.

        Where files can't be locked, each process compiles for itself, and so does one that has waited for long: the
        other may have been stopped.
        """
        if fcntl is None:
            yield
            return
        path = Path(self._cache_path) / f"{self._impl.filename_base}.lock"
        with ExitStack() as open_files:
            with suppress(OSError, UsageError):
                self._impl.locator.ensure_cache_path()
                _lock(
                    open_files.enter_context(open_own(path, os.O_WRONLY | os.O_CREAT)), time.monotonic() + LONGEST_WAIT
                )
            yield

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """What is cached; an index that can't be read, as that of an older version with other types, is emptied."""
        try:
            found = super().load_overload(sig, target_context)
        except (AttributeError, ImportError, EOFError, UnpicklingError):
            self.flush()
            found = None
        if found is None:
            self._timers[sig] = _announcement(self._what)
        return found

    def save_overload(self, sig: Any, data: Any) -> None:
        if sig in self._timers:
            self._timers.pop(sig).cancel()
        super().save_overload(sig, data)
