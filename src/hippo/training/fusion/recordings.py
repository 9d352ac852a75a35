"""What a device has computed once, launched again as a whole: CUDA graphs.

A recording is made of kernels and of the memory that these read and wrote. Whatever Python did between them is not in
it. This module refuses to know what is computed.
"""

from __future__ import annotations

import functools
import gc
import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Protocol

import torch


class Recorder(Protocol):
    """Records what is computed on a device."""

    def rehearsal(self) -> AbstractContextManager[None]:
        """Compute in the block what is recorded next, for real; what has Python wait for the device raises there."""
        ...

    def record(self, compute: Callable[[], Any]) -> Callable[[], None]:
        """Call `compute`, which computes nothing while it is recorded, and return what does compute it, every time.

        The tensors that `compute` reads, and those that it makes, are those of all times.

        Raises:
          Exception: whatever `compute` raises; and torch's own, where it does what cannot be recorded.
        """
        ...


class CudaRecorder:
    """Records kernels on a CUDA device.

    Args:
      device: on which tensors are.
    """

    def __init__(self, device: torch.device) -> None:
        self._device = device

    @contextmanager
    def rehearsal(self) -> Iterator[None]:
        """See `Recorder.rehearsal`; libraries make what they need on this stream, outside of any recording."""
        before, stream = torch.cuda.get_sync_debug_mode(), _stream_of(self._device)
        stream.wait_stream(torch.cuda.current_stream(self._device))
        _set_sync_debug_mode("error")
        try:
            with torch.cuda.stream(stream):
                yield
        finally:
            _set_sync_debug_mode(before)
            torch.cuda.current_stream(self._device).wait_stream(stream)

    def record(self, compute: Callable[[], Any]) -> Callable[[], None]:
        """See `Recorder.record`."""
        torch.cuda.empty_cache()  # a recording has memory of its own, as much again as what it records
        try:
            return self._captured(compute)
        except Exception:
            # a capture that broke off leaves torch's generator waiting for its end, which any other one brings
            self._captured(lambda: torch.zeros(1, device=self._device))
            raise

    def _captured(self, compute: Callable[[], Any]) -> Callable[[], None]:
        graph = torch.cuda.CUDAGraph()
        torch.cuda.synchronize(self._device)
        with torch.cuda.stream(_stream_of(self._device)), _no_collector():
            graph.capture_begin(capture_error_mode="thread_local")  # other threads may be writing states meanwhile
            try:
                compute()
            finally:
                graph.capture_end()
        return graph.replay


def recorder_of(device: torch.device) -> Recorder | None:
    """Return what records on a device; None: nothing does."""
    return CudaRecorder(device) if device.type == "cuda" and torch.version.cuda is not None else None


@functools.cache
def _stream_of(device: torch.device) -> torch.cuda.Stream:
    """Return the stream that is recorded on: one for all, since libraries keep memory for each."""
    return torch.cuda.Stream(device)  # type: ignore[no-untyped-call]


def _set_sync_debug_mode(mode: int | str) -> None:
    with warnings.catch_warnings():
        # that it does not see all: what it does not see fails when it is recorded
        warnings.filterwarnings("ignore", message="Synchronization debug mode")
        torch.cuda.set_sync_debug_mode(mode)


@contextmanager
def _no_collector() -> Iterator[None]:
    """Collect nothing in the block: an earlier recording that is garbage must not go while another is made."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
