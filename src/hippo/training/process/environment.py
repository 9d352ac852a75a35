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
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

from hippo.training.process.determinism import ANY, EXACT, Switches, fresh_switches, promise_compiler, switches, turn
from hippo.training.process.streams import loaded

#: deterministic matrix products on CUDA need it before the first one
CUBLAS_WORKSPACE = ":4096:8"
_WORKSPACE = "CUBLAS_WORKSPACE_CONFIG"
#: by which libraries learn how many threads they may have, when they are loaded
THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "MKL_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "VECLIB_MAXIMUM_THREADS",
)
#: in the environment of a host that is an actor of Ray, and of all processes below it
BELOW_RAY_HOST = "HIPPO_RAY_HOST"


def versions() -> dict[str, str]:
    """Return what must agree between a study and processes elsewhere that work for it: name -> version."""
    # not imported: through the front door this room would reach all others
    ours: str = sys.modules["hippo"].__version__
    return {"Python": ".".join(platform.python_version_tuple()[:2]), "hippo": ours}


def variables_of_bits() -> dict[str, str]:
    """Return the variables that decide about bits before a process runs any code, as processes elsewhere need them."""
    here = {name: os.environ[name] for name in THREAD_VARIABLES if name in os.environ}
    seed = _hash_seed()
    return here | {"PYTHONHASHSEED": seed if seed.isdigit() else "0"}


class _Pinned:
    """What is pinned in this process, for a torch that is loaded later."""

    threads: int | None = None
    is_exact: bool = True
    #: flags of a torch that was loaded while pinned, as it brought them
    brought: tuple[Any, ...] | None = None


_pinned = _Pinned()


def describe_environment(
    threads: int, device: str = "cpu", *, hash_seed: str | None = None, world_size: int = 1
) -> dict[str, str]:
    """Return name -> value of every field on which bits may depend.

    Args:
      threads: intra-operation threads, as pinned.
      device: "cpu", or "cuda" with an optional index or the device's UUID.
      hash_seed: of the strings in the processes that train; None: of those in this one.
      world_size: processes among which each batch is divided, where their number decides about bits.
    """
    return {
        "python": f"{sys.version_info.major}.{sys.version_info.minor}",
        "torch": _version("torch"),
        "numpy": _version("numpy"),
        "device": _cpu_model() if device == "cpu" else _gpu_model(device),
        "threads": str(threads),
        "deterministic": "yes",
        "world_size": str(world_size),
        "hash_seed": _hash_seed() if hash_seed is None else hash_seed,
    }


def package_versions(names: Iterable[str]) -> dict[str, str]:
    """Return name -> version of those top-level modules that are of installed packages, and not in the environment."""
    others = sorted(set(names) - sys.stdlib_module_names - {"hippo", "torch", "numpy", "__main__"})
    found = {name: _version(name) for name in others}
    for name in [name for name in others if found[name] == "none"]:  # its package is called otherwise, as PIL's is
        told = getattr(sys.modules.get(name), "__version__", None)
        found[name] = told if isinstance(told, str) else "none"
    return {name: version for name, version in found.items() if version != "none"}


def pin(threads: int) -> None:
    """Set threads and determinism flags of torch for the rest of this process, at once or when it is loaded."""
    if _WORKSPACE not in os.environ:
        os.environ[_WORKSPACE] = CUBLAS_WORKSPACE
    _pinned.threads = threads
    promise_compiler(_pinned.is_exact)
    torch = loaded("torch")
    if torch is None:
        return
    if torch.get_num_threads() != threads:
        torch.set_num_threads(threads)
    _turn(_pinned.is_exact)
    torch.utils.deterministic.fill_uninitialized_memory = False  # a debugging aid that costs a write per allocation
    torch.backends.cudnn.deterministic = _pinned.is_exact
    torch.backends.cudnn.benchmark = False


class pinned:
    """Pin for the block, and give back to torch and the process what they had before.

    A class, since each assignment in this process is such a block: a generator takes three times as long.
    """

    __slots__ = ("_before", "_had_workspace", "_outer", "_threads")

    def __init__(self, threads: int) -> None:
        self._threads = threads

    def __enter__(self) -> None:
        self._had_workspace = _WORKSPACE in os.environ
        self._before = _flags()
        self._outer = _pinned.threads
        pin(self._threads)

    def __exit__(self, *_: object) -> None:
        _pinned.threads = self._outer  # of a trainer that trains another study, say
        promise_compiler(None if self._outer is None else _pinned.is_exact)
        if not self._had_workspace:
            with contextlib.suppress(KeyError):  # the trainer may have taken it away
                del os.environ[_WORKSPACE]
        _give_back(self._before or _pinned.brought)


def pinned_numerics() -> str:
    """Return what `numerics` is to be given elsewhere, for the operations to be allowed there that are allowed here."""
    return "exact" if _pinned.is_exact and _pinned.threads is not None else "fast"


def numerics(kind: str) -> AbstractContextManager[None]:
    """Allow operations that have no deterministic form for the block, if `kind` is "fast"."""
    return _any_operations() if kind == "fast" else contextlib.nullcontext()


@contextmanager
def _any_operations() -> Iterator[None]:
    before = _flags()
    _pinned.is_exact = False
    if _pinned.threads is not None:
        promise_compiler(False)
    if before is not None:
        _turn(False)
        sys.modules["torch"].backends.cudnn.deterministic = False
    try:
        yield
    finally:
        _pinned.is_exact = True
        if _pinned.threads is not None:
            promise_compiler(True)
        _give_back(before)


def pin_late_torch() -> None:
    """Pin a torch that has just been loaded, if this process pins anything."""
    _pinned.brought = _flags(fresh_switches())
    if _pinned.threads is not None:
        pin(_pinned.threads)


def _turn(is_exact: bool) -> None:
    turn(Switches(EXACT if is_exact else ANY, is_exact))


def _flags(of_switches: Switches | None = None) -> tuple[Any, ...] | None:
    torch = loaded("torch")
    if torch is None:
        return None
    return (
        torch.get_num_threads(),
        of_switches or switches(),
        torch.utils.deterministic.fill_uninitialized_memory,
        torch.backends.cudnn.deterministic,
        torch.backends.cudnn.benchmark,
    )


def _give_back(flags: tuple[Any, ...] | None) -> None:
    torch = loaded("torch")
    if torch is None or flags is None:
        return
    torch.set_num_threads(flags[0])
    turn(flags[1])
    torch.utils.deterministic.fill_uninitialized_memory = flags[2]
    torch.backends.cudnn.deterministic, torch.backends.cudnn.benchmark = flags[3:]


@functools.cache  # reading the files of a package takes a millisecond, and each call of a study asks
def _version(package: str) -> str:
    try:
        return importlib.metadata.version(package) or "none"
    except (importlib.metadata.PackageNotFoundError, OSError, ValueError, KeyError):
        return "none"  # the last three: its files are broken; importlib_metadata, in Python's place, tells it so


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
    torch = loaded("torch")
    name = device.partition(":")[2] or "0"
    if torch is not None and torch.cuda.is_initialized():
        return str(torch.cuda.get_device_name(_visible_index(torch, name)))
    return _output("nvidia-smi", f"--id={name}", "--query-gpu=name", "--format=csv,noheader") or "unknown GPU"


def _visible_index(torch: Any, name: str) -> int:
    """Return the number that CUDA gives, in this process, to a device named as CUDA_VISIBLE_DEVICES names it."""
    for index in range(torch.cuda.device_count()):
        uuid = str(getattr(torch.cuda.get_device_properties(index), "uuid", ""))
        if uuid and name.removeprefix("GPU-") == uuid.removeprefix("GPU-"):
            return index
    listed = [each.strip() for each in os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",")]
    if name in listed:
        return listed.index(name)
    return int(name) if name.isdigit() and int(name) < torch.cuda.device_count() else 0


def _hash_seed() -> str:
    """Return the seed of the hashes of strings in this process: a number, or "random"."""
    if not sys.flags.hash_randomization:
        return "0"
    seed = os.environ.get("PYTHONHASHSEED", "random")
    return seed if seed.isdigit() else "random"


def _output(*command: str) -> str:
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=10, check=True).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return ""
