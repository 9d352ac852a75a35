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


def only_literal(tree: ast.Module, name: str) -> list[object]:
    """Return the number or text that a module gives a name, if it is written out and given nowhere else; else nothing.

    A name that is given again in some block, by a function that declares it global, or by what cannot be followed (a
    star import, `globals()`, `exec`) has no such value.
    """
    found: list[object] = []
    for statement in tree.body:
        if isinstance(statement, ast.Assign | ast.AnnAssign) and isinstance(statement.value, ast.Constant):
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            is_it = any(isinstance(target, ast.Name) and target.id == name for target in targets)
            if is_it and isinstance(statement.value.value, int | float | str):
                found.append(statement.value.value)
    return found if sum(_may_give(node, name) for node in ast.walk(tree)) == 1 else []


def _may_give(node: ast.AST, name: str) -> bool:
    if isinstance(node, ast.Name):
        return node.id in ("globals", "exec") or (node.id == name and not isinstance(node.ctx, ast.Load))
    return isinstance(node, ast.alias) and (node.asname or node.name) in (name, "*")


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
