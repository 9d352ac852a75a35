"""Notices when a library is imported for the first time, such as numpy or torch in the middle of a user's method.

A trainer that imports a library inside `build` must get the same numbers in each worker, whether another trial has
loaded it there before or not. This module refuses to know what is done about it: it calls back.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from hippo.training.process.streams import LIBRARIES, loaded, note_loaded


def late_imports_noticed(arrived: Callable[[str], None]) -> AbstractContextManager[None]:
    """Call `arrived` with a library's name as soon as it is imported within the block, before its importer goes on."""
    return _LoadListener(arrived)


class _LoadListener:
    """The block. A class, since each assignment is such a block: a generator takes three times as long."""

    __slots__ = ("_arrived", "_finder")

    def __init__(self, arrived: Callable[[str], None]) -> None:
        self._arrived = arrived
        self._finder: MetaPathFinder | None = None

    def __enter__(self) -> None:
        is_complete = True
        for name in LIBRARIES:
            if name not in sys.modules:
                is_complete = False
            elif loaded(name) is None:  # another thread is at it: it began before we could notice
                importlib.import_module(name)
        if not is_complete:
            self._finder = watch(LIBRARIES, self._arrived)

    def __exit__(self, *_: object) -> None:
        if self._finder is not None:
            unwatch(self._finder)


def watch(names: Sequence[str], arrived: Callable[[str], None]) -> MetaPathFinder:
    """Call `arrived` with the name of each of these modules as soon as it is imported, until `unwatch`."""
    finder = _Finder(names, arrived)
    sys.meta_path.insert(0, finder)
    return finder


def unwatch(finder: MetaPathFinder) -> None:
    """End what `watch` began."""
    if finder in sys.meta_path:
        sys.meta_path.remove(finder)


class _Finder(MetaPathFinder):
    """Finds what the others find, and puts a loader around it that calls back."""

    def __init__(self, names: Sequence[str], arrived: Callable[[str], None]) -> None:
        self._names = frozenset(names)
        self._arrived = arrived
        self._looking: set[str] = set()

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname not in self._names or fullname in self._looking:
            return None
        self._looking.add(fullname)
        try:
            spec = importlib.util.find_spec(fullname)  # which comes by here again
        finally:
            self._looking.remove(fullname)
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(spec.loader, self._arrived)
        return spec


class _Loader(Loader):
    def __init__(self, inner: Any, arrived: Callable[[str], None]) -> None:
        self._inner = inner
        self._arrived = arrived

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._inner.create_module(spec)  # type: ignore[no-any-return]

    def exec_module(self, module: ModuleType) -> None:
        # the library sees the loader that is its own: some ask it for files
        module.__loader__ = self._inner
        if module.__spec__ is not None:
            module.__spec__.loader = self._inner
        self._inner.exec_module(module)
        note_loaded(module.__name__)
        self._arrived(module.__name__)
