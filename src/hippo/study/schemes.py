"""Storages that are no databases, by the scheme of their URL: modules that know how a study is had there.

A module is named, and imported when its scheme is met: what it needs comes with an extra, and rooms above this one may
have it. This module refuses to know what they do.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Callable, Mapping
from typing import Any

_MODULES = {"http": "hippo.server.remote_study", "https": "hippo.server.remote_study"}


def module_for(storage: object) -> Any | None:
    """Return the module that serves a storage by its scheme; None for databases and all else."""
    if not isinstance(storage, str):
        return None
    name = _MODULES.get(storage.partition("://")[0].lower())
    return None if name is None else importlib.import_module(name)


def chosen(given: Mapping[str, Any], function: Callable[..., Any]) -> dict[str, Any]:
    """Return those of a function's arguments that are not its defaults."""
    parameters = inspect.signature(function).parameters
    return {name: value for name, value in given.items() if value is not parameters[name].default}
