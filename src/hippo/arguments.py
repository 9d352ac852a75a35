"""Calls with arguments that a function does not have, answered by what to write.

Python's own message names the argument and stops there; whoever comes from another library needs our word for it.
This module refuses to know which functions there are.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from hippo.errors import ArgumentError, did_you_mean

F = TypeVar("F", bound=Callable[..., Any])

#: parameters that nobody can give by name
_NAMELESS = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.VAR_POSITIONAL)


def explain_calls(shown: str = "", /, **hints: str) -> Callable[[F], F]:
    """Have a function answer a call that does not fit it by how it is called.

    Args:
      shown: what it is called, where that is not its name.
      **hints: by a name that others give to an argument: what to write here.

    Raises:
      ArgumentError: of the function: it was called with too many arguments, a name that it does not have, or without
        one that it needs.
    """

    def decorate(function: F) -> F:
        @functools.wraps(function)
        def explained(*arguments: Any, **named: Any) -> Any:
            try:
                return function(*arguments, **named)
            except TypeError:  # looked into only now: to bind arguments twice would cost every call
                check_call(function, arguments, named, hints, shown)
                raise

        return explained  # type: ignore[return-value]  # it has the signature of the function

    return decorate


def check_call(
    function: Callable[..., Any],
    arguments: tuple[Any, ...],
    named: Mapping[str, Any],
    hints: Mapping[str, str],
    shown: str = "",
) -> None:
    """Refuse arguments that do not fit a function; one whose first parameter is `self` is given it by its caller.

    Raises:
      ArgumentError: says what does not fit, and how the function is called.
    """
    signature = _signature(function)
    try:
        signature.bind(*arguments, **named)
    except TypeError as error:
        raise ArgumentError(_explained(function, signature, named, hints, str(error), shown)) from None


def made_by_init(cls: type) -> inspect.Signature:
    """Return how a class is called that takes whatever it is given, and hands it on to `__init__`."""
    init: Callable[..., None] = cls.__init__  # type: ignore[misc]
    if init is object.__init__:  # which says that it takes anything, and takes nothing
        return inspect.Signature()
    return inspect.Signature([*inspect.signature(init).parameters.values()][1:])


@functools.cache
def _signature(function: Callable[..., Any]) -> inspect.Signature:
    return inspect.signature(function)


def _explained(
    function: Callable[..., Any],
    signature: inspect.Signature,
    named: Mapping[str, Any],
    hints: Mapping[str, str],
    error: str,
    shown: str,
) -> str:
    name = shown or function.__qualname__.removesuffix(".__init__").removesuffix(".__call__")
    known = [parameter for parameter in signature.parameters if parameter != "self"]
    takes_any = any(each.kind is each.VAR_KEYWORD for each in signature.parameters.values())
    for given in () if takes_any else named:
        parameter = signature.parameters.get(given)
        if parameter is not None and parameter.kind not in _NAMELESS:
            continue
        if given in hints:
            return f"{name}() got an unexpected keyword argument {given!r}: {hints[given]}"
        if parameter is not None:  # that it cannot be given by name is what Python says
            continue
        return f"{name}() got an unexpected keyword argument {given!r}; it has {known}.{did_you_mean(given, known)}"
    return f"{name}() was called wrongly: {error}. It is called as {name}({_shown(signature)})."


def _shown(signature: inspect.Signature) -> str:
    """Return the parameters without their types, which people have no need of here."""
    plain = [
        parameter.replace(annotation=inspect.Parameter.empty)
        for name, parameter in signature.parameters.items()
        if name != "self"
    ]
    return str(inspect.Signature(plain)).strip("()")
