# Copyright (c) 2026 The slhconsensus developers
# Distributed under the MIT software license, see the accompanying
# file COPYING or https://opensource.org/license/mit.
"""A context: backends, threads and settings, and what they have done."""

from __future__ import annotations

import atexit
import enum
import os
import threading
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType
from typing import Any

from ._library import CONSTANTS, check, encoded, ffi, instance, integer, lib, raise_last_error, struct, text
from .errors import ArgumentError, StateError

__all__ = ["BackendInfo", "BackendStatistics", "Context", "LogLevel", "Statistics", "default_context", "list_backends"]


class LogLevel(enum.IntEnum):
    """How much a log message matters."""

    DEBUG = CONSTANTS["SLHC_LOG_DEBUG"]
    INFO = CONSTANTS["SLHC_LOG_INFO"]
    WARNING = CONSTANTS["SLHC_LOG_WARNING"]
    ERROR = CONSTANTS["SLHC_LOG_ERROR"]


@dataclass(frozen=True)
class BackendInfo:
    """A backend that Context(backend=...) can name."""

    name: str  #: e.g. "cpu:portable", "vulkan:0"
    description: str
    available: bool  #: on this machine


@dataclass(frozen=True)
class BackendStatistics:
    """The work of one backend of a context so far."""

    name: str
    is_device: bool  #: a device beside the CPU
    ready: bool  #: takes work now
    retired: bool  #: no more work after a fault
    calls: int
    signatures: int
    failed_calls: int
    wrong_roots: int  #: results that the CPU found to be wrong
    state: str  #: "ready", or a device's "waiting", "opening", "busy" or "retired"
    process_id: int | None  #: of the process that runs a device's driver
    program: str  #: of that process, once it was opened


@dataclass(frozen=True)
class Statistics:
    """The parts of a context and their work since it was made."""

    threads: int
    backends: tuple[BackendStatistics, ...]  #: the CPU engine first


def list_backends() -> list[BackendInfo]:
    """The backends of this build and machine. May open devices and take a while."""
    total = ffi.new("size_t *")
    check(lib.slhc_list_backends(ffi.NULL, 0, total))
    infos = ffi.new("slhc_backend_info[]", total[0])
    for info in infos:
        info.struct_size = ffi.sizeof("slhc_backend_info")
    check(lib.slhc_list_backends(infos, len(infos), total))
    return [BackendInfo(text(info.name), text(info.description), bool(info.available)) for info in infos]


class Handle:
    """Owns one object of the library: destroyed by close(), with the object, or before the program ends."""

    _open: weakref.WeakSet[Handle] = weakref.WeakSet()
    _open_lock = threading.Lock()

    def __init__(self, pointer: Any, destroy: Any) -> None:
        if pointer == ffi.NULL:
            raise_last_error()
        self._pointer = ffi.gc(pointer, destroy)
        self._process = os.getpid()
        with self._open_lock:
            self._open.add(self)

    def get(self, what: str) -> Any:
        """The pointer. Raises StateError after close()."""
        if self._pointer is None:
            raise StateError(f"the {what} is closed")
        return self._pointer

    def get_own(self, what: str) -> Any:
        """The pointer of what has threads. Raises StateError after close(), and in a child that got the object through fork()."""
        if self._process != os.getpid():
            raise StateError(f"the {what} was made before a fork() of this process, which needs a context of its own")
        return self.get(what)

    @property
    def closed(self) -> bool:
        """True after close()."""
        return self._pointer is None

    def close(self) -> None:
        """Destroy the object, or if another thread is in a call with it, let it go when that returns: a call's arguments keep
        the pointer, and the last one to drop it destroys. Doing it again does nothing."""
        self._pointer = None

    @classmethod
    def close_all(cls) -> None:
        """A thread that opens a device may log, and must not call an interpreter that is gone."""
        with cls._open_lock:
            handles = list(cls._open)
        for handle in handles:
            handle.close()


atexit.register(Handle.close_all)


class Context:
    """Backends, threads and settings. Any number of threads may use it at once.

    Used as a context manager it is closed at the end; else with the object. Batches made from it stay usable.

    In a forked child, the parent's contexts and batches can only be closed: it makes its own, and so does default_context().
    """

    def __init__(self, *, backend: str | None = None, threads: int = 0, cache_dir: str | os.PathLike[str] | None = None,
                 device_program: str | os.PathLike[str] | None = None, log: Callable[[LogLevel, str], None] | None = None,
                 log_level: LogLevel = LogLevel.INFO) -> None:
        """An argument that is not given comes from its environment variable, or else is the default.

        backend: SLHC_BACKEND: "auto", "cpu", "cpu:<isa>", "vulkan", "vulkan:<index>", "vulkan:<part of its name>" or "vulkan:all"
        threads: SLHC_THREADS: threads that work at once; default: the cores this process may use
        cache_dir: SLHC_CACHE_DIR: directory for pipeline caches; default: nothing is kept on disk
        device_program: SLHC_DEVICE_PROGRAM: the program that runs a device's driver; default: slhgpu, beside the library or in libexec
        log: called with what the library logs, from any thread; must not call the library. None: SLHC_LOG
        log_level: the least level that log receives

        Raises BackendError for a backend that is unknown or not available here, ArgumentError for other nonsense.
        """
        if log is not None and not callable(log):
            raise TypeError(f"log must be callable, not {type(log).__name__}")
        if integer(log_level, "log_level", 31) not in list(LogLevel):  # the library looks at it only if there is a log
            raise ArgumentError(f"log_level is {log_level}, not a LogLevel")
        options = struct("slhc_context_options", threads=integer(threads, "threads", 32), log_level=log_level)
        strings = {}
        if backend is not None:
            strings["backend"] = encoded(backend, "backend")
        for name, path in (("cache_dir", cache_dir), ("device_program", device_program)):
            if path is not None:
                strings[name] = encoded(os.fspath(path), name, os.fsencode)
        kept = {name: ffi.new("char[]", value) for name, value in strings.items()}
        for name, pointer in kept.items():
            setattr(options, name, pointer)
        callback = ffi.NULL
        if log is not None:
            receive = log

            def forward(_user: Any, level: int, message: Any, size: int) -> None:
                receive(LogLevel(level), ffi.unpack(message, size).decode("utf-8", "replace"))

            callback = ffi.callback("slhc_log_callback", forward)
            options.log = callback
        self._handle = Handle(lib.slhc_context_create(options), lib.slhc_context_destroy)
        #: The log callback must work until the context and every batch made from it are destroyed.
        self.callback = callback

    @property
    def handle(self) -> Any:
        """The library's pointer. Raises StateError if the context is closed."""
        return self._handle.get_own("context")

    @property
    def closed(self) -> bool:
        """True after close()."""
        return self._handle.closed

    def close(self) -> None:
        """Destroy the context. Calls of other threads that are under way end as they would have."""
        self._handle.close()

    def __enter__(self) -> Context:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None) -> None:
        self.close()

    def interrupt(self) -> None:
        """Make all verification in this context, and in batches made from it, end soon. There is no way back."""
        check(lib.slhc_context_interrupt(self.handle))

    def statistics(self) -> Statistics:
        """The work of the context so far."""
        found = struct("slhc_statistics")
        check(lib.slhc_context_statistics(self.handle, found))
        backends = []
        for index in range(found.n_backends):
            one = struct("slhc_backend_statistics")
            check(lib.slhc_context_backend_statistics(self.handle, index, one))
            backends.append(BackendStatistics(text(one.name), bool(one.is_device), bool(one.ready), bool(one.retired), one.calls,
                                              one.signatures, one.failed_calls, one.wrong_roots, text(one.state), one.process_id or None,
                                              text(one.program)))
        return Statistics(found.threads, tuple(backends))


_default: Context | None = None
_default_lock = threading.Lock()


def default_context() -> Context:
    """The context that is used where none is given; made from the environment at the first call, and anew after it was closed, or in a
    forked child."""
    global _default
    with _default_lock:
        if _default is None or _default.closed:
            _default = Context()
        return _default


def chosen_context(context: Context | None) -> Context:
    """The one that a function is to use. Raises TypeError if it is neither a Context nor None."""
    return default_context() if context is None else instance(context, Context, "context")


def _after_fork() -> None:
    """In a child, the parent's context is of no use."""
    global _default
    _default = None


os.register_at_fork(after_in_child=_after_fork)
