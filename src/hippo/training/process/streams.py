"""Chance as a function of (seed, stream, step), whatever was drawn before.

The global generators of python, numpy and torch are set before each call into user code, so that a stage draws the
same numbers in any process and after any history. This module imports neither numpy nor torch: a library that comes
up in the middle of a call, or a device that does, is seeded at that moment, as if it had been there from the start.
"""

from __future__ import annotations

import functools
import hashlib
import os
import random
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from hippo.training.process.generator_states import (
    NumpyState,
    is_numpy_at,
    is_python_at,
    is_torch_at,
    numpy_state,
    seed_numpy,
    set_numpy_state,
)

#: raised when the rule below changes; part of every workload, so that old and new bits never mix
EXACTNESS = 1

#: libraries with a global generator of their own
LIBRARIES = ("numpy", "torch")

#: whose global generators there are
GENERATORS = ("python", *LIBRARIES)

#: kinds of devices that torch draws on, each a module of torch's of this name
_DEVICES = ("cuda", "xpu", "mps")


class _SeedInForce:
    """The seed in force in this process: what a library or a device that comes up now has to begin with."""

    value: int | None = None
    #: whether it holds for devices, too
    devices: bool = True


_sown = _SeedInForce()


def stream_seed(seed: int, *names: str | int) -> int:
    """Return the seed of a stream, in [0, 2**64).

    Args:
      seed: the study's.
      names: stream and step; for a sample "sample", epoch and index.
    """
    text = "/".join(["hippo", str(seed), *map(str, names)])
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


#: libraries that were seen to be complete
_complete: set[str] = set()


def loaded(name: str) -> Any:
    """Return a library if this process has loaded it; None while some thread is still about to."""
    module = sys.modules.get(name)
    if module is not None and name not in _complete:
        if getattr(getattr(module, "__spec__", None), "_initializing", False):
            return None
        _complete.add(name)
    return module


def note_loaded(name: str) -> None:
    """Take a library for complete, which Python itself notes only a moment later."""
    _complete.add(name)


def seed_everything(seed: int, stream: str, step: int) -> None:
    """Set every global generator to where `stream` is at `step`."""
    seed_generators(stream_seed(seed, stream, step))


def seed_generators(value: int, *, devices: bool = True) -> None:
    """Set the global generators of python, and of numpy and torch: now, or when they are loaded.

    Args:
      devices: those of the devices, too.
    """
    _sown.value, _sown.devices = value, devices
    _seed_python(value)
    for library in LIBRARIES:
        if library in sys.modules and loaded(library) is not None:
            seed_library(library)


def seeders(generators: Sequence[str]) -> list[Callable[[int], object]]:
    """Return what sets each of these generators to where `seed_generators` would, without those of devices.

    For callers that seed them many times: the functions below are the quickest that come to the same state.
    """
    found: list[Callable[[int], object]] = []
    for name in generators:
        if name == "python":
            found.append(_seed_python)
        elif loaded(name) is not None:
            found.append(_seed_numpy if name == "numpy" else sys.modules["torch"].default_generator.manual_seed)
    return found


_global_python: Any = random.seed.__self__  # type: ignore[attr-defined]
_seed_in_c = super(random.Random, _global_python).seed


def _seed_python(value: int) -> None:
    _seed_in_c(value)  # what `random.seed` does for a whole number, after it has looked what it was given
    _global_python.gauss_next = None


def _seed_numpy(value: int) -> None:
    sys.modules["numpy"].random.seed(value % 2**32)


def seed_library(name: str) -> None:
    """Set the generators of a library, as the seed in force wants it; nothing if there is none."""
    value = _sown.value
    if value is None:
        return
    if name == "numpy":
        seed_numpy(value % 2**32)
    elif name == "torch":
        # not `torch.manual_seed`: without a device it formats a stack trace at every call, in vain
        sys.modules["torch"].default_generator.manual_seed(value)
        if _sown.devices:
            _seed_devices(value)


def forget_seed() -> None:
    """Seed nothing that comes up from now on: what this process does next is not ours."""
    _sown.value = None


class HeldStates:
    """The states of the global generators as they were."""

    def __init__(self) -> None:
        self._python: Any = random.getstate()
        self._numpy: NumpyState | None = numpy_state() if loaded("numpy") else None
        self._torch: Any = sys.modules["torch"].get_rng_state() if loaded("torch") else None
        #: those that were seen where they were, and need not be brought back
        self._unmoved: tuple[str, ...] = ()

    def moved(self, generators: Sequence[str]) -> tuple[str, ...]:
        """Return those of these generators that are no longer where they were, or had not been there."""
        return tuple(name for name in generators if self._has_moved(name))

    def are_unmoved(self, generators: Sequence[str]) -> bool:
        """Whether all of these are where they were. To be asked last: `restore` then trusts in it."""
        if self.moved(generators):
            return False
        self._unmoved = tuple(generators)
        return True

    def restore(self) -> None:
        """Bring every generator back; one that had not been there gets the seed in force."""
        if "python" not in self._unmoved:
            random.setstate(self._python)
        for library, state in (("numpy", self._numpy), ("torch", self._torch)):
            if state is None and loaded(library) is not None:
                seed_library(library)
        if self._numpy is not None and "numpy" not in self._unmoved:
            set_numpy_state(self._numpy)
        if self._torch is not None and "torch" not in self._unmoved:
            sys.modules["torch"].set_rng_state(self._torch)

    def _has_moved(self, name: str) -> bool:
        if name == "python":
            return not is_python_at(self._python)
        state = self._numpy if name == "numpy" else self._torch
        if state is None or loaded(name) is None:
            return loaded(name) is not None
        return not (is_numpy_at(self._numpy) if self._numpy and name == "numpy" else is_torch_at(state))


@contextmanager
def fence() -> Iterator[HeldStates]:
    """Give every global generator back the state it had before the block.

    A library or a device that came up inside has no state to go back to: it gets the seed that was in force before,
    from which nothing can have drawn.
    """
    sown = (_sown.value, _sown.devices)
    held = HeldStates()
    has_torch = loaded("torch") is not None
    up = {name: module for name, module in _devices().items() if _is_up(name, module)} if has_torch else {}
    device_states = {name: _device_states(name, module) for name, module in up.items()}
    try:
        yield held
    finally:
        _sown.value, _sown.devices = sown
        held.restore()
        if has_torch:
            for name, module in _devices().items():
                if name in up:
                    _set_device_states(name, module, device_states[name])
                elif _sown.value is not None and _sown.devices:
                    _seed_device(name, module, _sown.value)  # started inside, or about to start with the last seed


def _seed_devices(value: int) -> None:
    for name, module in _devices().items():
        _seed_device(name, module, value)


def _devices() -> dict[str, Any]:
    """Return torch's module for each kind of device that there is."""
    return _devices_of(os.getpid())


@functools.cache
def _devices_of(pid: int) -> dict[str, Any]:
    """Asked once per process: a forked child must not trust what its parent found."""
    torch: Any = sys.modules["torch"]
    found = {}
    for name in _DEVICES:
        asked = torch.backends.mps if name == "mps" else getattr(torch, name, None)
        if asked is not None and asked.is_available():
            found[name] = getattr(torch, name)
    return found


# CUDA and XPU start when they are first used, and keep the last seed that they were given for then. There is one MPS
# device, which is always up, and its module has no plurals.


def _seed_device(name: str, module: Any, value: int) -> None:
    (module.manual_seed if name == "mps" else module.manual_seed_all)(value)


def _is_up(name: str, module: Any) -> bool:
    return name == "mps" or bool(module.is_initialized())


def _device_states(name: str, module: Any) -> Any:
    return module.get_rng_state() if name == "mps" else module.get_rng_state_all()


def _set_device_states(name: str, module: Any, states: Any) -> None:
    (module.set_rng_state if name == "mps" else module.set_rng_state_all)(states)
