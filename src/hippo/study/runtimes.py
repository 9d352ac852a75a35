"""One runtime for each engine, and one engine for all studies that name none. All end with the process."""

from __future__ import annotations

import atexit
import contextlib
import os
import threading

from hippo.checkpoints import AbstractCheckpointStore, MemoryCheckpoints
from hippo.engines import AbstractEngine, LocalEngine
from hippo.errors import EngineError
from hippo.runtime import Runtime
from hippo.schedulers import AbstractScheduler

_guard = threading.Lock()
_by_engine: dict[int, tuple[Runtime, str]] = {}
_default_engines: dict[str, AbstractEngine] = {}
#: engines that the process began of which this one is a fork: their loops and workers are not here
_of_parent: dict[int, AbstractEngine] = {}


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
    if id(engine) in _of_parent:
        raise EngineError(
            f"this process ({os.getpid()}) is a fork of the one that uses this engine; a study's loop and workers stay "
            "with that one. Make a study of its own in here, with an engine of its own: engine=hippo.LocalEngine()"
        )
    with _guard:
        known = _by_engine.get(id(engine))
        if known is None:
            # states in memory belong to one engine; whoever loads a model must find the same store
            store = MemoryCheckpoints() if checkpoints == "memory://" else checkpoints
            known = _by_engine[id(engine)] = (Runtime(engine, checkpoints=store, scheduler=scheduler), place)
    if known[1] != place:
        raise EngineError(
            f"this engine keeps its checkpoints in {known[1]!r} and cannot keep others in {place!r}; "
            "give the study an engine of its own, or the same checkpoints="
        )
    return known[0]


def close_runtime(engine: AbstractEngine) -> None:
    """End an engine's runtime, with every process it started."""
    with _guard:
        known = _by_engine.pop(id(engine), None)
        for place, default in list(_default_engines.items()):
            if default is engine:
                del _default_engines[place]
    if known is not None:
        known[0].close()


def _forget_parents_engines() -> None:
    global _guard
    _guard = threading.Lock()  # another thread of the parent may have held it
    _of_parent.update({id(runtime.engine): runtime.engine for runtime, _ in _by_engine.values()})
    _by_engine.clear()
    _default_engines.clear()


os.register_at_fork(after_in_child=_forget_parents_engines)


@atexit.register
def _close_all() -> None:
    for engine in [runtime.engine for runtime, _ in list(_by_engine.values())]:
        with contextlib.suppress(KeyboardInterrupt):  # who cannot wait: its processes end with this one
            close_runtime(engine)
