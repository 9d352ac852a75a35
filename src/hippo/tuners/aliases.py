"""Arguments of our tuners under the names that users of Ray Tune know."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

from hippo.errors import TunerError

T = TypeVar("T")


def accept_aliases(**names: str) -> Callable[[type[T]], type[T]]:
    """Let a class be made with other names for its arguments: alias=argument.

    The signature, the fields and the record know the arguments only, so that both ways make equal objects.

    Raises:
      TunerError: when an object is made with both an argument and its alias.
    """

    def decorate(cls: type[T]) -> type[T]:
        init: Callable[..., None] = cls.__init__

        @functools.wraps(init)
        def init_by_any_name(self: T, *args: Any, **kwargs: Any) -> None:
            for alias, name in names.items():
                if alias not in kwargs:
                    continue
                if name in kwargs:
                    raise TunerError(
                        f"{cls.__name__} was given both {name}={kwargs[name]!r} and {alias}={kwargs[alias]!r}, which "
                        f"are the same; leave {alias} out"
                    )
                kwargs[name] = kwargs.pop(alias)
            init(self, *args, **kwargs)

        cls.__init__ = init_by_any_name  # type: ignore[method-assign,assignment]
        return cls

    return decorate


#: Ray Tune's names for the bounds of tuners with rungs
accept_ray_names = accept_aliases(grace_period="min_steps", max_t="max_steps", reduction_factor="reduction")
