"""Class attributes of a trainer that were meant to be settings, and are not: `num_worker = 2` trains without a word.

So do names of another library's trainer, where a trainer says by `_said_otherwise` what stands for them here. An
attribute that the user's own code reads is his own business, however it is spelt. This module refuses to know which
values a setting may have.
"""

from __future__ import annotations

import difflib
import dis
import functools
import inspect
import itertools
from collections.abc import Iterator
from types import CodeType
from typing import Any

from hippo.errors import TrainerError
from hippo.saying import warn_caller
from hippo.training.trainer import Trainer

#: how much of two names must agree; "num_worker" and "num_workers" do by 0.95, "num_layers" and "num_workers" by 0.76
_LIKENESS = 0.9
#: where the settings are declared
_OURS = (f"{Trainer.__module__.rpartition('.')[0]}.", "hippo.integrations.")


def check_misspelt(cls: type[Trainer]) -> None:
    """Refuse a class with an attribute that nothing reads and that is nearly the name of a setting, or another's.

    Raises:
      TrainerError: names the attribute, and the setting that was meant.
    """
    bases = [base for base in cls.__mro__ if base is not object and not _is_ours(base)]
    defined = {name: value for base in reversed(bases) for name, value in vars(base).items()}
    own = {name: value for name, value in defined.items() if _is_data(name, value)}
    settings = _settings(cls) - own.keys()  # who sets the right one as well means something else by the other
    near = {name: match for name in own if (match := _nearest(name, settings))}
    others = defined.keys() & cls._said_otherwise.keys()
    if not near and not others:
        return
    members = [member for base in bases for member in vars(base).items()]
    # a compute_loss() that calls super().compute_loss() is not called by that
    read = {name for by, value in members for name in _names_read(value) if name != by}
    for name in sorted(others - read):
        raise TrainerError(
            f"{cls.__name__}.{name} has no effect: nothing here reads it. {cls._said_otherwise[name]} Give it another "
            "name if it is your own."
        )
    for name, setting in near.items():
        if name not in read:
            raise TrainerError(
                f"{cls.__name__}.{name} = {own[name]!r} has no effect: nothing reads it. Did you mean {setting!r}? "
                "Give it another name if it is your own."
            )


def tell_misspelt(cls: type[Trainer]) -> None:
    """Warn of what methods set on a trainer, nothing of its class reads, and is nearly a setting, or another's name.

    Code elsewhere may read it, so that it is not refused.
    """
    bases = [base for base in cls.__mro__ if base is not object and not _is_ours(base)]
    members = [member for base in bases for member in vars(base).items()]
    codes = [code for _, value in members for code in _codes(value)]
    loaded = {name for code in codes for name in _attributes_read(code)}
    loaded |= {constant for code in codes for constant in code.co_consts if isinstance(constant, str)}
    stored = {name for code in codes for name in _attributes_set(code)}
    settings = _settings(cls) - stored - {name for name, _ in members}
    for name in sorted(stored - loaded - {name for name, _ in members}):
        setting = None if name.startswith("_") else _nearest(name, settings)
        meant = f"Did you mean {setting!r}?" if setting else cls._said_otherwise.get(name)
        if meant is not None:
            warn_caller(
                f"self.{name}, which {cls.__name__} sets, has no effect if nothing else reads it: {cls.__name__} does "
                f"not, and hippo does not. {meant}"
            )


def _is_ours(base: type) -> bool:
    return f"{base.__module__}.".startswith(_OURS)


def _settings(cls: type) -> set[str]:
    """Return the public attributes that hippo's own classes declare, with a value."""
    return {
        name
        for base in cls.__mro__
        if _is_ours(base)
        for name in inspect.get_annotations(base)
        if not name.startswith("_") and name in vars(base)
    }


def _is_data(name: str, value: Any) -> bool:
    return not name.startswith("_") and not callable(value) and not hasattr(value, "__get__")


def _nearest(name: str, settings: set[str]) -> str | None:
    # people drop a letter or add one, but hardly ever miss the first: `params` is no misspelt `hparams`
    alike = sorted(setting for setting in settings if setting[0] == name[0] and setting != name)
    return next(iter(difflib.get_close_matches(name, alike, n=1, cutoff=_LIKENESS)), None)


def _names_read(value: Any) -> Iterator[str]:
    """Yield the names that a function reads, with those of the functions in it."""
    for code in _codes(value):
        yield from code.co_names
        yield from (constant for constant in code.co_consts if isinstance(constant, str))  # getattr(self, "devices")


def _attributes_read(code: CodeType) -> Iterator[str]:
    """Yield the names of attributes, of whatever, that code begins to read."""
    for instruction in dis.get_instructions(code):
        if instruction.opname.startswith("LOAD") and instruction.opname.endswith(("_ATTR", "_METHOD")):
            yield instruction.argval


def _attributes_set(code: CodeType) -> Iterator[str]:
    """Yield the names of the attributes of `self` that code sets."""
    for before, instruction in itertools.pairwise(dis.get_instructions(code)):
        if instruction.opname != "STORE_ATTR" or not ("LOAD_FAST" in before.opname or before.opname == "LOAD_DEREF"):
            continue
        # from Python 3.13 on, one instruction may name two
        owner = before.argval[-1] if isinstance(before.argval, tuple) else before.argval
        if owner == "self":
            yield instruction.argval


def _codes(value: Any) -> Iterator[CodeType]:
    """Yield the code of a function, of those that it wraps, and of the functions in them."""
    if isinstance(value, property):
        functions = [value.fget, value.fset]
    else:
        functions = [value.func if isinstance(value, functools.cached_property) else getattr(value, "__func__", value)]
    functions += [inspect.unwrap(each) for each in functions if callable(each)]  # @torch.no_grad(), say
    waiting = [code for each in functions if isinstance(code := getattr(each, "__code__", None), CodeType)]
    while waiting:
        code = waiting.pop()
        yield code
        waiting += [constant for constant in code.co_consts if isinstance(constant, CodeType)]
