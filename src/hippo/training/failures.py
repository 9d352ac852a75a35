"""Exceptions of the user's code as records: texts that any database can hold, and whether a resource ran out.

It refuses to know what becomes of them.
"""

from __future__ import annotations

import errno
import os
import re
import traceback

from hippo.errors import MOST_TEXT, GangLostError, StateError, TrainerError, storable_text
from hippo.records import Failure, Point

#: out of memory, disk space, or open files
_ERRNOS = frozenset({errno.ENOMEM, errno.ENOSPC, errno.EDQUOT, errno.EMFILE, errno.ENFILE})
#: how libraries say it in a RuntimeError
_SAID = re.compile(
    r"DataLoader worker \(pid\(?s?\)? [\d, ]+\) (is|exited|are|was)"  # killed: mostly by the kernel, for memory
    r"|out of memory"
    r"|can't allocate memory|Cannot allocate memory"
    r"|CUBLAS_STATUS_ALLOC_FAILED|CUDNN_STATUS_ALLOC_FAILED"
    r"|No space left on device|Too many open files"
)

#: how torch says what a process of a loader has met: its traceback comes first, what was raised last
_CAUGHT = re.compile(
    r"Caught (?P<kind>\w+) in (?P<where>[^\n]+)\.\nOriginal Traceback .*\n"
    r"(?P<said>([\w.]+\.)?(?P=kind)(: [^\n]*)?)\s*\Z",
    re.DOTALL,
)


class DatasetFailed(Exception):
    """A data set could not be made (`__cause__`): it is made once for all trials, so that this is no fact about one."""

    def __init__(self, method: str) -> None:
        super().__init__(method)
        self.method = method


def failure_of(error: BaseException, method: str, point: Point) -> Failure:
    """Return the record of an exception that is being handled.

    Args:
      error: what was raised.
      method: by which method of the trainer.
      point: what could not be made.
    """
    node, step = point
    return Failure(
        node=node,
        step=step,
        method=method,
        error=storable_text(_said(error)),
        traceback=storable_text("".join(traceback.format_exception(error))),
    )


def _said(error: BaseException) -> str:
    """Return what was raised, and why, without the traceback from elsewhere that torch puts before it."""
    text = "".join(traceback.format_exception_only(error)).strip()
    caught = _CAUGHT.search(text)
    return text if caught is None else f"{caught['said']} (in {caught['where']})"


def refusal_of(failure: Failure) -> str:
    """Return what hippo says is wrong with what a method returned; empty: the user's code raised."""
    for kind in (TrainerError, StateError):
        name, said, refusal = failure.error.partition(": ")
        if said and name == f"{kind.__module__}.{kind.__qualname__}":
            return refusal
    return ""


def end_of(error: BaseException) -> str:
    """Return what ends a process, and where it was raised: "SystemExit: 3 (trainer.py, line 12, in train)"."""
    text = "".join(traceback.format_exception_only(error)).strip()
    frames = traceback.extract_tb(error.__traceback__)
    where = f" ({os.path.basename(frames[-1].filename)}, line {frames[-1].lineno}, in {frames[-1].name})"
    return storable_text(text + where if frames else text)


def let_frames_go(error: BaseException) -> None:
    """Let go of what the frames of an exception hold, and of those before it or in it, once it is written down.

    torch raises what a loader's process has met in a frame that holds the exception: only the garbage collector would
    end the loader's processes, on whatever thread it comes by, and wait there for seconds until they are gone.
    """
    waiting, seen = [error], set[int]()
    while waiting:
        each = waiting.pop()
        if id(each) not in seen:
            seen.add(id(each))
            traceback.clear_frames(each.__traceback__)
            waiting += [before for before in (each.__cause__, each.__context__) if before is not None]
            waiting += each.exceptions if isinstance(each, BaseExceptionGroup) else ()


def is_resource_error(error: BaseException) -> bool:
    """Tell whether an exception says that something ran out which another attempt may have."""
    seen: set[int] = set()
    while id(error) not in seen:
        seen.add(id(error))
        if isinstance(error, GangLostError):  # a process was killed: mostly by the kernel, for memory
            return True
        # torch's OutOfMemoryError is a RuntimeError, which says so, too
        if isinstance(error, MemoryError) or (isinstance(error, OSError) and error.errno in _ERRNOS):
            return True
        if isinstance(error, RuntimeError) and _SAID.search(str(error)[:MOST_TEXT]):
            return True
        error = error.__cause__ or error
    return False
