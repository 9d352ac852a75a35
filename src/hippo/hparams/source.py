"""The hash of a class's or function's code, by which changed code is told from code that only looks different.

The hash covers the syntax trees of the methods, without comments, docstrings and layout, of the class and its bases;
functions and constants of their own module that they name, however far; bytecode where there is no source.
This module refuses to follow code into other modules: those are covered by the trainer's fingerprint.
"""

from __future__ import annotations

import ast
import hashlib
import inspect
import json
import textwrap
from collections.abc import Iterator
from types import CodeType, FunctionType
from typing import Any

from hippo.hparams.syntax import syntax_tree

#: where a class keeps its hash, so that it travels with a class that is pickled by value, whose source stays behind
ATTRIBUTE = "_hippo_code"


def code_hash(thing: type | FunctionType) -> str:
    """Return the hash of the code of a class or a function, 16 hexadecimal digits."""
    if isinstance(thing, FunctionType):
        return _digest(_function_lines(thing, set()))
    known = thing.__dict__.get(ATTRIBUTE)
    if known is None:
        known = _digest(_class_lines(thing, set()))
        setattr(thing, ATTRIBUTE, known)
    return str(known)


def _digest(lines: Iterator[str]) -> str:
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


def _class_lines(cls: type, seen: set[str]) -> Iterator[str]:
    for base in cls.__mro__:
        if base is object or base.__module__.partition(".")[0] == "hippo":
            continue
        for name, member in sorted(vars(base).items()):
            if name == ATTRIBUTE:
                continue
            for function in _functions(member):
                if not _is_generated(function):
                    yield f"{name}:"
                    yield from _function_lines(function, seen)
            if _is_plain(member) and not name.startswith("__"):
                yield f"{name} = {member!r}"


def _functions(member: object) -> list[FunctionType]:
    """Return the functions behind a member of a class."""
    found = [getattr(member, name, None) for name in ("__func__", "func", "fget")]
    return [function for function in (member, *found) if isinstance(function, FunctionType)]


def _is_generated(function: FunctionType) -> bool:
    """Tell whether `@dataclass` wrote the function; its fields are in the arguments already."""
    return function.__name__.startswith("__") and function.__code__.co_filename == "<string>"


def _is_plain(value: object) -> bool:
    try:
        json.dumps(value)
    except (TypeError, ValueError):
        return False
    return True


def _function_lines(function: FunctionType, seen: set[str]) -> Iterator[str]:
    if function.__qualname__ in seen:
        return
    seen.add(function.__qualname__)
    yield _normal_form(function)
    yield repr([default for default in function.__defaults__ or () if _is_plain(default)])
    reachable = {**function.__globals__, **_closure(function)}
    for name in sorted(_names(function.__code__)):
        value = reachable.get(name)
        if isinstance(value, FunctionType) and value.__module__ == function.__module__:
            yield from _function_lines(value, seen)
        elif name in reachable and _is_plain(value):
            yield f"{name} = {value!r}"


def _closure(function: FunctionType) -> dict[str, Any]:
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=False)
    return {name: cell.cell_contents for name, cell in cells if name != "__class__"}


def _names(code: CodeType) -> set[str]:
    """Return the names that code looks up, in functions within it, too."""
    inner = (constant for constant in code.co_consts if isinstance(constant, CodeType))
    return set(code.co_names) | set(code.co_freevars) | {name for part in inner for name in _names(part)}


def _normal_form(function: FunctionType) -> str:
    """Return the function's syntax tree as text, or its bytecode where there is no source to parse."""
    try:
        tree = syntax_tree(textwrap.dedent(inspect.getsource(function)))
    except (OSError, TypeError, SyntaxError):  # no file, or a lambda cut out of the middle of an expression
        return _bytecode(function.__code__)
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
            and ast.get_docstring(node) is not None
        ):
            node.body = node.body[1:]
    return ast.dump(tree)


def _bytecode(code: CodeType) -> str:
    inner = [_bytecode(part) if isinstance(part, CodeType) else repr(part) for part in code.co_consts]
    return f"{code.co_code.hex()} {inner} {code.co_names} {code.co_varnames}"
