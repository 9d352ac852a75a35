"""Memory of a process, as Linux tells it."""

from __future__ import annotations

from pathlib import Path


def status_bytes(name: str, pid: int | str = "self") -> int:
    """Return what a process's status says under `name`: "VmHWM", the peak of resident memory, or "VmRSS", that of now.

    `getrusage` has the peak, too, and counts what the process had before `exec`.
    """
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    return int(status.partition(f"{name}:")[2].split()[0]) << 10
