"""Records updates on the CPU, as a CUDA graph does on a device: for tests of what is recorded, and what is not.

It refuses to know what is computed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves


class Tape(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Kernels in the order in which they were called, with their tensors: what a CUDA graph is, on a CPU."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.calls: list[tuple[Any, Any, Any, Any]] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        self.calls.append((func, args, kwargs or {}, result))
        return result

    def play(self) -> None:
        with torch.no_grad():
            for func, args, kwargs, before in self.calls:
                if func.is_view:
                    continue
                after = func(*args, **kwargs)
                for old, new in zip(tree_leaves(before), tree_leaves(after), strict=True):
                    if isinstance(old, Tensor) and old is not new:
                        old.copy_(new)


class TapeRecorder:
    """Records on the CPU."""

    def __init__(self) -> None:
        self.recorded = self.played = 0
        #: what cannot be
        self.refusal = ""
        #: what goes wrong with a recording, if anything
        self.fault: Callable[[], None] | None = None

    @contextmanager
    def rehearsal(self) -> Iterator[None]:
        yield

    def record(self, compute: Callable[[], Any]) -> Callable[[], None]:
        if self.refusal:
            raise RuntimeError(self.refusal)
        self.recorded += 1
        tape = Tape()
        with tape:
            compute()

        def play() -> None:
            self.played += 1
            tape.play()
            if self.fault is not None:
                self.fault()

        return play
