"""Torch's switch for deterministic operations, turned without loading torch's compiler.

`torch.use_deterministic_algorithms` tells the compiler, too, and imports the whole of it to do so: more than a second
of processor time in each process, for something that few trainers use. Here the operations' switch is set at once, and
the compiler's when there is a compiler: now, if it is loaded, else in the moment in which somebody loads it. Before
torch 2.10 the compiler had none, and asked for the operations' where it made a difference.
This module refuses to know why anything is to be deterministic, and for how long.
"""

from __future__ import annotations

import functools
import os
import re
import sys
from typing import Any, NamedTuple

from hippo.training.process.late_imports import unwatch, watch
from hippo.training.process.streams import loaded

#: the module that keeps the compiler's switch
COMPILER = "torch._inductor.config"

#: `torch.get_deterministic_debug_mode()`: any operation goes, those that are not deterministic warn, or raise
ANY, WARN, EXACT = 0, 1, 2


class Switches(NamedTuple):
    """Where both switches stand."""

    #: the operations', as `torch.get_deterministic_debug_mode` says it
    operations: int
    #: the compiler's; where it is not loaded, what it will begin with; False where it has none
    compiler: bool

    def __repr__(self) -> str:
        return f"{self.operations}, the compiler's {self.compiler}"


class _CompilerSettings:
    """What the compiler will be told when it is loaded."""

    #: None: nothing, it begins as torch has it
    is_exact: bool | None = None
    finder: Any = None


_promise = _CompilerSettings()


def switches() -> Switches:
    """Return where the switches of a loaded torch stand."""
    torch: Any = sys.modules["torch"]
    config = _with_switch(loaded(COMPILER))
    return Switches(torch.get_deterministic_debug_mode(), _first() if config is None else bool(config.deterministic))


def fresh_switches() -> Switches:
    """Return where the switches stand in a process that has just loaded torch."""
    return Switches(ANY, _torchs_own())


def turn(to: Switches) -> None:
    """Turn both switches of a loaded torch."""
    sys.modules["torch"]._C._set_deterministic_algorithms(to.operations != ANY, warn_only=to.operations == WARN)
    config = _with_switch(loaded(COMPILER))
    if config is not None:
        config.deterministic = to.compiler


def promise_compiler(is_exact: bool | None) -> None:
    """Say how a compiler that is loaded from now on shall begin; None: as torch has it."""
    _promise.is_exact = is_exact
    if is_exact is not None and _promise.finder is None and loaded(COMPILER) is None:
        _promise.finder = watch((COMPILER,), _compiler_arrived)
    elif is_exact is None and _promise.finder is not None:
        unwatch(_promise.finder)
        _promise.finder = None


def _compiler_arrived(name: str) -> None:
    config = _with_switch(sys.modules[name])
    if config is not None and _promise.is_exact is not None:
        config.deterministic = _promise.is_exact


def _with_switch(config: Any) -> Any:
    """Return the compiler's settings, if they are loaded and its switch is among them."""
    is_there = config is not None and _has_switch() and hasattr(config, "deterministic")  # not in each early 2.10
    return config if is_there else None


def _has_switch() -> bool:
    """Tell whether the compiler of a loaded torch has a switch, loaded or not: what is said of it must not change."""
    return has_switch(str(sys.modules["torch"].__version__))


@functools.cache
def has_switch(version: str) -> bool:
    """Tell whether the compiler of a torch has a switch of its own.

    Kept, since each assignment asks several times, and a `TorchVersion` takes 40 us to compare; by the release that a
    version is or leads to: to `TorchVersion` a 2.10.0a0, as in NVIDIA's containers, comes before 2.10.
    """
    release = re.match(r"(\d+)\.(\d+)", version)
    return release is not None and tuple(map(int, release.groups())) >= (2, 10)


def _first() -> bool:
    """Return what a compiler that is loaded now begins with."""
    return _torchs_own() if _promise.is_exact is None or not _has_switch() else _promise.is_exact


def _torchs_own() -> bool:
    return _has_switch() and os.environ.get("TORCHINDUCTOR_DETERMINISTIC") == "1"
