"""Does a function suggest values only under conditions, or between bounds, that other suggestions decide?

A guess by reading its source: it follows names within one function, and into functions of the same module that it
calls. What it misses is noticed where the function runs: names, and bounds that a function is given as arguments. It
refuses to know what is done about it.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterable, Iterator
from types import FunctionType
from typing import TypeGuard

from hippo.hparams.code_forms import names_in
from hippo.hparams.syntax import syntax_tree

#: branches and loops, each with the fields that decide how often the rest of it is run
_DECIDING = {
    ast.If: ("test",),
    ast.IfExp: ("test",),
    ast.While: ("test",),
    ast.For: ("iter",),
    ast.Match: ("subject",),
    ast.ListComp: ("generators",),
    ast.SetComp: ("generators",),
    ast.DictComp: ("generators",),
    ast.GeneratorExp: ("generators",),
}


def conditional_suggestions(function: FunctionType) -> list[str]:
    """Return where suggestions depend on other ones, as "name() line 12: trial.suggest_float('momentum', ...)"."""
    found: list[str] = []
    seen: set[FunctionType] = set()
    waiting = [function]
    while waiting:
        here = waiting.pop()
        if here in seen:
            continue
        seen.add(here)
        found += _in_function(here)
        scope = here.__globals__
        named = [scope[name] for name in sorted(names_in(here.__code__)) if name in scope]
        waiting += [value for value in named if isinstance(value, FunctionType) and value.__module__ == here.__module__]
    return found


def _in_function(function: FunctionType) -> list[str]:
    try:
        lines, first = inspect.getsourcelines(function)
        tree = syntax_tree(textwrap.dedent("".join(lines)))
    except (OSError, TypeError, SyntaxError):  # standard input, or a lambda cut out of an expression
        return []
    decided = _decided_names(tree)
    found: dict[int, ast.Call] = {}
    for branch in ast.walk(tree):
        deciding = _DECIDING.get(type(branch), ())
        if any(_depends(part, decided) for part in _parts(branch, deciding)):
            rest = [name for name in branch._fields if name not in deciding]
            calls = [node for part in _parts(branch, rest) for node in ast.walk(part) if _is_suggestion(node)]
            found.update({call.lineno: call for call in calls})
    for call in filter(_is_suggestion, ast.walk(tree)):  # its bounds, its choices or its name
        if any(_depends(given, decided) for given in (*call.args, *(each.value for each in call.keywords))):
            found[call.lineno] = call
    return [
        f"{function.__name__}() line {first + line - 1}: {ast.unparse(call)}" for line, call in sorted(found.items())
    ]


def _decided_names(tree: ast.AST) -> set[str]:
    """Return the names whose values come of suggestions, directly or by way of others."""
    names = {f"{name}.params" for name in map(_asked, filter(_is_suggestion, ast.walk(tree))) if name}
    while True:
        before = len(names)
        for node in ast.walk(tree):
            for target, value in _assignments(node):
                if _depends(value, names):
                    names |= {part.id for part in ast.walk(target) if isinstance(part, ast.Name)}
        if len(names) == before:
            return names


def _assignments(node: ast.AST) -> Iterator[tuple[ast.AST, ast.AST]]:
    match node:
        case ast.Assign(targets=targets, value=value):
            yield from ((target, value) for target in targets)
        case ast.AnnAssign(target=target, value=ast.expr() as value) | ast.AugAssign(target=target, value=value):
            yield target, value
        case ast.NamedExpr(target=target, value=value):
            yield target, value
        case ast.For(target=target, iter=value) | ast.comprehension(target=target, iter=value):
            yield target, value


def _parts(node: ast.AST, fields: Iterable[str]) -> Iterator[ast.AST]:
    for field in fields:
        value = getattr(node, field)
        yield from (part for part in (value if isinstance(value, list) else [value]) if isinstance(part, ast.AST))


def _depends(expression: ast.AST, names: set[str]) -> bool:
    """Whether suggestions decide about an expression: one is in it, or a name that does, such as "trial.params"."""
    return any(
        _is_suggestion(n)
        or (isinstance(n, ast.Name) and n.id in names)
        or (isinstance(n, ast.Attribute) and isinstance(n.value, ast.Name) and f"{n.value.id}.{n.attr}" in names)
        for n in ast.walk(expression)
    )


def _asked(call: ast.Call) -> str:
    """Return the name of the trial that a suggestion asks."""
    of = call.func.value if isinstance(call.func, ast.Attribute) else None
    return of.id if isinstance(of, ast.Name) else ""


def _is_suggestion(node: ast.AST) -> TypeGuard[ast.Call]:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr.startswith("suggest_")
