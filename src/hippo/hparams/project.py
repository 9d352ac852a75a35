"""Which code is the user's own: files beside the trainer's, neither installed nor Python's nor hippo's.

It looks for modules where an import would find them, and imports nothing.
"""

from __future__ import annotations

import functools
import importlib.machinery
import os
import sys
import sysconfig
from pathlib import Path
from types import ModuleType

INSTALLED = ("site-packages", "dist-packages")


def module_file(name: str) -> str | None:
    """Return the file that a fresh import of the module would run; None if there is none."""
    path = None
    spec = None
    for end in (i for i, letter in enumerate(name + ".") if letter == "."):
        spec = importlib.machinery.PathFinder.find_spec(name[:end], path)
        if spec is None:
            return None
        path = spec.submodule_search_locations
    return spec.origin if spec else None


class Project:
    """The code around a trainer.

    Args:
      module: the name of the trainer's module.
    """

    def __init__(self, module: str) -> None:
        self._root = _root(module)

    def file(self, module: str) -> Path | None:
        """Return the file of a module if the module is the project's own, else None."""
        if module.partition(".")[0] == "hippo":  # also where a project lies around a checkout of ours
            return None
        loaded = sys.modules.get(module)
        found = getattr(loaded, "__file__", None) or (module_file(module) if loaded is None else None)
        if found is None or self._root is None:
            return None
        path = Path(found).resolve()
        is_own = path.is_relative_to(self._root) and not path.is_relative_to(_standard_library())
        return path if is_own and not any(part in INSTALLED for part in path.parts) else None


def _root(module: str) -> Path | None:
    """Return the folder of the module's top-level package, or the one that its script lies in."""
    top = module.partition(".")[0]
    if top == "hippo":  # our own code is not part of anybody's project; what changes bits raises `exactness`
        return None
    loaded = sys.modules.get(top)
    if isinstance(loaded, ModuleType) and getattr(loaded, "__path__", None):
        return Path(next(iter(loaded.__path__))).resolve()
    file = getattr(loaded, "__file__", None)
    if file is None:  # standard input or a notebook: what an import would find beside it
        return Path(os.getcwd()).resolve()
    return Path(file).resolve().parent


@functools.cache
def _standard_library() -> Path:
    return Path(sysconfig.get_path("stdlib")).resolve()
