"""The source of a module as this process imported it, which the file on the disk may no longer be.

Python keeps no record of what it compiled. So the text is remembered when a module is first looked at, until the
module is reloaded; and a file that was changed before that, but after this process began, is compared with the
functions and constants that are loaded. It refuses to know which code matters to a trainer.
"""

from __future__ import annotations

import functools
import inspect
import linecache
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import CodeType, FrameType, ModuleType

from hippo.clock import SystemClock
from hippo.errors import TrainerError
from hippo.hparams.code_forms import bytecode_form, module_form, tree_form
from hippo.hparams.loaded_source import (
    SKEW_S,
    LoadedSource,
    began_at,
    compiled,
    differences,
    form_hash,
    is_plainly_imported,
)
from hippo.hparams.syntax import syntax_tree
from hippo.training.telling import tell_once

#: by module: what tells one import of it from the next, and its source then
_seen: dict[str, tuple[object, object, LoadedSource | None]] = {}


def import_mark(name: str) -> object:
    """Return an object that changes when the module is imported, or imported again; None if it is not loaded."""
    module = sys.modules.get(name)
    return getattr(module, "__spec__", None) or module


def source_of(module: ModuleType) -> LoadedSource | None:
    """Return a module's source as it was imported; None if it never had a file of Python code, or that is gone.

    Warns once if the file says something else by now. A file that was changed before anybody looked is not noticed
    here, but by `require_as_imported` and `loaded_source.code_in`.
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
    different = next(differences(module, source), None)
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
    """Return the code of a module's body, compiled from its source, or found where it is still being run.

    A notebook has none: each of its cells has one, and the one that runs just now says nothing of the others.
    """
    if source is not None:
        return compiled(source)
    if _is_notebook(module):
        return None
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


def is_compiled_from(body: CodeType, text: bytes) -> bool:
    """Tell whether the code of a module's body is that of a text."""
    try:
        return bytecode_form(compile(text, body.co_filename, "exec", dont_inherit=True)) == bytecode_form(body)
    except (SyntaxError, ValueError):
        return False


def is_newer_than_this_process(file: str) -> bool:
    """Tell whether a file was, or may have been, changed since this process began."""
    try:
        return os.stat(file).st_ctime > _began_at() - SKEW_S
    except OSError:
        return False


# --- reading


def _read(module: ModuleType) -> LoadedSource | None:
    try:
        file = inspect.getsourcefile(module) or ""
        linecache.checkcache(file)
        text = inspect.getsource(module)
        return LoadedSource(file, text, syntax_tree(text))
    except (OSError, TypeError, SyntaxError):
        return None


def _is_notebook(module: ModuleType) -> bool:
    """Tell whether a module is the one that IPython runs its cells in."""
    if (ipython := sys.modules.get("IPython")) is None:
        return False
    shell = ipython.get_ipython()
    return shell is not None and shell.user_ns is vars(module)


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


def _running_frames() -> Iterator[FrameType]:
    for innermost in sys._current_frames().values():
        frame: FrameType | None = innermost
        while frame is not None:
            yield frame
            frame = frame.f_back


#: the latest moment at which this process can have begun, where the system does not tell
_FIRST_SEEN = SystemClock().now()


@functools.cache
def _began_at() -> float:
    """Return when this process began, in seconds since the epoch; for a fork, when it was forked."""
    began = began_at()
    return _FIRST_SEEN - 60.0 if began is None else began  # whoever imports hippo began not long before
