"""Sequences that users make: what identifies them, how they travel to other processes, and how they are found again.

A user-made sequence is identified by its class's name, the hash of its code, and its arguments.

Reading a record may import the module that it names, where an import in this process would find it; never from the
current folder, which stands on the path of interactive sessions without anybody's saying so. A class that lies there
is imported when a value of it is asked for, and not before.
"""

from __future__ import annotations

import dataclasses
import functools
import importlib
import inspect
import json
import os
import pickle
import sys
import weakref
from functools import lru_cache
from importlib.machinery import PathFinder
from types import MemberDescriptorType
from typing import Any

from hippo.errors import HparamError
from hippo.hparams.pieces import Piece
from hippo.hparams.sequence import PieceInForce, Sequence
from hippo.hparams.source import ATTRIBUTE, changed_by, code_hash, own_modules
from hippo.hparams.templates import copied
from hippo.hparams.values import canonical, canonical_text


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class UnavailableSequence(Sequence):
    """A user-made sequence read from a record, whose class cannot be found here or has changed since.

    It can be shown and compared, so that old results stay readable. Asking for a value has it look again: the
    class may have been imported meanwhile.
    """

    reference: str
    code: str
    text: str
    reason: str

    def value(self, t: float) -> Any:
        """Return the value, if the class is to be had by now.

        Raises:
          HparamError: it is not; the message says what is missing.
        """
        found = custom_sequence(self.reference, self.code, self.text, from_current_folder=True)
        if isinstance(found, UnavailableSequence):
            raise HparamError(f"The sequence {self!r} cannot be evaluated: {found.reason}.")
        return found(t)

    def __repr__(self) -> str:
        return self.printed(self.to_json())

    @staticmethod
    def printed(described: dict[str, Any]) -> str:
        """Return what a user-made sequence is printed as where its class is not to be had: of its `to_json`."""
        return f"<{described['sequence'].partition(':')[2]} {canonical_text(described['arguments'])}, unavailable>"


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class UnavailableWhole(Sequence):
    """A sequence of ours that cannot be put together, since a part of it is unavailable, and with it its length."""

    text: str
    reason: str

    def segment_at(self, t: float) -> PieceInForce:
        raise HparamError(f"The sequence {self!r} cannot be evaluated: {self.reason}")

    def to_json(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.text)
        return found

    def __repr__(self) -> str:
        return f"<{self.to_json()['sequence']} {canonical_text(self.to_json()['arguments'])}, unavailable>"


def is_ours(cls: type) -> bool:
    """Tell whether a sequence's class comes with hippo."""
    return cls.__module__.startswith("hippo.")


def identity(sequence: Sequence) -> tuple[str, str, str]:
    """Return what identifies a user-made sequence: reference to its class, hash of its code, text of its arguments.

    Raises:
      HparamError: its class is not one that can be a sequence, or it draws its values.
    """
    from hippo.hparams.codec import arguments_text

    if isinstance(sequence, UnavailableSequence):
        return sequence.reference, sequence.code, sequence.text
    known: tuple[str, str, str] | None = sequence.__dict__.get("_identity")
    if known is None:
        cls = type(sequence)
        _check(cls)
        _check_arguments(sequence)
        made, others = _made_again(sequence), _others(sequence)
        _check_unchanging(sequence)
        known = f"{cls.__module__}:{cls.__qualname__}", code_hash(cls), arguments_text(sequence)
        made.__dict__["_identity"] = known
        sequence.__dict__.update(_identity=known, _made=made, _others=others)
    return known


def code_of_made(factory: Any) -> dict[str, str]:
    """Return what tells a user-made sequence's class from others of its name, as an entry; nothing of one of ours."""
    if not isinstance(factory, type) or not issubclass(factory, Sequence) or is_ours(factory):
        return {}
    return {"code": f"{factory.__module__}:{factory.__qualname__} {code_hash(factory)}"}


def _check(cls: type) -> None:
    if not callable(getattr(cls, "value", None)):
        owner = next(base for base in cls.__mro__ if "segment_at" in vars(base))
        if owner is not Sequence and is_ours(owner):  # its code would be its identity, and its pieces have another
            raise HparamError(
                f"{cls.__name__} is a {owner.__name__} by another name, which no record of it would have. Use "
                f"{owner.__name__} itself, or a function that returns one: "
                f"`def {cls.__name__.lower()}(): return {owner.__name__}(...)`."
            )
        raise HparamError(f"{cls.__name__} needs a method `value(self, t)` that returns its value at step t.")
    parameters = getattr(cls, "__dataclass_params__", None)
    if parameters is not None and not parameters.frozen:
        raise HparamError(f"{cls.__name__} could change while it is shared; write @dataclass(frozen=True) above it.")


def _check_arguments(sequence: Sequence) -> None:
    """Refuse a sequence that is made of more than its fields: two with other values would be taken for one.

    Raises:
      HparamError: its class takes arguments that are no fields of it.
    """
    cls = type(sequence)
    makers = [each for each in (cls.__init__, cls.__new__) if each not in (object.__init__, object.__new__)]
    takes = {name for maker in makers for name in [*inspect.signature(maker).parameters][1:]}  # self, or cls, is first
    if hidden := sorted(takes - sequence.arguments().keys()):
        raise HparamError(
            f"{cls.__name__} has arguments that hippo cannot see, {', '.join(map(repr, hidden))}: make it a frozen "
            "dataclass, with @dataclass(frozen=True) above it, and each of them a field of it, neither an InitVar nor "
            "an argument of an __init__ of your own."
        )


def _made_again(sequence: Sequence) -> Sequence:
    """Return a sequence of the same arguments that nobody else holds, so that nobody changes a list or an entry in it.

    Raises:
      HparamError: it has attributes that its arguments do not give it: one with others would be taken for it.
    """
    from hippo.hparams.codec import arguments_text

    cls = type(sequence)
    written = {name: copied(getattr(sequence, name, value)) for name, value in sequence.arguments().items()}
    try:
        made: Sequence = cls(**written)
    except Exception:  # of a class with an __init__ of its own: there is nothing to compare it with
        return sequence
    if arguments_text(made) != arguments_text(sequence):
        raise HparamError(
            f"{sequence!r} comes out as {made!r} when it is made again from its fields, as it is from its record: let "
            "__post_init__ leave alone what it has changed once, or put it into another field, with init=False."
        )
    one, other = _others(sequence), _others(made)
    either = sorted(one.keys() | other.keys())
    if hidden := [name for name in either if not (name in one and name in other and _same(one[name], other[name]))]:
        raise HparamError(
            f"{cls.__name__} has attributes that hippo cannot see, {', '.join(map(repr, hidden))}: they are not what "
            f"{sequence!r} has when it is made from its fields, so that one with other values would be taken for it. "
            "Make it a frozen dataclass, with @dataclass(frozen=True) above it, and each of them a field of it."
        )
    return made


def _same(one: object, other: object) -> bool:
    try:
        return one is other or code_hash(one) == code_hash(other)
    except HparamError:  # it has no contents that could be compared
        return True


#: what a sequence remembers of itself
_REMEMBERED = frozenset({"key", "_digest", "_identity", "_made", "_others"})


def _others(sequence: Sequence) -> dict[str, object]:
    """Return the attributes of a sequence beside its arguments, but not what it has computed from them once."""
    known = _REMEMBERED | sequence.arguments().keys()
    return {
        name: value
        for name, value in _state(sequence).items()
        if name not in known
        and not isinstance(inspect.getattr_static(type(sequence), name, None), functools.cached_property)
    }


def _state(sequence: Sequence) -> dict[str, Any]:
    """Return all attributes that an object has of its own, those in slots, too."""
    held = {name: getattr(sequence, name) for name in _slots(type(sequence)) if hasattr(sequence, name)}
    return {name: value for name, value in {**sequence.__dict__, **held}.items() if name not in _REMEMBERED}


def _slots(cls: type) -> dict[str, MemberDescriptorType]:
    members = [item for base in reversed(cls.__mro__) for item in vars(base).items()]
    return {name: member for name, member in members if isinstance(member, MemberDescriptorType)}


def custom_piece(sequence: Sequence) -> Piece:
    """Return the one piece of a user-made sequence, on its own clock.

    Raises:
      HparamError: what it depends on is not what it was when the sequence was used first.
    """
    identified = identity(sequence)
    if isinstance(sequence, UnavailableSequence):
        return Piece("custom", identified, 0, sequence)
    if code_hash(type(sequence)) != identified[1] or _is_changed(sequence, identified[2]):
        raise HparamError(
            f"What {sequence!r} depends on was changed after it was used first, so that it has other values now under "
            f"its old name. Make it again: call {type(sequence).__name__}(...), and build the config or space anew."
        )
    return Piece("custom", identified, 0, sequence.__dict__.get("_made", sequence))


def _is_changed(sequence: Sequence, text: str) -> bool:
    """Tell whether an attribute was changed after the first use: an entry of a list, or what is no field at all."""
    from hippo.hparams.codec import arguments_text

    then, now = sequence.__dict__.get("_others"), _others(sequence)
    is_given_more = then is not None and (then.keys() != now.keys() or any(now[name] is not then[name] for name in now))
    return is_given_more or arguments_text(sequence) != text


#: class -> what its values change of that on which they depend; None: nothing. The second time it is changed already
_CHANGING: weakref.WeakKeyDictionary[type, str | None] = weakref.WeakKeyDictionary()


def _check_unchanging(sequence: Sequence) -> None:
    """Refuse a sequence whose values are not repeatable, or that changes what it depends on as it is asked for them.

    Raises:
      HparamError: one of both: in the next process it would have the hash of other code, or did in the last one.
    """
    cls = type(sequence)
    if cls not in _CHANGING:  # looked at once: a plan may have thousands of its sequences
        _CHANGING[cls] = changed_by(lambda: _check_repeatable(sequence), cls)
    else:
        _check_repeatable(sequence)
    if _CHANGING[cls] is not None:
        raise HparamError(
            f"value(self, t) of {cls.__name__} changes what it depends on, {_CHANGING[cls]}, so that nobody could tell "
            "the sequence from a changed one. To remember what was computed put functools.lru_cache above a function."
        )


def _check_repeatable(sequence: Any) -> None:
    """Refuse a sequence that draws, or counts its calls: trials that share it would be trained with other values.

    Raises:
      HparamError: one of its first two steps has two values.
    """
    for t in (0, 1):  # what is drawn may be multiplied by t
        try:
            first, again = (canonical_text(canonical(sequence.value(t))) for _ in range(2))
        except Exception:  # told of where the value is asked for
            continue
        if first != again:
            raise HparamError(
                f"{sequence!r} has the value {first} at step {t}, and {again} when it is asked again: value(self, t) "
                "must depend on t and on the fields alone. A value that is drawn is a distribution in the place of a "
                f"field, {type(sequence).__name__}(hippo.uniform(0, 1)) in a RandomSearchSpace, say."
            )


# ------------------------------------------------------------------------------------------- finding them again


def custom_sequence(reference: str, code: str, text: str, *, from_current_folder: bool = False) -> Sequence:
    """Return the user-made sequence of this identity, or an `UnavailableSequence` that says what is missing.

    Args:
      reference: "module:Class".
      code: the hash of its code.
      text: its arguments.
      from_current_folder: import also what is found only because the current folder is on the path.
    """
    from hippo.hparams.codec import arguments_from_text

    try:
        cls = _find(reference, from_current_folder)
    except (Exception, SystemExit) as error:  # importing runs code of the user's, which may raise anything
        return UnavailableSequence(reference, code, text, f"its class {reference} cannot be imported ({error})")
    try:
        if _hash_when_read(cls) != code:
            reason = f"the code of {reference}, or what it depends on, has changed since it was recorded"
            return UnavailableSequence(reference, code, text, reason)
        sequence = cls(**arguments_from_text(text))
    except Exception as error:
        return UnavailableSequence(reference, code, text, f"{reference} cannot be made again ({error})")
    assert isinstance(sequence, Sequence)
    sequence.__dict__["_identity"] = (reference, code, text)
    return sequence


#: class -> the hash of its code when the first record of it was read here
_READ: weakref.WeakKeyDictionary[type, str] = weakref.WeakKeyDictionary()


def _hash_when_read(cls: type) -> str:
    """Return the hash of a class's code, taken once: a plan may hold thousands of its sequences.

    Each use takes it anew; see `custom_piece`.
    """
    known = _READ.get(cls)
    if known is None:
        known = _READ[cls] = code_hash(cls)
    return known


def _find(reference: str, from_current_folder: bool = True) -> type:
    module, _, name = reference.partition(":")
    found: Any = sys.modules.get(module)
    if found is None:
        if not from_current_folder and _is_from_current_folder(module):
            raise ImportError(
                f"{module} lies in the current folder, from which nothing is imported because a database names it; "
                f"write `import {module}` first"
            )
        found = importlib.import_module(module)
    for part in name.split("."):
        found = getattr(found, part)
    if not (isinstance(found, type) and issubclass(found, Sequence)):
        raise TypeError(f"{reference} is not a Sequence")
    return found


def _is_from_current_folder(module: str) -> bool:
    """Tell whether a module would be found in the current folder, which Python put on the path by itself.

    It stands there as "" in interactive sessions and after `-c`, and as the first entry after `-m`.
    """
    ran_as_module = getattr(sys.modules.get("__main__"), "__spec__", None) is not None
    implicit = {"", os.getcwd()} if ran_as_module else {""}
    if sys.path[:1] and sys.path[0] not in implicit:
        return False
    top_level = module.partition(".")[0]
    here = PathFinder.find_spec(top_level)
    elsewhere = PathFinder.find_spec(top_level, sys.path[1:])
    return here is not None and (elsewhere is None or here.origin != elsewhere.origin)


# ---------------------------------------------------------------------------------------------------- travelling


#: classes that are at home in this process, or in one that it was forked from
_AT_HOME: weakref.WeakSet[type] = weakref.WeakSet()
#: class -> the hash of its code, and the class pickled by value; None if it cannot be
_PICKLED: weakref.WeakKeyDictionary[type, tuple[str, bytes | None]] = weakref.WeakKeyDictionary()


def shipped(sequence: Sequence) -> tuple[Any, ...]:
    """Return how to pickle a user-made sequence: by its class's name, and by value for who has other code of that name.

    A process that imported the module before its file was edited would else train by the former code, under the hash
    of the new one.
    """
    cls = type(sequence)
    identified = identity(sequence)
    kept = _state(sequence.__dict__.get("_made", sequence))
    if ATTRIBUTE not in vars(cls):
        _AT_HOME.add(cls)
    if _is_importable(cls):
        try:
            pickled = _pickled_class(cls, identified[1])
        except HparamError:  # it is found by name, where the code is the same
            pickled = None
        return _restored_by_name, (*identified, pickled, kept)
    return _restored_by_value, (*identified, _pickled_class(cls, identified[1]), kept)


def _is_importable(cls: type) -> bool:
    """Tell whether a fresh process with this one's `sys.path` finds the class under its name."""
    top_level = cls.__module__.partition(".")[0]
    if top_level == "__main__" or PathFinder.find_spec(top_level) is None:
        return False  # a module that is loaded here need not be on the path: pytest loads tests by their file
    try:
        return _find(f"{cls.__module__}:{cls.__qualname__}") is cls
    except Exception:  # as above
        return False


def _pickled_class(cls: type, code: str) -> bytes:
    """Return a class pickled with all code of the project that it depends on.

    Raises:
      HparamError: something in it cannot be pickled.
    """
    known = _PICKLED.get(cls)
    if known is None or known[0] != code:
        known = _PICKLED[cls] = (code, _dumped(cls))
    if known[1] is None:
        raise HparamError(
            f"{cls.__name__} cannot be sent to other processes; move it into a module that they can import, or do "
            f"without what cannot be pickled."
        )
    return known[1]


def _dumped(cls: type) -> bytes | None:
    inside, beside = ({cls.__module__}, set[str]()) if ATTRIBUTE in vars(cls) else own_modules(cls)
    pickled = _dumped_with(cls, inside | beside)
    return pickled if pickled is not None or not beside else _dumped_with(cls, inside)  # the others by their names


def _dumped_with(cls: type, names: set[str]) -> bytes | None:
    import cloudpickle

    registered = cloudpickle.list_registry_pickle_by_value()
    modules = [sys.modules[name] for name in sorted(names - registered) if name in sys.modules]
    try:
        for module in modules:
            cloudpickle.register_pickle_by_value(module)
        return bytes(cloudpickle.dumps(cls))
    except (TypeError, AttributeError, pickle.PicklingError):
        return None
    finally:
        for module in modules:
            cloudpickle.unregister_pickle_by_value(module)


def _restored_by_name(reference: str, code: str, text: str, pickled: bytes | None, state: dict[str, Any]) -> Sequence:
    identified = (reference, code, text)
    try:
        cls = _find(reference)
        if code_hash(cls) == code:
            return _restored(cls, identified, state)
        reason = "its code was changed after this process had imported it"
    except Exception as error:
        reason = f"its class {reference} cannot be imported ({error})"
    if pickled is None:
        return UnavailableSequence(reference, code, text, reason)
    return _restored_by_value(*identified, pickled, state)


def _restored_by_value(reference: str, code: str, text: str, pickled: bytes, state: dict[str, Any]) -> Sequence:
    cls = _unpickled_class(pickled)
    if cls not in _AT_HOME:
        setattr(cls, ATTRIBUTE, code)
    return _restored(cls, (reference, code, text), state)


def _restored(cls: Any, identified: tuple[str, str, str], state: dict[str, Any]) -> Sequence:
    sequence: Sequence = cls.__new__(cls)
    sequence.__dict__.update(state, _identity=identified)
    for name, member in _slots(cls).items():
        if name in state:
            member.__set__(sequence, sequence.__dict__.pop(name))
    return sequence


@lru_cache(maxsize=256)
def _unpickled_class(pickled: bytes) -> type[Sequence]:
    import cloudpickle

    cls: type[Sequence] = cloudpickle.loads(pickled)
    return cls
