"""The states of the global generators of python, numpy and torch: held, compared, set again.

A fence around each batch reads and compares all three, so it must cost little beside a batch. Reading numpy's through
its own function takes 25 us, setting it as much: so a numpy that nobody has drawn from since we seeded it, which is
the common case, is known by the bytes of its generator, and set by seeding it again.
This module refuses to know why a state is held.
"""

from __future__ import annotations

import ctypes
import random
import sys
from typing import Any, NamedTuple

_KEY_WORDS = 624
#: numpy's Mersenne Twister in memory: its key of 624 words, and the position in it
_NUMPY_BYTES = 4 * _KEY_WORDS + 4


class NumpyState(NamedTuple):
    """A state of numpy's global generator."""

    #: the generator's memory; None where we do not know how it lies there
    raw: bytes | None
    #: what it was seeded with, if nobody has drawn from it since; else None
    seed: int | None
    #: what `numpy.random.get_state` returned; None where `seed` says it all
    full: dict[str, Any] | None


class _Numpy:
    """What is known of numpy's global generator in this process."""

    #: the generator whose memory we looked at, and where that is; 0: not as we expect it
    generator: Any = None
    address: int = 0
    #: the last seed that we gave it, and its memory right after
    seed: int | None = None
    seeded: bytes | None = None


_numpy = _Numpy()


def seed_numpy(value: int) -> None:
    """Seed a numpy that is loaded, and know it again as long as nobody draws."""
    sys.modules["numpy"].random.seed(value)
    _numpy.seed, _numpy.seeded = value, _raw()


def numpy_state() -> NumpyState:
    """Return the state of a numpy that is loaded."""
    raw = _raw()
    # A cached half of a pair of normal numbers is no part of that memory. But there is none right after seeding, and
    # none can come without a draw that moves the position.
    if raw is not None and raw == _numpy.seeded:
        return NumpyState(raw, _numpy.seed, None)
    return NumpyState(raw, None, sys.modules["numpy"].random.get_state(legacy=False))


def set_numpy_state(state: NumpyState) -> None:
    """Bring numpy to a state that it had."""
    if state.seed is not None:
        seed_numpy(state.seed)
    else:
        sys.modules["numpy"].random.set_state(state.full)


def is_numpy_at(state: NumpyState) -> bool:
    """Whether numpy is in that state."""
    raw = _raw()
    if raw is None or state.raw is None:
        now = sys.modules["numpy"].random.get_state(legacy=False)
        return state.full is not None and _is_same(now, state.full)
    if raw != state.raw:
        return False
    if state.full is None or not state.full["has_gauss"]:
        return True  # a half pair comes with a move, and goes without one
    return bool(sys.modules["numpy"].random.get_state(legacy=False)["has_gauss"])


def is_torch_at(state: Any) -> bool:
    """Whether torch's generator of the CPU is in a state that `torch.get_rng_state` returned."""
    torch: Any = sys.modules["torch"]
    return bool(torch.equal(torch.get_rng_state(), state))


def is_python_at(state: Any) -> bool:
    """Whether python's generator is in a state that `random.getstate` returned."""
    return bool(random.getstate() == state)


def _is_same(one: Any, other: Any) -> bool:
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_is_same(one[key], other[key]) for key in one)
    equal = one == other
    return bool(equal.all()) if hasattr(equal, "all") else bool(equal)


def _raw() -> bytes | None:
    """Return the memory of numpy's global generator, if it is the usual one and lies there as we know it."""
    chance = sys.modules["numpy"].random
    try:
        generator = chance.get_bit_generator()
    except AttributeError:  # before numpy 1.24
        return None
    if generator is not _numpy.generator:
        _numpy.generator, _numpy.address = generator, _checked_address(generator)
        _numpy.seed = _numpy.seeded = None
    return ctypes.string_at(_numpy.address, _NUMPY_BYTES) if _numpy.address else None


def _checked_address(generator: Any) -> int:
    """Return where a Mersenne Twister keeps its state, if reading there gives what its own function says."""
    if type(generator).__name__ != "MT19937":
        return 0
    numpy: Any = sys.modules["numpy"]
    address = int(generator.ctypes.state_address)
    words = numpy.frombuffer(ctypes.string_at(address, _NUMPY_BYTES), dtype=numpy.uint32)
    said = generator.state["state"]
    is_so = (words[:_KEY_WORDS] == said["key"]).all() and int(words[_KEY_WORDS]) == int(said["pos"])
    return address if is_so else 0
