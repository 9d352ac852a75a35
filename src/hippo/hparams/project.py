"""Which code is the user's own: files beside the trainer's, neither installed nor Python's nor hippo's.

Beside a trainer's module are the others of its top-level package, and what lies next to that: other packages, and
modules. Code elsewhere on the path is not: an editable install of some large library would be read as a whole.

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
        self._root, self._is_package = _root(module)

    def file(self, module: str) -> Path | None:
        """Return the file of a module if the module is the project's own, else None."""
        if module.partition(".")[0] == "hippo":  # also where a project lies around a checkout of ours
            return None
        loaded = sys.modules.get(module)
        found = getattr(loaded, "__file__", None) or (module_file(module) if loaded is None else None)
        if found is None or self._root is None:
            return None
        path = Path(found).resolve()
        is_own = path.is_relative_to(self._root) or (self._is_package and self._is_next_to(path, module))
        is_own = is_own and not path.is_relative_to(_standard_library())
        return path if is_own and not any(part in INSTALLED for part in path.parts) else None

    def _is_next_to(self, path: Path, module: str) -> bool:
        """Tell whether a module's own top-level package, or its file, lies next to the trainer's package."""
        assert self._root is not None
        folder, top = self._root.parent, module.partition(".")[0]
        return path.is_relative_to(folder / top) or (path.parent == folder and path.name.partition(".")[0] == top)


def _root(module: str) -> tuple[Path | None, bool]:
    """Return the folder of the module's top-level package, or of its script; and whether it is that of a package."""
    top = module.partition(".")[0]
    if top == "hippo":  # our own code is not part of anybody's project; what changes bits raises `exactness`
        return None, False
    loaded = sys.modules.get(top)
    if isinstance(loaded, ModuleType) and getattr(loaded, "__path__", None):
        return Path(next(iter(loaded.__path__))).resolve(), True
    file = getattr(loaded, "__file__", None)
    if file is None:  # standard input or a notebook: what an import would find beside it
        return Path(os.getcwd()).resolve(), False
    return Path(file).resolve().parent, False


@functools.cache
def _standard_library() -> Path:
    return Path(sysconfig.get_path("stdlib")).resolve()
