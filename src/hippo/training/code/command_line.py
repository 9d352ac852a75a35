"""What the project's other modules make of the command line, as far as a trainer reads it by their functions.

A worker on another machine has another command line, so that it would train with other values than the study was made
with. Nobody sees that in a function's text, nor in the text of its module.

It refuses to know the trainer's own module, whose globals are compared as they are.
"""

from __future__ import annotations

import ast
import functools
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from types import FunctionType, ModuleType

from hippo.hparams.code_forms import attribute_names, global_names, imported_names
from hippo.hparams.looking import functions_of, is_place, module_of
from hippo.training.code.data_forms import changing_names, data_form

_COMMAND_LINE = re.compile(r"(orig_)?argv|parse_(known_)?(intermixed_)?args(_\w+)?")


def command_line_reads(reached: Iterable[object], trees: Mapping[str, ast.Module]) -> dict[str, str]:
    """Return "module.NAME" -> form of the data that functions read, and that their modules make of the command line.

    Args:
      reached: functions and classes of these modules that a trainer reaches; those that they reach are found.
      trees: by the names of modules that are loaded.
    """
    made = _names_made(tuple(trees.items()))
    if not made:  # nearly always
        return {}
    found: dict[str, str] = {}
    for module, name in _reads(list(reached), trees):
        value = vars(sys.modules[module]).get(name)
        if name in made.get(module, ()) and name not in changing_names(trees[module]) and not is_place(value):
            form = data_form(value)
            if form is not None:
                found[f"{module}.{name}"] = form
    return found


@functools.lru_cache(8)
def _names_made(trees: tuple[tuple[str, ast.Module], ...]) -> dict[str, frozenset[str]]:
    """Return which names each module makes of the command line, or takes from another one that does."""
    made: dict[str, frozenset[str]] = {}
    is_new = True
    while is_new:
        is_new = False
        for module, tree in trees:
            package = str(getattr(sys.modules[module], "__package__", None) or "")
            taken = {
                name for name, (base, there) in imported_names(tree, package).items() if there in made.get(base, ())
            }
            names = _made_in(tree, frozenset(taken))
            if names - made.get(module, frozenset()):
                made[module] = names
                is_new = True
    return made


@functools.lru_cache(256)
def _made_in(tree: ast.Module, taken: frozenset[str]) -> frozenset[str]:
    """Return the names that the top of a module makes of the command line, or of names that it makes of it."""
    if not taken and not any(map(_COMMAND_LINE.fullmatch, _words(tree))):  # nearly always
        return taken
    found = taken
    while True:
        more = found.union(*(_given(top) for top in tree.body if _speaks_of(top, found)))
        if more == found:
            return found
        found = more


def _words(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Name | ast.Attribute):
            yield node.id if isinstance(node, ast.Name) else node.attr


def _given(top: ast.stmt) -> Iterator[str]:
    if isinstance(top, ast.FunctionDef | ast.AsyncFunctionDef):
        yield top.name
    elif not isinstance(top, ast.ClassDef):
        yield from (each.id for each in ast.walk(top) if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store))


def _speaks_of(top: ast.stmt, names: frozenset[str]) -> bool:
    programs = {  # `sys.argv[0]` names the script, which is nothing to train with
        id(each.value)
        for each in ast.walk(top)
        if isinstance(each, ast.Subscript) and isinstance(each.slice, ast.Constant) and each.slice.value == 0
    }
    for each in ast.walk(top):
        word = each.id if isinstance(each, ast.Name) else each.attr if isinstance(each, ast.Attribute) else None
        if word is not None and id(each) not in programs and _COMMAND_LINE.fullmatch(word):
            return True
        if isinstance(each, ast.Name) and each.id in names:
            return True
    return False


def _reads(waiting: list[object], modules: Mapping[str, object]) -> Iterator[tuple[str, str]]:
    """Yield the globals that functions of modules look up, and those that do which they reach: (module, name)."""
    seen: set[int] = set()
    while waiting:
        value = waiting.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        if isinstance(value, type):
            waiting += [member for cls in value.__mro__ if cls.__module__ in modules for member in vars(cls).values()]
            continue
        functions = list(functions_of(value))
        waiting += [each for each in functions if each is not value]
        if not isinstance(value, FunctionType) or value.__globals__.get("__name__") not in modules:
            continue
        module, scope = str(value.__globals__["__name__"]), value.__globals__
        for name in global_names(value.__code__) & scope.keys():
            yield module, name
            waiting.append(scope[name])
        for names in attribute_names(value.__code__):
            owner = module_of(names, scope)
            if isinstance(owner, ModuleType) and owner.__name__ in modules:
                yield owner.__name__, names[-1]
                waiting.append(vars(owner).get(names[-1]))
