"""Stand-in."""

from __future__ import annotations

from torch.utils._python_dispatch import TorchDispatchMode


class AlignedProducts(TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):  # type: ignore
        return func(*args, **(kwargs or {}))
