"""A mode in which some operations of torch are computed otherwise. It refuses to know which, and why."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from torch.utils._python_dispatch import TorchDispatchMode


class Products(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Within it, operations are computed as a table says, and all others as they are.

    Args:
      instead: operation -> what to compute in its place. One table for all: each mode costs microseconds in every
        operation.
      otherwise: returns what to compute in the place of any other operation; by default that itself.
    """

    def __init__(
        self, instead: Mapping[Any, Callable[..., Any]], otherwise: Callable[[Any], Callable[..., Any]] | None = None
    ) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._instead = instead
        self._otherwise = otherwise

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # what torch.compile is kept from would cost more than all else here: nobody compiles this

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Mapping[str, Any] | None = None
    ) -> Any:
        instead = self._instead.get(func)
        if instead is None:
            instead = func if self._otherwise is None else self._otherwise(func)
        return instead(*args, **(kwargs or {}))
