"""Files of settings and data that trainer_args name, and that hold something else than when their study was opened.

What files hold is no part of a plan's key: which of them decide about training nobody can tell. So it is said, once, as
with versions of packages, and people decide. Of other files nothing is said: training itself writes logs and tables of
text.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from hippo.errors import listed
from hippo.runtime.studies.warnings import say
from hippo.study.identity.upgrades import KeptTrainer
from hippo.training.code.same_code import MOST_NAMED

#: of a larger file the beginning and the end are read, each so long
_MOST_BYTES = 1 << 20
#: a longer text names no file
_LONGEST_NAME = 1000
#: how the names of files end that people write, for programs to read
_OF_SETTINGS = (".json", ".json5", ".toml", ".yaml", ".yml", ".ini", ".cfg", ".conf")
#: and of those that hold arrays, tables or weights, which a trainer is given to read
_OF_DATA = (
    *(".npy", ".npz", ".parquet", ".feather", ".arrow", ".h5", ".hdf5", ".mat", ".tfrecord", ".pt", ".pth"),
    *(".safetensors", ".pkl", ".pickle", ".zip", ".tar", ".gz", ".bz2", ".xz", ".zst"),
)


def named_files(arguments: Any) -> dict[str, str]:
    """Return name -> digest of what they hold, of the files of settings and data that a trainer's arguments name."""
    found: dict[str, str] = {}
    for name in _texts(arguments):
        with contextlib.suppress(OSError, ValueError):  # no name of a file at all, or one that cannot be read
            if len(name) <= _LONGEST_NAME and name.endswith(_OF_SETTINGS + _OF_DATA) and Path(name).is_file():
                found[name] = _digest(Path(name))
    return found


def say_changed_files(name: str, before: KeptTrainer, files: Mapping[str, str]) -> None:
    """Say which files hold something else than when a study, or one before it on its plans, was opened last.

    Args:
      name: of the study.
      before: what was known then.
      files: as `named_files` returns them.
    """
    _, changed = before.changes("files", files)
    if changed:
        hold = "hold" if changed[1:] else "holds"
        say(
            f"study {name!r}: {listed(changed, MOST_NAMED)}, which trainer_args name, {hold} something else than "
            "when this was trained before. What is in files is no part of the trainer's code: "
            "results with the former content stay, and are shared. If it trains otherwise now, "
            f"create_study(..., version='{Path(changed[0]).name} {files[changed[0]][:6]}') begins a new generation."
        )


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from _texts(part)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from _texts(part)


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(0)
        found = hashlib.sha256(f"{size} ".encode() + file.read(_MOST_BYTES))
        file.seek(max(_MOST_BYTES, size - _MOST_BYTES))
        found.update(file.read(_MOST_BYTES))
    return found.hexdigest()[:12]
