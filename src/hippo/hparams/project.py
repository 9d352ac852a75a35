"""Which code is the user's own: whatever an import finds that is neither installed, nor Python's, nor hippo's.

Inside are files of a trainer's own package, or of its script's folder. Beside are all others: a package next to it,
what PYTHONPATH names, a checkout that is installed as editable. Where a file lies decides, and neither the script that
runs nor the current folder: launchers and workers have others.

It looks for modules where an import would find them, and imports nothing.
"""

from __future__ import annotations

import functools
import importlib.machinery
import itertools
import os
import sys
import sysconfig
from pathlib import Path
from types import ModuleType

INSTALLED = ("site-packages", "dist-packages")
#: top-level modules that are never beside anybody's: each process has a script of its own, and the environment has
#: the versions of the others, of which some have a checkout
_NEVER_BESIDE = ("__main__", "__mp_main__", "torch", "numpy")
#: a package beside with more files of Python is a library's checkout: each takes some 10 ms to read, in each process
_MOST_FILES = 300


def module_file(name: str) -> str | None:
    """Return the file that a fresh import of the module would run; None if there is none."""
    path = None
    spec = None
    for part in name.split("."):
        # each by its own name: a folder without __init__.py within another one asks for a parent that nobody imported
        spec = importlib.machinery.PathFinder.find_spec(part, path)
        if spec is None:
            return None
        path = spec.submodule_search_locations
    return spec.origin if spec else None


def found_file(name: str) -> str | None:
    """Return the file of a module that is not loaded: as `module_file`, and what an editable install would find.

    Such an install may be found by a hook of its own, and what lies in a package by where that was loaded from.
    """
    folders = getattr(sys.modules.get(name.rpartition(".")[0]), "__path__", None)
    if folders is not None:
        spec = importlib.machinery.PathFinder.find_spec(name, list(folders))
        return spec.origin if spec is not None else None
    hooks = [hook for hook in sys.meta_path if getattr(hook, "__module__", "").startswith("__editable__")]
    specs = (hook.find_spec(name, None) for hook in hooks if "." not in name)
    return module_file(name) or next((spec.origin for spec in specs if spec is not None), None)


class Project:
    """The code around a trainer.

    Args:
      module: the name of the trainer's module.
    """

    def __init__(self, module: str) -> None:
        self._root = _root(module)
        self._files: dict[str, Path | None] = {}  # each look goes to the disk

    def file(self, module: str) -> Path | None:
        """Return the file of a module if the module is the project's own, inside or beside, else None."""
        if module not in self._files:
            self._files[module] = self._find(module)
        return self._files[module]

    def file_inside(self, module: str) -> Path | None:
        """Return the file of a module of the trainer's own package, or of its script's folder, else None."""
        path = self.file(module)
        return path if path is not None and self._root is not None and path.is_relative_to(self._root) else None

    def source_inside(self, module: ModuleType) -> Path | None:
        """Return the file of a module that was loaded by its path, under a name that no import finds."""
        found = getattr(module, "__file__", None)
        if self._root is None or found is None or module.__name__ in sys.modules:
            return None
        path = Path(found).resolve()
        return path if path.suffix == ".py" and path.is_relative_to(self._root) and path.is_file() else None

    def _find(self, module: str) -> Path | None:
        top = module.partition(".")[0]
        if top == "hippo":  # also where a project lies around a checkout of ours
            return None
        loaded = sys.modules.get(module)
        found = getattr(loaded, "__file__", None) or (found_file(module) if loaded is None else None)
        if found is None or self._root is None:
            return None
        path = Path(found).resolve()
        if path.is_relative_to(_standard_library()) or any(part in INSTALLED for part in path.parts):
            return None
        return path if path.is_relative_to(self._root) or _is_beside(module, found, path) else None


@functools.lru_cache(4096)
def _is_beside(module: str, found: str, path: Path) -> bool:
    """Tell whether a file, outside of a project's folder, is somebody's own code, which may be edited by hand."""
    top = module.partition(".")[0]
    if top in _NEVER_BESIDE or path.suffix != ".py" or not path.is_file():
        return False
    if not _is_called(module, path) and not _is_called(module, Path(found)):  # a name in a module, which is none
        return False
    depth = module.count(".") + (path.name == "__init__.py")
    if any(part in INSTALLED for part in Path(found).parts):  # linked to from there
        return False
    return not _is_installed_in(path.parents[depth]) and not _is_large(path.parents[depth] / top)


def _is_called(module: str, path: Path) -> bool:
    parts = (path.parent if path.name == "__init__.py" else path.with_suffix("")).parts
    names = tuple(module.split("."))
    return len(parts) > len(names) and parts[-len(names) :] == names


@functools.lru_cache(256)
def _is_installed_in(folder: Path) -> bool:
    return next(folder.glob("*.dist-info"), None) is not None  # by `pip install --target`, or into a cache of links


@functools.lru_cache(256)
def _is_large(package: Path) -> bool:
    return next(itertools.islice(package.rglob("*.py"), _MOST_FILES, None), None) is not None


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
