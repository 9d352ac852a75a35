"""One runtime for each engine, and one engine for all studies that name none. All end with the process.

An engine holds its runtime itself, so that both go when no study has either any more.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import threading
import weakref
from dataclasses import dataclass

from hippo.checkpoints import AbstractCheckpointStore, MemoryCheckpoints
from hippo.engines import AbstractEngine, LocalEngine
from hippo.errors import EngineError
from hippo.runtime import Runtime
from hippo.schedulers import AbstractScheduler

_guard = threading.Lock()
#: those that are to be closed when the process ends
_runtimes: weakref.WeakSet[Runtime] = weakref.WeakSet()
_default_engines: dict[str, AbstractEngine] = {}


@dataclass(frozen=True, slots=True)
class _Served:
    """By whom an engine is served."""

    runtime: Runtime
    #: where its states are kept
    place: str
    #: the process that its loop and workers are in
    pid: int


def default_engine(checkpoints: str) -> AbstractEngine:
    """Return the engine of the studies that keep their states in one place and name no engine."""
    with _guard:
        return _default_engines.setdefault(checkpoints, LocalEngine())


def runtime_of(
    engine: AbstractEngine,
    checkpoints: str | AbstractCheckpointStore,
    *,
    scheduler: AbstractScheduler | None = None,
) -> Runtime:
    """Return the runtime that serves an engine; the first to ask for it may choose its scheduler.

    Raises:
      EngineError: the engine keeps its states somewhere else already.
    """
    place = checkpoints if isinstance(checkpoints, str) else f"store {id(checkpoints)}"
    with _guard:
        served: _Served | None = engine.served_by
        if served is None:
            # states in memory belong to one engine; whoever loads a model must find the same store
            store = MemoryCheckpoints() if checkpoints == "memory://" else checkpoints
            served = _serve(Runtime(engine, checkpoints=store, scheduler=scheduler), place)
    if served.pid != os.getpid():
        raise EngineError(
            f"this process ({os.getpid()}) is a fork of the one that uses this engine; a study's loop and workers stay "
            "with that one. Make a study of its own in here, with an engine of its own: engine=hippo.LocalEngine()"
        )
    if served.place != place:
        raise EngineError(
            f"this engine keeps its checkpoints in {served.place!r} and cannot keep others in {place!r}; "
            "give the study an engine of its own, or the same checkpoints="
        )
    return served.runtime


def serve_by(runtime: Runtime, place: str) -> None:
    """Have a runtime that was made otherwise, with another clock or store, serve all studies that use its engine.

    Args:
      runtime: of an engine that no study has used yet.
      place: what those studies name as the place of their checkpoints.
    """
    with _guard:
        assert runtime.engine.served_by is None, "an engine is served by one runtime"
        _serve(runtime, place)


def _serve(runtime: Runtime, place: str) -> _Served:
    served = runtime.engine.served_by = _Served(runtime, place, os.getpid())
    _runtimes.add(runtime)
    atexit.unregister(_close_all)  # before all that the engine needs ends: what was registered last comes first
    atexit.register(_close_all)
    return served


def close_runtime(engine: AbstractEngine, *, stop_timeout_s: float | None = None) -> None:
    """End an engine's runtime, with every process it started.

    Args:
      engine: whose.
      stop_timeout_s: how long running steps may take to come to their ends, and to leave checkpoints; None: no time.

    Raises:
      TunerError: it is called by the code of a tuner that the engine serves.
    """
    with _guard:
        served: _Served | None = engine.served_by
        if served is not None:
            served.runtime.refuse_own_thread()
        engine.served_by = None
        for place, default in list(_default_engines.items()):
            if default is engine:
                del _default_engines[place]
    if served is not None:
        _runtimes.discard(served.runtime)
        try:
            if stop_timeout_s is not None:
                served.runtime.stop(timeout_s=stop_timeout_s)
        finally:  # also where a second signal comes meanwhile
            served.runtime.close()


def _forget_parents_engines() -> None:
    global _guard
    _guard = threading.Lock()  # another thread of the parent may have held it
    _runtimes.clear()
    _default_engines.clear()


os.register_at_fork(after_in_child=_forget_parents_engines)


def _close_all() -> None:
    for engine in [runtime.engine for runtime in list(_runtimes)]:
        with contextlib.suppress(KeyboardInterrupt):  # who cannot wait: its processes end with this one
            close_runtime(engine)
