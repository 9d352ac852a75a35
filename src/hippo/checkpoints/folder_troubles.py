"""What an operating system says of a file that cannot be read or written, told apart by whether the file is lost.

A network disk that is away for a minute says something else than one that has no such file, and only the latter lets
anybody forget a training state: its steps would be trained again. This module refuses to know which file it is.
"""

from __future__ import annotations

import errno
import os
from pathlib import Path

from hippo.errors import (
    CheckpointError,
    MissingCheckpointError,
    StoreFullError,
    StoreRefusalError,
    UnreachableStoreError,
)

#: a path that leads to no file. All else is about the way there
_ABSENT = frozenset({errno.ENOENT, errno.ENOTDIR, errno.EISDIR})
#: other rights, or another path, would be needed: who waits for them waits in vain
_REFUSED = frozenset({errno.EACCES, errno.EPERM, errno.ELOOP, errno.ENAMETOOLONG, errno.EINVAL})
#: a file stands where a folder should, what no wait for a disk makes writable, and what a file system cannot do at all
_UNWRITABLE = _ABSENT | _REFUSED | {errno.EEXIST, errno.EROFS, errno.EFBIG, errno.ENOSYS, errno.ENOTSUP}


def unreadable(doing: str, error: OSError) -> CheckpointError:
    """Return what is to be raised in the place of the operating system's error.

    Args:
      doing: how the message begins: "cannot read checkpoint /states/a".
      error: what was raised.

    Returns:
      A `MissingCheckpointError` where there is no such file; a `StoreRefusalError` where reading it is not allowed; an
      `UnreachableStoreError` for all else: EIO, ESTALE, ENOTCONN and what other file systems say when they are away.
    """
    why = error.strerror or str(error) or type(error).__name__
    if error.errno in _ABSENT:
        return MissingCheckpointError(f"{doing}: {why}.")
    if error.errno in _REFUSED:
        return StoreRefusalError(
            f"{doing}: {why}. This process needs the right to read it, and to pass through its folders. Nothing is "
            "forgotten: mend that, and run the script again."
        )
    return UnreachableStoreError(
        f"{doing}: {why}. If its disk is away, it is waited for; if that file is broken for good, remove it, and its "
        "steps are trained again."
    )


def unwritable(doing: str, folder: Path, error: OSError) -> CheckpointError:
    """Return what is to be raised in the place of the operating system's error, as `unreadable` does.

    Args:
      doing: how the message begins: "cannot write checkpoint /states/a".
      folder: where it was to be written.
      error: what was raised.

    Returns:
      A `StoreFullError` or an `UnreachableStoreError` where waiting may help, of a full disk and of one that is away.
    """
    told = f"{doing}: {why_unwritable(folder, error)}."
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return StoreFullError(told)
    if error.errno in _UNWRITABLE:
        return CheckpointError(f"{told} Nothing is forgotten: mend that, and run the script again.")
    return UnreachableStoreError(told)


def why_unwritable(folder: Path, error: OSError) -> str:
    """Return why nothing can be written into a folder: what the operating system says, or which file stands there."""
    if error.errno in (errno.EEXIST, errno.ENOTDIR):
        for each in (folder, *folder.parents):
            if os.path.isfile(each):
                return f"{each} is a file, and no folder"
    return error.strerror or str(error) or type(error).__name__
