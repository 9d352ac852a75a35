"""Where worker processes go: which accelerators there are, and how many workers share them.

This process never touches CUDA to find out, since what it would start could not be used by the workers and would
take memory on the device. This module refuses to know what runs on a device.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence

from hippo.errors import EngineError

_QUERY_TIMEOUT_S = 20.0  # the first query after boot loads the driver


def visible_devices() -> tuple[str, ...]:
    """Return the CUDA devices that this process may use, as CUDA_VISIBLE_DEVICES would name them; often none."""
    listed = os.environ.get("CUDA_VISIBLE_DEVICES")
    if listed is None:
        return _installed_devices()
    names = [name.strip() for name in listed.split(",")]
    # as CUDA reads it: what follows an invalid entry is invisible
    valid = next((i for i, name in enumerate(names) if name in ("", "-1", "NoDevFiles")), len(names))
    return tuple(names[:valid])


def _installed_devices() -> tuple[str, ...]:
    program = shutil.which("nvidia-smi")
    if program is None:
        return ()
    query = [program, "--query-gpu=uuid", "--format=csv,noheader"]
    try:
        found = subprocess.run(query, capture_output=True, text=True, timeout=_QUERY_TIMEOUT_S, check=True)
    except (OSError, subprocess.SubprocessError):
        return ()  # the tool is there, a working driver is not
    return tuple(line.strip() for line in found.stdout.splitlines() if line.strip())


def usable_cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def check_count(name: str, value: object) -> None:
    """Refuse what cannot be a number of workers or threads."""
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise EngineError(f"{name}={value!r} is not a number of {name}. Use a whole number, at least 1.")


def place_workers(workers: int | None, devices: Sequence[str], *, threads: int) -> tuple[str | None, ...]:
    """Return the device of each worker, None where there is none.

    Without a number there is one worker for each device, else one for every `threads` cores; more workers than
    devices share them in turn.
    """
    if workers is None:
        workers = len(devices) or max(1, usable_cores() // threads)
    if not devices:
        return (None,) * workers
    return tuple(devices[index % len(devices)] for index in range(workers))


def device_field(device: str | None) -> str:
    """Return how an environment names the device of a worker."""
    return "cpu" if device is None else f"cuda:{device}"
