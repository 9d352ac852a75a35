"""Stand-in."""

from __future__ import annotations

from torch.overrides import TorchFunctionMode


class DrawAsSolo(TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):  # type: ignore
        return func(*args, **(kwargs or {}))
