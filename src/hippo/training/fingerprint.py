"""Same code, or no sharing: what a trainer's training states depend on in the user's own code, as one hash.

It covers the class and its bases, every function, class and plain value of its module and closures that they reach by
name, and as whole modules the project's own ones that its module imports, however far. It refuses to look into
installed packages (their versions are part of the environment) and into the rest of the trainer's own module, so that
a changed search space in the same script makes no new plan.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import json
import os
import re
import sys
from collections.abc import Iterable
from types import FunctionType, ModuleType
from typing import Any

from hippo.errors import TrainerError
from hippo.hparams.code_forms import (
    function_form,
    global_names,
    imports_of_code,
    imports_of_tree,
    tree_form,
    value_form,
)
from hippo.hparams.looking import assignments, functions_of, is_empty, is_plain, tree_of
from hippo.hparams.project import Project
from hippo.hparams.syntax import syntax_tree


def fingerprint(trainer: type) -> str:
    """Return the hash of a trainer class's code: equal in every process, whatever the hash seed, comments or layout."""
    survey = _Survey(trainer)
    text = "\n".join(f"{name}\n{form}" for name, form in sorted(survey.forms.items()))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def dataset_identity(trainer: type, dataset: object = None) -> str | None:
    """Return what identifies the data, as text: `dataset`, or else the trainer's attribute of this name, or None.

    Raises:
      TrainerError: it is not a plain value.
    """
    declared = dataset if dataset is not None else getattr(trainer, "dataset", None)
    if declared is None or isinstance(declared, property | FunctionType):
        return None
    if isinstance(declared, os.PathLike):
        declared = os.fspath(declared)
    try:
        return json.dumps(declared, sort_keys=True, allow_nan=False)
    except (TypeError, ValueError):
        raise TrainerError(
            f"dataset={declared!r} cannot identify a data set; name it by a string such as 'mnist-v2', "
            "and load the data in the trainer."
        ) from None


class _Survey:
    """Everything that was reached, by name."""

    def __init__(self, trainer: type) -> None:
        self.forms: dict[str, str] = {}
        self._module = trainer.__module__
        self._project = Project(trainer.__module__)
        self._seen: set[int] = set()
        self._keep: list[object] = []  # so that ids stay unique
        own = sys.modules.get(self._module)
        self._assignments = assignments(own)
        self._add_class(trainer)
        if own is not None and (tree := tree_of(own)) is not None and self._project.file(self._module):
            self._add_modules(imports_of_tree(tree, str(own.__package__ or "")))

    # ------------------------------------------------------------------------------------------ in its own module

    def _add_class(self, cls: type) -> None:
        if self._is_seen(cls):
            return
        bases = [base for base in cls.__mro__ if base is not object]
        self.forms[f"bases of {cls.__qualname__}"] = repr([base.__qualname__ for base in bases])
        for base in bases:
            if base is cls or base.__module__ == self._module:
                self._add_members(base)
            else:
                self._add_foreign(base.__module__)

    def _add_members(self, cls: type) -> None:
        for name, member in vars(cls).items():
            label = f"{cls.__qualname__}.{name}"
            functions = list(functions_of(member))
            for number, function in enumerate(functions):
                self._add_function(function, f"{label} {number}")
            if not functions and not name.startswith(("__", "_abc_", "_hippo")):
                self._add_value(member, label)

    def _add_function(self, function: FunctionType, label: str) -> None:
        if self._is_seen(function):
            return
        self.forms[label] = function_form(function)
        self._add_value((function.__defaults__, function.__kwdefaults__), f"{label} defaults")
        code, scope = function.__code__, function.__globals__
        for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
            if name != "__class__" and not is_empty(cell):
                self._add_value(cell.cell_contents, f"{label} around {name}")
        for name in sorted(global_names(code)):
            if name in scope and not name.startswith("__"):
                self._add_global(name, scope)
        self._add_modules(imports_of_code(code, str(scope.get("__package__") or "")))

    def _add_global(self, name: str, scope: dict[str, Any]) -> None:
        label = f"global {name}"
        if label in self.forms:
            return
        value = scope[name]
        self._add_value(value, label)
        if isinstance(value, type | FunctionType | ModuleType):
            return
        for number, statement in enumerate(self._assignments.get(name, ())):  # how an object was made, too
            self.forms[f"assignment {number} of {name}"] = tree_form(statement)
            used = {node.id for node in ast.walk(statement) if isinstance(node, ast.Name)}
            for other in sorted(used & scope.keys()):
                self._add_global(other, scope)

    def _add_value(self, value: object, label: str) -> None:
        if label in self.forms:
            return
        if isinstance(value, ModuleType):
            self.forms[label] = f"module {value.__name__}"
            self._add_modules([value.__name__])
        elif isinstance(value, type | FunctionType):
            self._add_definition(value, label)
        elif functions := list(functions_of(value)):  # functools.partial, a cached or otherwise wrapped function
            self.forms[label] = f"wrapped {type(value).__qualname__}"
            for number, function in enumerate(functions):
                self._add_definition(function, f"{label} {number}")
            if isinstance(value, functools.partial):
                self._add_value([value.args, value.keywords], f"{label} arguments")
        elif is_plain(value):
            self.forms[label] = value_form(value)
        else:
            self._add_instance(value, label)

    def _add_definition(self, value: type | FunctionType, label: str) -> None:
        same = value.__module__ == self._module
        self.forms[label] = value.__qualname__ if same else f"{value.__module__}.{value.__qualname__}"
        if not same:
            self._add_foreign(value.__module__)
        elif isinstance(value, type):
            self._add_class(value)
        else:
            self._add_function(value, f"function {value.__qualname__}")

    def _add_instance(self, value: object, label: str) -> None:
        cls = type(value)
        text = f"{cls.__module__}.{cls.__qualname__}" if cls.__module__ != self._module else cls.__qualname__
        if cls.__repr__ is not object.__repr__:
            text += " " + re.sub(r" at 0x[0-9a-fA-F]+", "", repr(value))
        self.forms[label] = text
        if cls.__module__ == self._module:
            self._add_class(cls)
        else:
            self._add_foreign(cls.__module__)

    # ---------------------------------------------------------------------------------------------- other modules

    def _add_foreign(self, module: str) -> None:
        if module != self._module:
            self._add_modules([module])

    def _add_modules(self, names: Iterable[str]) -> None:
        waiting = sorted(set(names))
        while waiting:
            name = waiting.pop()
            label = f"module {name}"
            if not name or name == self._module or label in self.forms:
                continue
            file = self._project.file(name)
            if file is None:
                continue
            if file.suffix != ".py":
                self.forms[label] = hashlib.sha256(file.read_bytes()).hexdigest()
                continue
            tree = syntax_tree(file.read_bytes())
            self.forms[label] = tree_form(tree)
            package = name if file.name == "__init__.py" else name.rpartition(".")[0]
            parents = {name[:end] for end, letter in enumerate(name) if letter == "."}
            waiting += sorted(imports_of_tree(tree, package) | parents)

    def _is_seen(self, thing: object) -> bool:
        seen = id(thing) in self._seen
        self._seen.add(id(thing))
        self._keep.append(thing)
        return seen
