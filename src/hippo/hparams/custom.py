"""Sequences that users make: what identifies them, how they travel to other processes, and how they are found again.

A user-made sequence is identified by its class's name, the hash of its code, and its arguments.
"""

from __future__ import annotations

import dataclasses
import importlib
import pickle
import sys
from functools import lru_cache
from importlib.machinery import PathFinder
from typing import Any

from hippo.errors import HparamError
from hippo.hparams.pieces import Piece
from hippo.hparams.sequence import Sequence


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class UnavailableSequence(Sequence):
    """A user-made sequence read from a record, whose class cannot be found here or has changed since.

    It can be shown and compared, so that old results stay readable, but it has no values.
    """

    reference: str
    code: str
    text: str
    reason: str

    def value(self, t: float) -> Any:
        """Raise an error that says what is missing."""
        raise HparamError(f"The sequence {self!r} cannot be evaluated: {self.reason}.")

    def __repr__(self) -> str:
        return f"<{self.reference.partition(':')[2]} {self.text}, unavailable>"


def is_ours(cls: type) -> bool:
    """Tell whether a sequence's class comes with hippo."""
    return cls.__module__.startswith("hippo.")


def identity(sequence: Sequence) -> tuple[str, str, str]:
    """Return what identifies a user-made sequence: reference to its class, hash of its code, text of its arguments.

    Raises:
      HparamError: its class is not one that can be a sequence.
    """
    from hippo.hparams.codec import arguments_text
    from hippo.hparams.source import code_hash

    if isinstance(sequence, UnavailableSequence):
        return sequence.reference, sequence.code, sequence.text
    cls = type(sequence)
    _check(cls)
    return f"{cls.__module__}:{cls.__qualname__}", code_hash(cls), arguments_text(sequence)


def _check(cls: type) -> None:
    if not callable(getattr(cls, "value", None)):
        raise HparamError(f"{cls.__name__} needs a method `value(self, t)` that returns its value at step t.")
    parameters = getattr(cls, "__dataclass_params__", None)
    if parameters is None and vars(cls).get("__init__") is not None:
        raise HparamError(
            f"{cls.__name__} has arguments that hippo cannot see: make it a frozen dataclass, with "
            f"@dataclass(frozen=True) above it and fields instead of __init__."
        )
    if parameters is not None and not parameters.frozen:
        raise HparamError(f"{cls.__name__} could change while it is shared; write @dataclass(frozen=True) above it.")


def custom_piece(sequence: Sequence) -> Piece:
    """Return the one piece of a user-made sequence, on its own clock."""
    piece = sequence.__dict__.get("_piece")
    if piece is None:
        piece = sequence.__dict__["_piece"] = Piece("custom", identity(sequence), 0, sequence)  # type: ignore[arg-type]
    assert isinstance(piece, Piece)
    return piece


# ------------------------------------------------------------------------------------------- finding them again


def custom_sequence(reference: str, code: str, text: str) -> Sequence:
    """Return the user-made sequence of this identity, or an `UnavailableSequence` that says what is missing."""
    from hippo.hparams.codec import arguments_from_text
    from hippo.hparams.source import code_hash

    try:
        cls = _find(reference)
    except Exception as error:  # importing runs code of the user's, which may raise anything
        return UnavailableSequence(reference, code, text, f"its class {reference} cannot be imported ({error})")
    if code_hash(cls) != code:
        return UnavailableSequence(reference, code, text, f"the code of {reference} has changed since it was recorded")
    sequence = cls(**arguments_from_text(text))
    assert isinstance(sequence, Sequence)
    return sequence


def _find(reference: str) -> type:
    module, _, name = reference.partition(":")
    found: Any = sys.modules.get(module) or importlib.import_module(module)
    for part in name.split("."):
        found = getattr(found, part)
    if not (isinstance(found, type) and issubclass(found, Sequence)):
        raise TypeError(f"{reference} is not a Sequence")
    return found


# ---------------------------------------------------------------------------------------------------- travelling


def shipped(sequence: Sequence) -> tuple[Any, ...]:
    """Return how to pickle a user-made sequence: by its class's name, or by value where no other process finds it."""
    from hippo.hparams.source import code_hash

    cls = type(sequence)
    state = {name: value for name, value in sequence.__dict__.items() if name not in ("_piece", "key")}
    if _is_importable(cls):
        return _restored, (cls, state)
    code_hash(cls)  # leaves it on the class: the source does not travel
    return _restored_by_value, (_pickled_class(cls), state)


def _is_importable(cls: type) -> bool:
    """Tell whether a fresh process with this one's `sys.path` finds the class under its name."""
    top_level = cls.__module__.partition(".")[0]
    if top_level == "__main__" or PathFinder.find_spec(top_level) is None:
        return False  # a module that is loaded here need not be on the path: pytest loads tests by their file
    try:
        return _find(f"{cls.__module__}:{cls.__qualname__}") is cls
    except Exception:  # as above
        return False


def _pickled_class(cls: type) -> bytes:
    import cloudpickle

    module = sys.modules.get(cls.__module__)
    by_value = module is not None and cls.__module__ not in cloudpickle.list_registry_pickle_by_value()
    try:
        if by_value:
            cloudpickle.register_pickle_by_value(module)
        return bytes(cloudpickle.dumps(cls))
    except (TypeError, AttributeError, pickle.PicklingError) as error:
        raise HparamError(
            f"{cls.__name__} cannot be sent to other processes ({error}); move it into a module that they can import, "
            f"or do without what cannot be pickled."
        ) from error
    finally:
        if by_value:
            cloudpickle.unregister_pickle_by_value(module)


def _restored(cls: type[Sequence], state: dict[str, Any]) -> Sequence:
    sequence = cls.__new__(cls)
    sequence.__dict__.update(state)
    return sequence


def _restored_by_value(pickled: bytes, state: dict[str, Any]) -> Sequence:
    return _restored(_unpickled_class(pickled), state)


@lru_cache(maxsize=256)
def _unpickled_class(pickled: bytes) -> type[Sequence]:
    import cloudpickle

    cls: type[Sequence] = cloudpickle.loads(pickled)
    return cls
