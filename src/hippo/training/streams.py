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
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

#: raised when the rule below changes; part of every workload, so that old and new bits never mix
EXACTNESS = 1

#: libraries with a global generator of their own
LIBRARIES = ("numpy", "torch")

#: kinds of devices that torch draws on, each a module of torch's of this name
_DEVICES = ("cuda", "xpu", "mps")


class _Sown:
    """The seed in force in this process: what a library or a device that comes up now has to begin with."""

    value: int | None = None
    #: whether it holds for devices, too
    devices: bool = True


_sown = _Sown()


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
    """Set the global generators of python, and of numpy and torch: now, or when somebody loads them.

    Args:
      devices: those of the devices, too.
    """
    _sown.value, _sown.devices = value, devices
    random.seed(value)
    for library in LIBRARIES:
        if loaded(library) is not None:
            seed_library(library)


def seed_library(name: str) -> None:
    """Set the generators of a library, as the seed in force wants it; nothing if there is none."""
    value = _sown.value
    if value is None:
        return
    if name == "numpy":
        sys.modules["numpy"].random.seed(value % 2**32)
    elif name == "torch":
        # not `torch.manual_seed`: without a device it formats a stack trace at every call, in vain
        sys.modules["torch"].default_generator.manual_seed(value)
        if _sown.devices:
            _seed_devices(value)


def forget_seed() -> None:
    """Seed nothing that comes up from now on: what this process does next is not ours."""
    _sown.value = None


@contextmanager
def fence() -> Iterator[None]:
    """Give every global generator back the state it had before the block.

    A library or a device that came up inside has no state to go back to: it gets the seed that was in force before,
    from which nobody can have drawn.
    """
    sown = (_sown.value, _sown.devices)
    numpy, torch = loaded("numpy"), loaded("torch")
    up = {name: module for name, module in _devices().items() if _is_up(name, module)} if torch else {}
    python_state = random.getstate()
    numpy_state: Any = numpy.random.get_state() if numpy else None
    torch_state: Any = torch.get_rng_state() if torch else None
    device_states = {name: _device_states(name, module) for name, module in up.items()}
    try:
        yield
    finally:
        _sown.value, _sown.devices = sown
        random.setstate(python_state)
        for library, state in (("numpy", numpy_state), ("torch", torch_state)):
            if state is None and loaded(library) is not None:
                seed_library(library)
        if numpy:
            numpy.random.set_state(numpy_state)
        if torch:
            torch.set_rng_state(torch_state)
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
