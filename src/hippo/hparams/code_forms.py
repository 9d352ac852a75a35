"""Code as text that changes when its meaning may, and not when comments, docstrings, layout or line numbers do.

It refuses to know which code matters.
"""

from __future__ import annotations

import ast
import dis
import functools
import inspect
import textwrap
from collections.abc import Iterator
from types import CodeType, FunctionType

from hippo.hparams.syntax import syntax_tree

GLOBAL_LOADS = ("LOAD_GLOBAL", "LOAD_NAME")
GLOBAL_STORES = ("STORE_GLOBAL", "STORE_NAME")
#: code objects never change, so what is found in one is found once: of so many that were looked at last
_MOST_CODES = 4096
#: and of so many modules
_MOST_TREES = 64


def function_form(function: FunctionType | CodeType) -> str:
    """Return the normal form of a function: of its syntax tree, or of its bytecode where there is no source.

    Of a lambda it is the bytecode: its lines hold others, too.
    """
    code = function if isinstance(function, CodeType) else getattr(function, "__code__", None)
    if code is not None and code.co_name == "<lambda>":
        return bytecode_form(code)
    try:
        return tree_form(syntax_tree(textwrap.dedent(inspect.getsource(function))))
    except (OSError, TypeError, SyntaxError):  # standard input, generated code, a lambda within an expression
        return bytecode_form(function if isinstance(function, CodeType) else function.__code__)


@functools.lru_cache(_MOST_TREES)
def module_form(tree: ast.Module) -> str:
    """Return the normal form of a module, whose tree nobody changes."""
    return tree_form(tree)


def tree_form(node: object) -> str:
    """Return a syntax tree as text. Empty fields are left out, so that newer Pythons' new fields do not count."""
    if isinstance(node, ast.AST):
        body = getattr(node, "body", None)
        fields = [
            (name, body[1:] if name == "body" and body and _has_docstring(node) else value)
            for name, value in ast.iter_fields(node)
            if name not in ("ctx", "kind", "type_comment", "type_ignores")
        ]
        inside = ",".join(f"{name}={tree_form(value)}" for name, value in fields if value not in (None, []))
        return f"{type(node).__name__}({inside})"
    if isinstance(node, list):
        return f"[{','.join(map(tree_form, node))}]"
    return repr(node)


@functools.lru_cache(_MOST_CODES)
def bytecode_form(code: CodeType) -> str:
    """Return bytecode as text: instructions with the values that they use, so that a docstring makes no difference."""
    steps = [
        f"{step.opname} {value_form(_value(step, code))}"
        for step in dis.get_instructions(code)
        if step.opname != "RESUME"
    ]
    signature = (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags, code.co_varnames)
    # where an exception goes is no instruction
    handlers = f" {code.co_exceptiontable.hex()}" if code.co_exceptiontable else ""
    return f"{signature!r} {steps!r}{handlers}"


def _value(step: dis.Instruction, code: CodeType) -> object:
    """Return the value that an instruction uses; Python 3.11 does not tell by which names a call gives arguments."""
    return code.co_consts[step.arg] if step.opname == "KW_NAMES" and step.arg is not None else step.argval


def codes_of(code: CodeType) -> Iterator[CodeType]:
    """Yield code, and all code within it."""
    yield code
    for part in code.co_consts:
        if isinstance(part, CodeType):
            yield from codes_of(part)


def names_in(code: CodeType) -> set[str]:
    """Return the names that code looks up, and those that all code within it does."""
    return {name for part in codes_of(code) for name in part.co_names}


def bytecode_assignments(code: CodeType) -> dict[str, list[tuple[str, frozenset[str]]]]:
    """Return how the body of a module gives names their values: for each name the statements, with the names in them.

    A statement begins where nothing is on the stack.
    """
    found: dict[str, list[tuple[str, frozenset[str]]]] = {}
    statement: list[str] = []
    used: set[str] = set()
    depth = 0
    for step in dis.get_instructions(code):
        depth += dis.stack_effect(step.opcode, step.arg, jump=False)
        is_jump = step.opcode in dis.hasjrel or step.opcode in dis.hasjabs  # how far depends on what stands around it
        statement.append(step.opname if is_jump else f"{step.opname} {value_form(_value(step, code))}")
        if step.opname in GLOBAL_LOADS:
            used.add(str(step.argval))
        elif step.opname in GLOBAL_STORES:
            found.setdefault(str(step.argval), []).append((repr(statement), frozenset(used)))
        if depth <= 0 or step.opname.startswith("JUMP_BACKWARD"):  # a loop's iterator is taken off where it ends
            statement, used, depth = [], set(), 0
    return found


def value_form(value: object) -> str:
    """Return a constant as text that does not depend on the hash seed or on addresses."""
    if isinstance(value, CodeType):
        return bytecode_form(value)
    if isinstance(value, frozenset | set):
        return f"{type(value).__name__}({sorted(map(value_form, value))})"
    if isinstance(value, tuple | list):
        return f"{type(value).__name__}({[value_form(item) for item in value]})"
    if isinstance(value, dict):
        return f"dict({sorted((value_form(key), value_form(item)) for key, item in value.items())})"
    return repr(value)


@functools.lru_cache(_MOST_CODES)
def global_names(code: CodeType) -> frozenset[str]:
    """Return the global names that code looks up, in functions within it, too; attributes do not count."""
    found = {str(step.argval) for step in dis.get_instructions(code) if step.opname in GLOBAL_LOADS}
    for part in code.co_consts:
        if isinstance(part, CodeType):
            found |= global_names(part)
    return frozenset(found)


@functools.lru_cache(_MOST_CODES)
def attribute_names(code: CodeType) -> frozenset[tuple[str, ...]]:
    """Return the attributes of global names that code looks up, in functions within it, too: ("settings", "SCALE")."""
    found: set[tuple[str, ...]] = set()
    names: tuple[str, ...] = ()
    for step in dis.get_instructions(code):
        if step.opname in GLOBAL_LOADS:
            names = (str(step.argval),)
        elif step.opname in ("LOAD_ATTR", "LOAD_METHOD") and names:
            names = (*names, str(step.argval))
            found.add(names)
        elif step.opname not in ("CACHE", "EXTENDED_ARG"):
            names = ()
    for part in code.co_consts:
        if isinstance(part, CodeType):
            found |= attribute_names(part)
    return frozenset(found)


@functools.lru_cache(_MOST_CODES)
def imports_of_code(code: CodeType, package: str) -> frozenset[str]:
    """Return the absolute names of what code may import: modules, and names in them that may be modules, too.

    Args:
      package: what relative imports are relative to.
    """
    steps = list(dis.get_instructions(code))
    found: set[str] = set()
    base = ""
    for number, step in enumerate(steps):
        if step.opname == "IMPORT_NAME":  # preceded by the level and the names
            base = _absolute(str(step.argval), int(steps[number - 2].argval), package)
            found.add(base)
        elif step.opname == "IMPORT_FROM":
            found.add(f"{base}.{step.argval}")
    for part in code.co_consts:
        if isinstance(part, CodeType):
            found |= imports_of_code(part, package)
    return frozenset(found)


@functools.lru_cache(_MOST_TREES)
def imports_of_tree(tree: ast.Module, package: str) -> frozenset[str]:
    """Return the same for a module's syntax tree, which nobody changes."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = _absolute(node.module or "", node.level, package)
            found |= {base} | {f"{base}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Call) and _called_name(node) in ("import_module", "__import__"):
            match [*node.args, *(each.value for each in node.keywords if each.arg == "package")]:
                case [ast.Constant(value=str(name)), *_] if not name.startswith("."):
                    found.add(name)
                case [ast.Constant(value=str(name)), ast.Name(id="__package__" | "__name__")]:
                    found.add(_relative(name, package))
                case [ast.Constant(value=str(name)), ast.Constant(value=str(other))]:
                    found.add(_relative(name, other))
    return frozenset(found)


@functools.lru_cache(_MOST_TREES)
def imported_names(tree: ast.Module, package: str) -> dict[str, tuple[str, str]]:
    """Return the names that a module takes from others: name -> (module, its name there); ("", module) of a module."""
    found: dict[str, tuple[str, str]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            base = _absolute(node.module or "", node.level, package)
            found |= {alias.asname or alias.name: (base, alias.name) for alias in node.names}
        elif isinstance(node, ast.Import):
            found |= {alias.asname: ("", alias.name) for alias in node.names if alias.asname}
    return found


def _called_name(call: ast.Call) -> str:
    """Return the last name of what is called; empty if it has none."""
    match call.func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
    return ""


def _relative(name: str, package: str) -> str:
    inner = name.lstrip(".")
    return _absolute(inner, len(name) - len(inner), package)


def _absolute(name: str, level: int, package: str) -> str:
    if level == 0:
        return name
    parent = package.rsplit(".", level - 1)[0] if level > 1 else package
    return f"{parent}.{name}".strip(".")


def _has_docstring(node: ast.AST) -> bool:
    holders = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Module)
    return isinstance(node, holders) and ast.get_docstring(node, clean=False) is not None
