"""Chance as a function of (seed, stream, step), whatever was drawn before.

The global generators of python, numpy and torch are set before each call into user code, so that a stage draws the
same numbers in any process and after any history. This module imports neither numpy nor torch: a generator of a
library that nobody has loaded yet cannot have been drawn from.
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


def stream_seed(seed: int, *names: str | int) -> int:
    """Return the seed of a stream, in [0, 2**64).

    Args:
      seed: the study's.
      names: stream and step; for a sample "sample", epoch and index.
    """
    text = "/".join(["hippo", str(seed), *map(str, names)])
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


def seed_everything(seed: int, stream: str, step: int) -> None:
    """Set every global generator to where `stream` is at `step`."""
    seed_generators(stream_seed(seed, stream, step))


def seed_generators(value: int, *, devices: bool = True) -> None:
    """Set the global generators of python, and of numpy and torch where they are loaded.

    Args:
      devices: those of the devices, too.
    """
    random.seed(value)
    if numpy := sys.modules.get("numpy"):
        numpy.random.seed(value % 2**32)
    if torch := sys.modules.get("torch"):
        # not `torch.manual_seed`: without a device it formats a stack trace at every call, in vain
        torch.default_generator.manual_seed(value)
        if devices and _has_cuda(os.getpid()):
            torch.cuda.manual_seed_all(value)


@contextmanager
def fence() -> Iterator[None]:
    """Give every global generator back the state it had before the block."""
    numpy, torch = sys.modules.get("numpy"), sys.modules.get("torch")
    devices = torch is not None and torch.cuda.is_initialized()
    python_state = random.getstate()
    numpy_state: Any = numpy.random.get_state() if numpy else None
    torch_state: Any = torch.get_rng_state() if torch else None
    device_states: Any = torch.cuda.get_rng_state_all() if torch and devices else None
    try:
        yield
    finally:
        random.setstate(python_state)
        if numpy:
            numpy.random.set_state(numpy_state)
        if torch:
            torch.set_rng_state(torch_state)
            if devices:
                torch.cuda.set_rng_state_all(device_states)


@functools.cache
def _has_cuda(pid: int) -> bool:
    """Asked once per process: a forked child must not trust what its parent found."""
    return bool(sys.modules["torch"].cuda.is_available())
