"""Where worker processes go: which accelerators there are, and how many workers share them.

This process never touches CUDA to find out, since what it would start could not be used by the workers and would
take memory on the device. This module refuses to know what runs on a device.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from hippo.errors import EngineError
from hippo.training.telling import warn

_MOST_RESIDENT_BYTES = 1 << 30
_QUERY_TIMEOUT_S = 20.0  # the first query after boot loads the driver


#: what others call the arguments of engines
HINTS = {
    **dict.fromkeys(
        ("num_workers", "n_jobs", "max_concurrent", "processes", "slots", "num_cpus"),
        "hippo.LocalEngine(workers=...) says how many run at a time",
    ),
    **dict.fromkeys(("gpus", "num_gpus", "device", "gpu"), "hippo.LocalEngine(devices=[0, 1]) says which devices"),
}


def visible_devices() -> tuple[str, ...]:
    """Return the CUDA devices that this process may use, as CUDA_VISIBLE_DEVICES would name them; often none."""
    listed = os.environ.get("CUDA_VISIBLE_DEVICES")
    if listed is None:
        return tuple(device.uuid for device in installed_devices())
    names = [name.strip() for name in listed.split(",")]
    # as CUDA reads it: what follows an invalid entry is invisible
    valid = next((i for i, name in enumerate(names) if name in ("", "-1", "NoDevFiles")), len(names))
    return tuple(names[:valid])


@dataclass(frozen=True, slots=True)
class InstalledDevice:
    """A device, as the driver lists it."""

    index: str
    uuid: str
    model: str


def installed_devices() -> tuple[InstalledDevice, ...]:
    """Return the CUDA devices of this machine, none where there is no driver."""
    program = shutil.which("nvidia-smi")
    if program is None:
        return ()
    query = [program, "--query-gpu=index,uuid,name", "--format=csv,noheader"]
    try:
        found = subprocess.run(query, capture_output=True, text=True, timeout=_QUERY_TIMEOUT_S, check=True)
    except (OSError, subprocess.SubprocessError):
        return ()  # the tool is there, a working driver is not
    lines = [[field.strip() for field in line.split(",", 2)] for line in found.stdout.splitlines()]
    return tuple(InstalledDevice(*fields) for fields in lines if len(fields) == 3)


def like_devices() -> tuple[str, ...]:
    """Return the visible devices, or if they are of several models those of the most frequent one, and say so.

    Bits differ from model to model, so a plan is trained on one.
    """
    devices = visible_devices()
    models = _models(devices)
    if len(set(models.values())) < 2:
        return devices
    names = list(models.values())
    chosen = max(dict.fromkeys(names), key=names.count)  # of equally frequent ones the first
    used = tuple(device for device in devices if models.get(device) == chosen)
    left = [f"{device} ({models.get(device, 'unknown')})" for device in devices if device not in used]
    warn(
        f"the CUDA devices of this machine are of several models, whose results differ in their last bits. Used: the "
        f"{len(used)} of model {chosen}. Left out: {', '.join(left)}. To use those, name them: "
        "LocalEngine(devices=[...])."
    )
    return used


def chosen_devices(devices: Sequence[str | int]) -> tuple[str, ...]:
    """Return the devices that a user chose, as CUDA_VISIBLE_DEVICES would name them.

    Raises:
      EngineError: one is not there, or they are of several models.
    """
    if (
        not isinstance(devices, list | tuple)
        or not devices
        or not all(isinstance(device, str | int) and not isinstance(device, bool) for device in devices)
    ):
        raise EngineError(f"devices={devices!r} is no list of devices. Write devices=[0, 1], or their UUIDs.")
    names = tuple(map(_visible_name, map(str, devices)))
    installed = installed_devices()
    if names and not installed and not _may_have_devices():
        raise EngineError(
            f"devices={list(devices)!r}: this machine has no CUDA device. Leave devices= out, to train on the CPU."
        )
    known = {name for device in installed for name in (device.index, device.uuid)}
    for name in names:
        # a part of a UUID will do, and parts of devices (MIG) are listed elsewhere
        if installed and not name.startswith("MIG") and not any(each.startswith(name) for each in known):
            listed = ", ".join(f"{device.index} ({device.model}, {device.uuid})" for device in installed)
            raise EngineError(f"devices={list(devices)!r}: there is no CUDA device {name!r}; there are {listed}.")
    models = _models(names)
    if len(set(models.values())) > 1:
        listed = ", ".join(f"{name} ({model})" for name, model in models.items())
        raise EngineError(
            f"devices={list(devices)!r} are of several models: {listed}. Their results differ in their last bits, so "
            "one study cannot use both: choose those of one model."
        )
    return names


def _visible_name(device: str) -> str:
    """Return what "cuda:1" means; other names stay as they are."""
    kind, colon, index = device.partition(":")
    if kind != "cuda":
        return device
    visible = visible_devices()
    number = int(index) if index.isdigit() else 0 if not colon else -1
    if not 0 <= number < len(visible):
        raise EngineError(
            f"devices=[{device!r}]: this machine has no such CUDA device; "
            + (f"{len(visible)} are visible: {', '.join(visible)}." if visible else "none is visible.")
        )
    return visible[number]


def _models(devices: Sequence[str]) -> dict[str, str]:
    """Return the model of each of these devices that the driver knows."""
    installed = installed_devices() if devices else ()
    found = {}
    for name in devices:
        for device in installed:
            if name == device.index or device.uuid.startswith(name):
                found[name] = device.model
    return found


def _may_have_devices() -> bool:
    """Tell whether there are devices that nvidia-smi does not list: AMD's, embedded ones, those of Windows' Linux."""
    return any(
        Path(file).exists() for file in ("/dev/kfd", "/dev/nvidia0", "/dev/nvhost-gpu", "/dev/nvmap", "/dev/dxg")
    )


def usable_cores() -> int:
    """Return the number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def fair_resident_bytes(workers: int) -> int:
    """Return how much memory each worker may fill with recent states: at most a quarter of all for all of them."""
    return min(_MOST_RESIDENT_BYTES, _usable_memory_bytes() // (4 * max(1, workers)))


def _usable_memory_bytes() -> int:
    """Return the memory that this process may use: the machine's, or less if its control group has a limit."""
    limits = []
    with contextlib.suppress(OSError, ValueError, AttributeError):
        limits.append(os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE"))
    for file in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        with contextlib.suppress(OSError, ValueError):  # "max" is no number
            limits.append(int(Path(file).read_text()))
    return min(limits, default=4 * _MOST_RESIDENT_BYTES)


def check_count(name: str, value: object, *, least: int = 1) -> None:
    """Refuse what cannot be a number of workers, threads or bytes."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        what = name.removeprefix("max_")
        raise EngineError(f"{name}={value!r} is not a number of {what}. Use a whole number, at least {least}.")


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


def checked_ranks(ranks: object, world_size: object) -> int:
    """Return of how many processes each worker is.

    Raises:
      EngineError: it cannot be so many.
    """
    for name, value in (("ranks", ranks), ("world_size", world_size)):
        check_count(name, value)
    assert isinstance(ranks, int)
    assert isinstance(world_size, int)
    if world_size & (world_size - 1):
        raise EngineError(
            f"world_size={world_size}: as many shards are added up along a tree, which a power of two of processes can "
            f"divide: use {1 << (world_size.bit_length() - 1)} or {1 << world_size.bit_length()}."
        )
    if ranks > 1 and world_size > 1:
        raise EngineError(
            f"ranks={ranks} and world_size={world_size}: say one. With ranks= the trainer's shards say what is "
            "computed, and results do not depend on it; with world_size= they do."
        )
    return max(ranks, world_size)


def grouped_devices(devices: Sequence[str], size: int, *, option: str = "devices_per_slot") -> tuple[str, ...]:
    """Return devices in groups of `size`, each as CUDA_VISIBLE_DEVICES names it; those left over stay unused.

    Raises:
      EngineError: there are devices, but not enough for one group.
    """
    if devices and len(devices) < size:
        raise EngineError(f"{option}={size}: there are only {len(devices)} devices here: {', '.join(devices)}.")
    whole = len(devices) - len(devices) % size
    return tuple(",".join(devices[start : start + size]) for start in range(0, whole, size))


def num_devices(device: str | None) -> int:
    """Return how many devices a worker has, as CUDA_VISIBLE_DEVICES names them; None: its processors, which are one."""
    return 1 if device is None else len(device.split(","))


def device_field(device: str | None) -> str:
    """Return how an environment names the device of a worker; of several, which are alike, the first."""
    return "cpu" if device is None else f"cuda:{device.partition(',')[0]}"
