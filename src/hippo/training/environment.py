"""What decides about bits besides code: versions, device, threads, determinism. Described, and pinned.

It imports neither torch nor numpy to tell their versions, and touches no CUDA device to tell its name.
"""

from __future__ import annotations

import contextlib
import functools
import importlib.metadata
import os
import platform
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

#: deterministic matrix products on CUDA need it before the first one
CUBLAS_WORKSPACE = ":4096:8"


def describe_environment(threads: int, device: str = "cpu") -> dict[str, str]:
    """Return name -> value of every field on which bits may depend.

    Args:
      threads: intra-operation threads, as pinned.
      device: "cpu", or "cuda" with an optional index.
    """
    return {
        "python": f"{sys.version_info.major}.{sys.version_info.minor}",
        "torch": _version("torch"),
        "numpy": _version("numpy"),
        "device": _cpu_model() if device == "cpu" else _gpu_model(device),
        "threads": str(threads),
        "deterministic": "yes",
        "world_size": "1",
    }


def pin(threads: int) -> None:
    """Set threads and determinism flags of torch, if it is loaded, for the rest of this process."""
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", CUBLAS_WORKSPACE)
    torch = sys.modules.get("torch")
    if torch is None:
        return
    if torch.get_num_threads() != threads:
        torch.set_num_threads(threads)
    torch.use_deterministic_algorithms(True)
    torch.utils.deterministic.fill_uninitialized_memory = False  # a debugging aid that costs a write per allocation
    torch.backends.cudnn.deterministic = True
    torch.backends.cudnn.benchmark = False


@contextmanager
def pinned(threads: int) -> Iterator[None]:
    """Pin for the block, and give back to torch and the process what they had before."""
    workspace = os.environ.get("CUBLAS_WORKSPACE_CONFIG")
    torch = sys.modules.get("torch")
    before = None
    if torch is not None:
        before = (
            torch.get_num_threads(),
            torch.get_deterministic_debug_mode(),
            torch.utils.deterministic.fill_uninitialized_memory,
            torch.backends.cudnn.deterministic,
            torch.backends.cudnn.benchmark,
        )
    pin(threads)
    try:
        yield
    finally:
        if workspace is None:
            os.environ.pop("CUBLAS_WORKSPACE_CONFIG", None)
        if torch is not None and before is not None:
            torch.set_num_threads(before[0])
            torch.set_deterministic_debug_mode(before[1])
            torch.utils.deterministic.fill_uninitialized_memory = before[2]
            torch.backends.cudnn.deterministic, torch.backends.cudnn.benchmark = before[3:]


def _version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "none"


@functools.cache
def _cpu_model() -> str:
    with contextlib.suppress(OSError):
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    if sys.platform == "darwin":
        return _output("sysctl", "-n", "machdep.cpu.brand_string") or platform.machine()
    return platform.processor() or platform.machine()


@functools.cache
def _gpu_model(device: str) -> str:
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_initialized():
        return str(torch.cuda.get_device_name(device))
    index = device.partition(":")[2] or "0"
    return _output("nvidia-smi", f"--id={index}", "--query-gpu=name", "--format=csv,noheader") or "unknown GPU"


def _output(*command: str) -> str:
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=10, check=True).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return ""
