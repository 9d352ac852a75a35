"""Which entries of its config can a function look at? Asked of its source.

A guess on the safe side: where a config is handed on, or looked at in any other way than by a name, any entry may be
read. It follows the config into functions that are called by their names, and refuses to know which entries there are.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from types import FunctionType

from hippo.hparams.syntax import syntax_tree

#: methods of a dictionary that look at one entry
_OF_ONE_ENTRY = ("get", "pop", "setdefault")
#: whoever calls these may look at anything
_OF_ALL = ("locals", "vars", "eval", "exec")


def config_reads(function: FunctionType, position: int) -> frozenset[str] | None:
    """Return the names that a function, or one that it calls, may look up in its config; None: it may be any.

    Args:
      position: of the config among the arguments.
    """
    read: set[str] = set()
    seen: set[tuple[FunctionType, int]] = set()
    waiting = [(function, position)]
    while waiting:
        here = waiting.pop()
        if here in seen:
            continue
        seen.add(here)
        found = _in_function(*here)
        if found is None:
            return None
        read |= found[0]
        waiting += found[1]
    return frozenset(read)


def _in_function(function: FunctionType, position: int) -> tuple[set[str], list[tuple[FunctionType, int]]] | None:
    """Return the names looked up, and the functions to which the config goes on, with its position there."""
    code, tree = function.__code__, _tree_of(function)
    if tree is None or position >= code.co_argcount:
        return None
    config = code.co_varnames[position]
    names: set[str] = set()
    handed_on: list[tuple[FunctionType, int]] = []
    uses = explained = 0
    for node in ast.walk(tree):
        match node:
            case ast.Name(id=name) if name in _OF_ALL:
                return None
            case ast.Name(id=name):
                uses += name == config
            case (
                ast.Subscript(value=ast.Name(id=name), slice=ast.Constant(value=str(entry)))
                | ast.Compare(left=ast.Constant(value=str(entry)), comparators=[ast.Name(id=name)])
            ) if name == config:
                names.add(entry)
                explained += 1
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id=name), attr=method), args=[ast.Constant(value=str(entry)), *_]
            ) if name == config and method in _OF_ONE_ENTRY:
                names.add(entry)
                explained += 1
            case ast.Call(func=ast.Name(id=called), args=arguments) if called not in code.co_varnames:
                other = function.__globals__.get(called)
                places = [i for i, each in enumerate(arguments) if isinstance(each, ast.Name) and each.id == config]
                if isinstance(other, FunctionType) and not any(isinstance(each, ast.Starred) for each in arguments):
                    handed_on += [(other, place) for place in places]
                    explained += len(places)
    return (names, handed_on) if uses == explained else None


def _tree_of(function: FunctionType) -> ast.AST | None:
    try:
        lines, _ = inspect.getsourcelines(function.__code__)  # not of what a decorator wraps
        return syntax_tree(textwrap.dedent("".join(lines)))
    except (OSError, TypeError, SyntaxError):  # standard input, or a lambda cut out of an expression
        return None
