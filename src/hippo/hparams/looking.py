"""Looks at live objects: which functions are behind them, which are plain, how a module came by its names.

It refuses to know which of them matter.
"""

from __future__ import annotations

import ast
import builtins
import functools
import inspect
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from pathlib import Path
from types import CellType, FunctionType, ModuleType
from typing import Any

#: modules and functions that say something else at each start
_OF_A_START = frozenset(
    {"time", "perf_counter", "monotonic", "datetime", "date", "now", "today", "random", "default_rng", "secrets"}
    | {"urandom", "uuid", "uuid1", "uuid4", "tempfile", "mkdtemp", "mkstemp", "getpid", "id"}
)
#: or on each machine, which has no say in what is trained: a study goes on where there are other cores
_OF_A_MACHINE = frozenset(
    {"cpu_count", "process_cpu_count", "sched_getaffinity", "device_count", "is_available", "get_num_threads"}
    | {"gethostname", "node", "platform", "machine", "getuser", "home", "expanduser", "getcwd", "cwd"}
)

#: what Python gives every module; another name that begins so is the user's own
OF_MODULES = frozenset(
    {"__name__", "__file__", "__doc__", "__package__", "__spec__", "__loader__", "__builtins__", "__path__"}
) | {"__cached__", "__annotations__", "__annotate__", "__conditional_annotations__", "__warningregistry__"}

PLAIN = (type(None), bool, int, float, complex, str, bytes)


def functions_of(member: object) -> Iterable[FunctionType]:
    """Return the functions behind a member of a class: methods, properties, wrapped and partial functions."""
    if isinstance(member, type):  # what it calls `func` is a method of its own
        return
    found = [member, *(_attribute(member, name) for name in ("__func__", "func", "fget", "fset"))]
    for function in found:
        if isinstance(function, type):
            continue
        inner = inspect.unwrap(function) if callable(function) else function
        for each in (function,) if inner is function else (function, inner):  # not all that is callable has a hash
            if isinstance(each, FunctionType):
                yield each


def hidden_defaults(cls: type) -> Iterator[tuple[str, object]]:
    """Yield what pydantic and attrs take out of the class that they make: how the fields get what is not given.

    They are known by their looks, and not imported. What a class inherits they list again.
    """
    for listed in ("__pydantic_fields__", "__private_attributes__"):
        for name, field in dict(vars(cls).get(listed) or {}).items():
            found = {each: getattr(field, each, None) for each in ("default", "default_factory", "metadata")}
            if type(found["default"]).__name__ != "PydanticUndefinedType":
                yield f"default of {name}", found["default"]
            if found["default_factory"] is not None:
                yield f"factory of {name}", found["default_factory"]
            if found["metadata"]:  # bounds, validators
                yield f"metadata of {name}", list(found["metadata"])
    for field in vars(cls).get("__attrs_attrs__") or ():
        made = getattr(field.default, "factory", None)
        if made is not None:
            yield f"factory of {field.name}", made
        elif type(field.default).__name__ != "_Nothing":
            yield f"default of {field.name}", field.default
        for each in ("converter", "validator"):
            if (part := getattr(field, each)) is not None:
                yield f"{each} of {field.name}", getattr(part, "converter", part)


def _attribute(member: object, name: str) -> object:
    try:
        return getattr(member, name, None)
    except Exception:  # of a `__getattr__` of the user's: a dictionary whose keys are attributes raises KeyError
        return None


def is_plain(value: object) -> bool:
    """Whether a value is made of numbers, strings and containers of them only."""
    if isinstance(value, list | tuple | set | frozenset):
        return all(map(is_plain, value))
    if isinstance(value, dict):
        return all(map(is_plain, value)) and all(map(is_plain, value.values()))
    return type(value) in PLAIN or isinstance(value, Path)


def is_place(value: object) -> bool:
    """Whether a value names a place in this machine's file system."""
    return isinstance(value, Path) or (isinstance(value, str) and Path(value).is_absolute())


def module_of(names: tuple[str, ...], scope: Mapping[str, Any]) -> object:
    """Return what a dotted name's last name is looked up in: ("lab", "settings", "K")."""
    found: object = scope.get(names[0])
    for name in names[1:-1]:
        found = vars(found).get(name) if isinstance(found, ModuleType) else None
    return found


def is_empty(cell: CellType) -> bool:
    """Whether a variable around a function has no value yet."""
    try:
        cell.cell_contents  # noqa: B018 - looking is the only way to ask
    except ValueError:
        return True
    return False


def only_literal(tree: ast.Module, name: str) -> list[object]:
    """Return what a module gives a name, if it is written out there, and given or changed nowhere else; else nothing.

    A name that is given again in some block, by a function that declares it global, or by what cannot be followed (a
    star import, `globals()`, `exec`) has no such value. Nor has a container that is empty, as caches are, or that the
    module uses in any way but reading it.
    """
    found = [value for given, value in literals(tree) if given == name]
    return found if sum(_may_give(node, name) for node in ast.walk(tree)) == 1 and not _may_change(tree, name) else []


def literals(tree: ast.Module) -> Iterator[tuple[str, object]]:
    """Yield names and what the top of a module gives them, where that is a number, a text or a filled container."""
    for statement in tree.body:
        if not isinstance(statement, ast.Assign | ast.AnnAssign) or statement.value is None:
            continue
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        try:
            value: object = ast.literal_eval(statement.value)
        except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
            continue
        if isinstance(value, int | float | str) or (isinstance(value, dict | list | set | tuple) and value):
            yield from ((target.id, value) for target in targets if isinstance(target, ast.Name))


@functools.lru_cache(64)
def unwritten_names(tree: ast.Module) -> list[tuple[str, ...]]:
    """Return the names that a module gives values which it does not write out: ("K",), or ("Net", "K") of a class.

    Of its own names those that its functions and classes look up, and parameters: ("scale", "k"). What is another value
    at each start, or on each machine, is left out: moments, chance, files that are made for a moment, numbers of cores.
    """
    tops = [top for top in tree.body if isinstance(top, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)]
    looked_up = {node.id for top in tops for node in ast.walk(top) if isinstance(node, ast.Name)}
    found: list[tuple[str, ...]] = [(name,) for name in unwritten_in(tree) if name in looked_up]
    told = {top.name for top in tops} | {
        node.id
        for statement in tree.body
        if statement not in tops
        for node in ast.walk(statement)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    for top in tops:
        if isinstance(top, ast.ClassDef):
            found += [(top.name, name) for name in unwritten_in(ast.Module(top.body, []))]
            found += [(top.name, *names) for member in top.body for names in _unwritten_defaults(member, told)]
        found += _unwritten_defaults(top, told)
    return found


def _unwritten_defaults(function: ast.stmt, told: Set[str]) -> Iterator[tuple[str, str]]:
    """Yield the parameters of a function whose defaults are looked up in something, or called for, where it is made.

    Not those that are made of nothing but Python's own functions and names that are `told` already.
    """
    if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
        return
    given, positional = function.args, [*function.args.posonlyargs, *function.args.args]
    ends = positional[len(positional) - len(given.defaults) :]
    for parameter, default in [
        *zip(ends, given.defaults, strict=True),
        *zip(given.kwonlyargs, given.kw_defaults, strict=True),
    ]:
        if default is None or _is_of_here(default):
            continue
        parts = list(ast.walk(default))
        from_elsewhere = {each.id for each in parts if isinstance(each, ast.Name)} - told - vars(builtins).keys()
        if from_elsewhere and any(isinstance(each, ast.Call | ast.Subscript) for each in parts):
            yield function.name, parameter.arg


def value_in(module: ModuleType, names: Sequence[str]) -> object:
    """Return what `unwritten_names` names, as the module has it now; None if it has none."""
    owner: object = module
    for name in names[:-1]:
        owner = getattr(owner, "__dict__", {}).get(name)
    for function in () if isinstance(owner, ModuleType | type) else functions_of(owner):
        code = function.__code__
        ends = code.co_varnames[: code.co_argcount][-len(function.__defaults__ or ()) :]
        defaults = dict(zip(ends, function.__defaults__ or (), strict=False)) | (function.__kwdefaults__ or {})
        if names[-1] in defaults:
            return defaults[names[-1]]
    return getattr(owner, "__dict__", {}).get(names[-1])


def unwritten_in(block: ast.Module) -> Iterator[str]:
    """Yield the names that a module, or the body of a class, gives values which it does not write out."""
    written = {name for name, _ in literals(block)}
    for name, statements in assignments(block).items():
        if name not in written and not any(map(_is_of_here, statements)):
            yield name


def _is_of_here(statement: ast.AST) -> bool:
    words = {getattr(node, "id", getattr(node, "attr", None)) for node in ast.walk(statement)}
    return not (words.isdisjoint(_OF_A_START) and words.isdisjoint(_OF_A_MACHINE))


def _may_change(tree: ast.Module, name: str) -> bool:
    """Whether a module does anything with a name that may change what it holds."""
    if not any(given == name and isinstance(value, dict | list | set) for given, value in literals(tree)):
        return False
    read = {id(node) for parent in ast.walk(tree) for node in _only_read(parent)}
    uses = [node for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id == name]
    return any(isinstance(node.ctx, ast.Load) and id(node) not in read for node in uses)


def _only_read(node: ast.AST) -> Iterable[ast.expr]:
    """Return the operands of an expression that it reads, and cannot change."""
    match node:
        case ast.Subscript(value=value, ctx=ast.Load()):
            return [value]
        case ast.Call(func=ast.Attribute(value=value, attr="get" | "items" | "keys" | "values" | "copy" | "index")):
            return [value]
        case ast.Call(func=ast.Name(id="len" | "sorted" | "dict" | "list" | "tuple" | "set" | "max" | "min" | "sum")):
            return node.args
        case ast.Compare(comparators=comparators):
            return comparators
        case ast.For(iter=over) | ast.comprehension(iter=over) | ast.keyword(arg=None, value=over):
            return [over]
    return []


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
