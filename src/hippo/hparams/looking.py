"""Looks at live objects: which functions are behind them, which are plain, how a module came by its names.

It refuses to know which of them matter.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterable
from pathlib import Path
from types import CellType, FunctionType

PLAIN = (type(None), bool, int, float, complex, str, bytes)


def functions_of(member: object) -> Iterable[FunctionType]:
    """Return the functions behind a member of a class: methods, properties, wrapped and partial functions."""
    found = [member, *(getattr(member, name, None) for name in ("__func__", "func", "fget", "fset"))]
    for function in found:
        if isinstance(function, type):
            continue
        inner = inspect.unwrap(function) if callable(function) else function
        for each in dict.fromkeys((function, inner)) if callable(function) else ():
            if isinstance(each, FunctionType):
                yield each


def is_plain(value: object) -> bool:
    """Whether a value is made of numbers, strings and containers of them only."""
    if isinstance(value, list | tuple | set | frozenset):
        return all(map(is_plain, value))
    if isinstance(value, dict):
        return all(map(is_plain, value)) and all(map(is_plain, value.values()))
    return type(value) in PLAIN or isinstance(value, Path)


def is_empty(cell: CellType) -> bool:
    """Whether a variable around a function has no value yet."""
    try:
        cell.cell_contents  # noqa: B018 - looking is the only way to ask
    except ValueError:
        return True
    return False


def assignments(tree: ast.Module) -> dict[str, list[ast.stmt]]:
    """Return the statements at the top of a module that give a name its value."""
    found: dict[str, list[ast.stmt]] = {}
    for statement in tree.body:
        targets: list[ast.expr] = []
        if isinstance(statement, ast.Assign):
            targets = statement.targets
        elif isinstance(statement, ast.AnnAssign | ast.AugAssign):
            targets = [statement.target]
        for target in targets:
            for node in ast.walk(target):
                if isinstance(node, ast.Name):
                    found.setdefault(node.id, []).append(statement)
    return found
