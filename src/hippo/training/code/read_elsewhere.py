"""What functions of the project's modules look up in one another: settings that one module reads of a file, for others.

It looks at what modules say, and refuses to know what they hold.
"""

from __future__ import annotations

import ast
import functools
import sys
from collections.abc import Iterator, Mapping

from hippo.hparams.code_forms import imported_names, imports_of_tree
from hippo.hparams.looking import assignments

#: functions of Python's own that come to the same for the same
_COMPUTING = frozenset(
    {"int", "float", "bool", "str", "len", "min", "max", "sum", "abs", "round", "range", "sorted", "zip", "enumerate"}
    | {"tuple", "list", "dict", "set", "frozenset"}
)


def read_elsewhere(trees: Mapping[str, ast.Module]) -> frozenset[tuple[str, str]]:
    """Return (module, name) of what functions and classes look up, and another of these modules makes of something.

    What is computed of what modules write out, `2 * SIZE` say, is left out: their texts say all of it.

    Args:
      trees: by the names of modules that are loaded.
    """
    return _read(tuple(trees.items()))


@functools.lru_cache(8)
def _read(modules: tuple[tuple[str, ast.Module], ...]) -> frozenset[tuple[str, str]]:
    trees, found = dict(modules), set[tuple[str, str]]()
    for module, tree in modules:
        package = str(getattr(sys.modules[module], "__package__", None) or "")
        imported = imported_names(tree, package)
        for names in _looked_up(tree):
            if names[0] in imported:
                base, name = imported[names[0]]
                if (within := f"{base}.{name}" if base else name) in trees and names[1:]:  # a module of a package
                    base, name = within, names[1]
            else:
                base, name = _split(names, trees)
            if base != module and (giver := _giver(base, name, trees)) is not None:
                found.add(giver)
    return frozenset(found)


def imported_at_once(first: ast.Module, package: str, trees: Mapping[str, ast.Module]) -> dict[str, ast.Module]:
    """Return those of the modules that are loaded wherever a module is: not those that functions import as they run.

    Args:
      first: which module.
      package: what its relative imports are relative to.
      trees: by name.
    """
    found: dict[str, ast.Module] = {}
    waiting = list(_imports_at_once(first, package))
    while waiting:
        name = waiting.pop()
        if name in trees and name not in found:
            found[name] = trees[name]
            waiting += _imports_at_once(trees[name], str(getattr(sys.modules[name], "__package__", None) or ""))
    return {name: tree for name, tree in trees.items() if name in found}


@functools.lru_cache(256)
def _imports_at_once(tree: ast.Module, package: str) -> frozenset[str]:
    names: set[str] = set()
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Import | ast.ImportFrom):
            names |= imports_of_tree(ast.Module([node], []), package)
        elif not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            waiting += ast.iter_child_nodes(node)
    return frozenset(name[:end] for name in names for end, letter in enumerate(name + ".") if letter == ".")


def _split(names: tuple[str, ...], trees: Mapping[str, ast.Module]) -> tuple[str, str]:
    """Return the module, and the name in it, that a dotted name speaks of, as in `import lab.settings`."""
    for end in range(len(names) - 1, 0, -1):
        if (module := ".".join(names[:end])) in trees:
            return module, names[end]
    return "", ""


def _giver(module: str, name: str, trees: Mapping[str, ast.Module]) -> tuple[str, str] | None:
    """Return which module gives a name its value, and by which name, where others only hand it on."""
    for _ in trees:
        if module not in trees:
            return None
        if (is_said := _given(trees[module]).get(name)) is not None:
            return None if is_said else (module, name)
        package = str(getattr(sys.modules[module], "__package__", None) or "")
        module, name = imported_names(trees[module], package).get(name, ("", ""))
    return None


@functools.lru_cache(256)
def _given(tree: ast.Module) -> dict[str, bool]:
    """Return name -> whether the text says what it is, of the names that the top of a module gives values."""
    return {name: all(map(_is_computed, statements)) for name, statements in assignments(tree).items()}


def _is_computed(statement: ast.stmt) -> bool:
    for node in ast.walk(statement):
        if isinstance(node, ast.Attribute) or (isinstance(node, ast.Call) and not isinstance(node.func, ast.Name)):
            return False
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id not in _COMPUTING:
            return False
    return True


@functools.lru_cache(256)
def _looked_up(tree: ast.Module) -> frozenset[tuple[str, ...]]:
    """Return the dotted names that functions and classes of a module look up: ("cfg",), ("lab", "settings", "K")."""
    tops = [top for top in tree.body if isinstance(top, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)]
    return frozenset(names for top in tops for node in ast.walk(top) for names in _dotted(node))


def _dotted(node: ast.AST) -> Iterator[tuple[str, ...]]:
    names: list[str] = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    if isinstance(node, ast.Name):
        yield (node.id, *reversed(names))
