"""The source that a module was imported from, and whether what is loaded is what it says.

A file may be edited while a process lives that imported it before. Python keeps no source of what it compiled, so that
bytecode is compared, and plain constants. It refuses to know which code matters.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import hashlib
import importlib.machinery
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FunctionType, ModuleType

from hippo.errors import HparamError
from hippo.hparams.code_forms import bytecode_form, codes_of, module_form, value_form
from hippo.hparams.looking import functions_of, is_plain
from hippo.hparams.syntax import syntax_tree

#: a file system's clock and ours may differ by so much
SKEW_S = 2.0


@dataclass(frozen=True, slots=True, eq=False)
class LoadedSource:
    """A module's source when it was imported."""

    file: str
    text: str
    tree: ast.Module

    @property
    def form_hash(self) -> str:
        """Return what is equal for texts that differ in comments and layout only."""
        return form_hash(module_form(self.tree))


def form_hash(form: str) -> str:
    """Return a short hash of a normal form."""
    return hashlib.sha256(form.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def code_in(function: FunctionType, source: LoadedSource) -> CodeType | None:
    """Return a function's code as this source makes it, at its line there; None if the source makes another one.

    Of a function that was made elsewhere nobody can tell: it is what it is.
    """
    code = function.__code__
    if code.co_filename != source.file and not _is_same_file(code.co_filename, source.file):
        return code
    named = sorted(_codes(source).get(code.co_qualname, ()), key=lambda c: c.co_firstlineno != code.co_firstlineno)
    return next((other for other in named if _are_equal(code, other)), None)


def is_plainly_imported(module: ModuleType) -> bool:
    """Tell whether the module's file was imported as it is, by Python itself, not rewritten by a test runner's hook."""
    spec = getattr(module, "__spec__", None)
    if spec is None:
        return module.__name__ == "__main__"
    return type(spec.loader) is importlib.machinery.SourceFileLoader


def put_instead(name: str, file: Path) -> str:
    """Return the constants that a module has in place of those of its file, as text; empty where there are none.

    Only of a file that was, or may have been, changed since this process began: what a script puts into a module, and
    what code reads there, is told by the name under which it is read.

    Raises:
      HparamError: a function is not what the file says now, so that no other process could come to this hash.
    """
    module = sys.modules.get(name)
    if module is None or file.suffix != ".py" or not is_plainly_imported(module) or not is_of_this_process(file):
        return ""
    try:
        source = _source(file, file.stat().st_mtime_ns)
        different = next(different_functions(module, source), None)
    except (SyntaxError, ValueError):  # somebody is writing it
        different = "its code"
    if different is not None:
        raise HparamError(
            f"{file} was changed after {name!r} had been imported from it: {different} is not what the file says now. "
            f"Values would stand under the name of other code. Use importlib.reload(sys.modules[{name!r}]), and make "
            "anew what depends on it; or start a new process."
        )
    return "".join(f"\n{each} = {value_form(value)}" for each, value in different_constants(module, source).items())


def differences(module: ModuleType, source: LoadedSource) -> Iterator[str]:
    """Yield the names of functions and constants of a module that are loaded otherwise than its source says."""
    yield from different_functions(module, source)
    yield from different_constants(module, source)


def different_functions(module: ModuleType, source: LoadedSource) -> Iterator[str]:
    """Yield the names of functions and methods of a module that its source does not make."""
    for name, value in list(vars(module).items()):
        members = vars(value).items() if isinstance(value, type) and value.__module__ == module.__name__ else ()
        for label, member in [(name, value), *((f"{name}.{member}", thing) for member, thing in members)]:
            for function in functions_of(member):
                if function.__module__ == module.__name__ and code_in(function, source) is None:
                    yield label


def different_constants(module: ModuleType, source: LoadedSource) -> dict[str, object]:
    """Return the plain values that a module has in place of those that its source gives these names, once each."""
    found: dict[str, object] = {}
    for name, value in _constants(source.tree).items():
        loaded = vars(module).get(name)
        if is_plain(loaded) and name in vars(module) and value_form(loaded) != value_form(value):
            found[name] = loaded
    return found


def is_of_this_process(file: Path) -> bool:
    """Tell whether a file was, or may have been, changed since this process began."""
    began = _began_at()
    return began is None or file.stat().st_ctime > began - SKEW_S


@functools.cache
def _began_at() -> float | None:
    return began_at()


def began_at() -> float | None:
    """Return when this process began, in seconds since the epoch; for a fork, when it was forked; None: unknown."""
    try:
        ticks = int(Path("/proc/self/stat").read_text().rpartition(")")[2].split()[19])
        lines = Path("/proc/stat").read_text().splitlines()
        boot = next(int(line.split()[1]) for line in lines if line.startswith("btime"))
        return boot + ticks / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError, StopIteration):
        return None


@functools.lru_cache(maxsize=32)
def compiled(source: LoadedSource) -> CodeType:
    """Return the code of a module's body."""
    return compile(source.text, source.file, "exec", dont_inherit=True)


@functools.lru_cache(maxsize=32)
def _codes(source: LoadedSource) -> dict[str, tuple[CodeType, ...]]:
    found: dict[str, tuple[CodeType, ...]] = {}
    for code in codes_of(compiled(source)):
        found[code.co_qualname] = (*found.get(code.co_qualname, ()), code)
    return found


def _are_equal(one: CodeType, other: CodeType) -> bool:
    return one == other or bytecode_form(one) == bytecode_form(other)  # the first is quick, but counts lines


def _constants(tree: ast.Module) -> dict[str, object]:
    """Return the names that a module gives one plain value, once."""
    found: dict[str, object] = {}
    times: dict[str, int] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            times[node.id] = times.get(node.id, 0) + 1
        elif isinstance(node, ast.Global):  # some function changes them
            times |= dict.fromkeys(node.names, 2)
    for statement in tree.body:
        if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
            target = statement.targets[0]
            if isinstance(target, ast.Name) and times[target.id] == 1:
                with contextlib.suppress(ValueError, TypeError, SyntaxError, RecursionError):
                    found[target.id] = ast.literal_eval(statement.value)
    return found


def _is_same_file(one: str, other: str) -> bool:
    try:
        return os.path.samefile(one, other)
    except OSError:
        return False


@functools.lru_cache(maxsize=64)
def _source(file: Path, mtime_ns: int) -> LoadedSource:
    """Return a file as it is. The last argument tells a changed one."""
    text = file.read_bytes()
    return LoadedSource(str(file), text.decode(), syntax_tree(text))
