"""Exceptions of the user's code as records: texts that any database can hold, and whether a resource ran out.

It refuses to know what becomes of them.
"""

from __future__ import annotations

import errno
import re
import traceback

from hippo.records import Failure, Point

#: the most characters that are kept of an error, and of a traceback
MOST_TEXT = 1 << 16

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
        error=plain_text("".join(traceback.format_exception_only(error)).strip()),
        traceback=plain_text("".join(traceback.format_exception(error))),
    )


def is_resource_error(error: BaseException) -> bool:
    """Tell whether an exception says that something ran out which another attempt may have."""
    seen: set[int] = set()
    while id(error) not in seen:
        seen.add(id(error))
        # torch's OutOfMemoryError is a RuntimeError, which says so, too
        if isinstance(error, MemoryError) or (isinstance(error, OSError) and error.errno in _ERRNOS):
            return True
        if isinstance(error, RuntimeError) and _SAID.search(str(error)[:MOST_TEXT]):
            return True
        error = error.__cause__ or error
    return False


def plain_text(text: str) -> str:
    """Return a text without what no database encodes (file names that are no UTF-8), and not longer than anybody reads.

    Of a longer one its middle is left out: what happened stands at one end, where at the other.
    """
    text = text.encode("utf-8", errors="backslashreplace").decode("utf-8")
    if len(text) <= MOST_TEXT:
        return text
    half = MOST_TEXT // 2 - 50
    return f"{text[:half]}\n[... {len(text) - 2 * half} characters left out ...]\n{text[-half:]}"
