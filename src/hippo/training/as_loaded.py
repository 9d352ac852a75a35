"""The source of a module as this process imported it, which the file on the disk may no longer be.

Python keeps no record of what it compiled. So the text is remembered when a module is first looked at, until the
module is reloaded; and a file that was changed before that, but after this process began, is compared with the
functions and constants that are loaded. It refuses to know which code matters to a trainer.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import hashlib
import importlib.machinery
import inspect
import linecache
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FrameType, FunctionType, ModuleType

from hippo.clock import SystemClock
from hippo.errors import TrainerError
from hippo.hparams.code_forms import bytecode_form, codes_of, module_form, tree_form, value_form
from hippo.hparams.looking import functions_of, is_plain
from hippo.hparams.syntax import syntax_tree
from hippo.training.telling import tell_once

#: a file system's clock and ours may differ by so much
_SKEW_S = 2.0


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


#: by module: what tells one import of it from the next, and its source then
_seen: dict[str, tuple[object, object, LoadedSource | None]] = {}


def form_hash(form: str) -> str:
    """Return a short hash of a normal form."""
    return hashlib.sha256(form.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def import_mark(name: str) -> object:
    """Return an object that changes when the module is imported, or imported again; None if it is not loaded."""
    module = sys.modules.get(name)
    return getattr(module, "__spec__", None) or module


def source_of(module: ModuleType) -> LoadedSource | None:
    """Return a module's source as it was imported; None if it never had a file of Python code, or that is gone.

    Warns once if the file says something else by now. A file that was changed before anybody looked is not noticed
    here, but by `require_as_imported` and `code_in`.
    """
    name, mark = module.__name__, import_mark(module.__name__)
    known = _seen.get(name)
    if known is not None and known[0] is mark and known[1] is module:
        if known[2] is not None:
            _tell_if_changed(name, known[2])
        return known[2]
    source = _read(module)
    _seen[name] = (mark, module, source)
    return source


def require_as_imported(module: ModuleType, source: LoadedSource) -> None:
    """Refuse a module that is loaded otherwise than its source says.

    Raises:
      TrainerError: the file was changed after this process had imported it, and before anybody looked.
    """
    if not may_be_stale(module, source):
        return
    different = next(_differences(module, source), None)
    if different is not None:
        raise stale(module, source, different)


def stale(module: ModuleType, source: LoadedSource, what: str) -> TrainerError:
    """Return the error which says that something is loaded otherwise than its source says."""
    return TrainerError(
        f"{source.file} was changed after {module.__name__!r} had been imported from it: {what} is not what the file "
        f"says now. Use importlib.reload({module.__name__}), import the class again, and call create_study again; or "
        "start a new process. (If it is a value that was put into the module, make it an argument of __init__.)"
    )


def may_be_stale(module: ModuleType, source: LoadedSource) -> bool:
    """Tell whether the source may have been read after it was changed."""
    return is_plainly_imported(module) and is_newer_than_this_process(source.file)


def code_of(module: ModuleType, source: LoadedSource | None) -> CodeType | None:
    """Return the code of a module's body, compiled from its source, or found where it is still being run."""
    if source is not None:
        return _compiled(source)
    for frame in _running_frames():
        if frame.f_code.co_name == "<module>" and frame.f_globals is vars(module):
            return frame.f_code
    return None


@contextmanager
def lines_as_loaded(source: LoadedSource | None) -> Iterator[None]:
    """Let `inspect` find the lines of a source as it was imported, for the block."""
    if source is None:
        yield
        return
    before = linecache.cache.get(source.file)
    lines = source.text.splitlines(keepends=True)
    linecache.cache[source.file] = (len(source.text), None, lines, source.file)  # None: never look at the file
    try:
        yield
    finally:
        linecache.cache.pop(source.file, None)
        if before is not None:
            linecache.cache[source.file] = before


def code_in(function: FunctionType, source: LoadedSource) -> CodeType | None:
    """Return a function's code as this source makes it, at its line there; None if the source makes another one.

    Of a function that was made elsewhere nobody can tell: it is what it is.
    """
    code = function.__code__
    if code.co_filename != source.file and not _is_same_file(code.co_filename, source.file):
        return code
    named = sorted(_codes(source).get(code.co_qualname, ()), key=lambda c: c.co_firstlineno != code.co_firstlineno)
    return next((other for other in named if _are_equal(code, other)), None)


def is_compiled_from(body: CodeType, text: bytes) -> bool:
    """Tell whether the code of a module's body is that of a text."""
    try:
        return bytecode_form(compile(text, body.co_filename, "exec", dont_inherit=True)) == bytecode_form(body)
    except (SyntaxError, ValueError):
        return False


def is_newer_than_this_process(file: str) -> bool:
    """Tell whether a file was, or may have been, changed since this process began."""
    try:
        return os.stat(file).st_ctime > _began_at() - _SKEW_S
    except OSError:
        return False


def is_plainly_imported(module: ModuleType) -> bool:
    """Tell whether the module's file was imported as it is, by Python itself, not rewritten by a test runner's hook."""
    spec = getattr(module, "__spec__", None)
    if spec is None:
        return module.__name__ == "__main__"
    return type(spec.loader) is importlib.machinery.SourceFileLoader


# --- reading


def _read(module: ModuleType) -> LoadedSource | None:
    try:
        file = inspect.getsourcefile(module) or ""
        linecache.checkcache(file)
        text = inspect.getsource(module)
        return LoadedSource(file, text, syntax_tree(text))
    except (OSError, TypeError, SyntaxError):
        return None


def _tell_if_changed(name: str, source: LoadedSource) -> None:
    try:
        text = Path(source.file).read_bytes()
        if text == source.text.encode():
            return
        now = _form_of(text)
    except (OSError, SyntaxError):
        return  # somebody is writing it, or took it away: what counts is what was imported
    if now == module_form(source.tree):
        return
    tell_once(
        (name, form_hash(now)),
        f"{source.file} was changed after {name!r} had been imported from it. What counts, and what is trained in this "
        "process, is the code that was imported; importlib.reload, or a new process, takes the new one.",
    )


@functools.lru_cache(maxsize=8)
def _form_of(text: bytes) -> str:
    return tree_form(syntax_tree(text))


@functools.lru_cache(maxsize=32)
def _compiled(source: LoadedSource) -> CodeType:
    return compile(source.text, source.file, "exec", dont_inherit=True)


@functools.lru_cache(maxsize=32)
def _codes(source: LoadedSource) -> dict[str, tuple[CodeType, ...]]:
    found: dict[str, tuple[CodeType, ...]] = {}
    for code in codes_of(_compiled(source)):
        found[code.co_qualname] = (*found.get(code.co_qualname, ()), code)
    return found


def _are_equal(one: CodeType, other: CodeType) -> bool:
    return one == other or bytecode_form(one) == bytecode_form(other)  # the first is quick, but counts lines


def _running_frames() -> Iterator[FrameType]:
    for innermost in sys._current_frames().values():
        frame: FrameType | None = innermost
        while frame is not None:
            yield frame
            frame = frame.f_back


# --- comparing


def _differences(module: ModuleType, source: LoadedSource) -> Iterator[str]:
    for name, value in list(vars(module).items()):
        members = vars(value).items() if isinstance(value, type) and value.__module__ == module.__name__ else ()
        for label, member in [(name, value), *((f"{name}.{member}", thing) for member, thing in members)]:
            for function in functions_of(member):
                if function.__module__ == module.__name__ and code_in(function, source) is None:
                    yield label
    for name, value in _constants(source.tree).items():
        loaded = vars(module).get(name)
        if is_plain(loaded) and name in vars(module) and value_form(loaded) != value_form(value):
            yield name


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


#: the latest moment at which this process can have begun, where the system does not tell
_FIRST_SEEN = SystemClock().now()


@functools.cache
def _began_at() -> float:
    """Return when this process began, in seconds since the epoch; for a fork, when it was forked."""
    try:
        ticks = int(Path("/proc/self/stat").read_text().rpartition(")")[2].split()[19])
        lines = Path("/proc/stat").read_text().splitlines()
        boot = next(int(line.split()[1]) for line in lines if line.startswith("btime"))
        return boot + ticks / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError, StopIteration):
        return _FIRST_SEEN - 60.0  # whoever imports hippo began not long before
