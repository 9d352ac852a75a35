"""Checkpoints as files in a folder, safe against a crash at any moment.

A file is written aside, flushed to the disk, renamed into place, and then the folder itself is flushed; so a name
either leads to a whole file or to none. What a killed process leaves behind is a file with a leading dot, which is
nobody's checkpoint. It refuses to know a database: who wants a checkpoint is not its business.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
import tempfile
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import BinaryIO, cast

from hippo.checkpoints.folder_troubles import unreadable, unwritable, why_unwritable
from hippo.checkpoints.store import (
    AbstractCheckpointStore,
    HashingFile,
    StoredBytes,
    WrittenBytes,
    check_bytes,
    check_key,
    taken,
)
from hippo.errors import CheckpointError, MissingCheckpointError

#: what file systems say that cannot flush a folder, some over a network: there it is the server's to keep names
_NO_FLUSH_OF_FOLDERS = frozenset({errno.EINVAL, errno.ENOTSUP, errno.ENOSYS})
#: ends the name of a file that is not whole yet
_UNFINISHED = ".part"
#: small parts of a file are written together: a thread that writes beside a busy one waits for its turn each time
_BUFFER_BYTES = 1 << 20
#: two thirds of a removal is a wait for the disk, or a server
_REMOVERS = 8


class FolderCheckpoints(AbstractCheckpointStore):
    """One file per checkpoint, under a folder that several processes may share.

    Args:
      path: the folder; made when the first checkpoint is written.

    Raises:
      CheckpointError: it is said from the current folder, and that is gone.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        try:
            self._root = Path(path).absolute()
        except FileNotFoundError:
            raise CheckpointError(
                f"checkpoints={os.fspath(path)!r} lies in the current folder, which is gone: name it from the root, or "
                "start the script elsewhere"
            ) from None

    @property
    def root(self) -> Path:
        """The folder, which need not be there yet."""
        return self._root

    def write(self, key: str, writer: Callable[[BinaryIO], object]) -> WrittenBytes:
        target = self._file(key)
        try:
            if target.exists():
                raise taken(str(target))
            _make_folder(target.parent)
            return _write_aside(target, writer)
        except OSError as error:
            raise unwritable(f"cannot write checkpoint {target}", target.parent, error) from error

    def read(self, key: str, *, sha256: str, size_bytes: int) -> bytes:
        with self.open(key) as file:
            try:
                data = file.read()
            except OSError as error:
                raise unreadable(f"cannot read checkpoint {self._file(key)}", error) from error
        check_bytes(str(self._file(key)), data, sha256=sha256, size_bytes=size_bytes)
        return data

    def open(self, key: str) -> BinaryIO:
        file = self._file(key)
        try:
            return file.open("rb")
        except (FileNotFoundError, NotADirectoryError):
            raise MissingCheckpointError(f"there is no checkpoint {file}.") from None
        except OSError as error:
            raise unreadable(f"cannot read checkpoint {file}", error) from error

    def has(self, key: str) -> bool:
        file = self._file(key)
        try:
            return stat.S_ISREG(file.stat().st_mode)
        except (FileNotFoundError, NotADirectoryError):
            return False
        except OSError as error:
            raise unreadable(f"cannot look for checkpoint {file}", error) from error

    def delete(self, key: str) -> None:
        check_key(key)
        try:  # without a `Path`: a hundred thousand of them take longer than the files
            os.unlink(os.path.join(self._root, key))
        except FileNotFoundError:
            pass
        except OSError as error:
            raise CheckpointError(f"cannot remove checkpoint {self._file(key)}: {error.strerror or error}.") from error

    def delete_all(self, keys: Sequence[str]) -> None:
        for key in keys:
            self.delete(key)

    def delete_by_threads(self, keys: Sequence[str]) -> None:
        """Do `delete_all` in a third of the time, where nobody trains whose own writes would wait.

        Raises:
          CheckpointError: some cannot be removed; names the first. Some of the others may be there still.
        """
        with ThreadPoolExecutor(_REMOVERS, thread_name_prefix="hippo-remover") as pool:
            for _ in pool.map(self.delete_all, (keys[first::_REMOVERS] for first in range(_REMOVERS))):
                pass

    def keys(self) -> list[str]:
        found: list[str] = []
        try:
            for folder, _, names in os.walk(self._root, onerror=_raise):
                found += [Path(folder, name).relative_to(self._root).as_posix() for name in names if name[0] != "."]
        except (FileNotFoundError, NotADirectoryError):
            pass  # a folder that went meanwhile, or was never made
        except OSError as error:
            raise unreadable(f"cannot list the checkpoints in {self._root}", error) from error
        return sorted(found)

    def entries(self, prefix: str) -> Iterator[StoredBytes]:
        folder = self._file(prefix)
        try:
            if not self._root.is_dir():
                raise MissingCheckpointError(f"there is no checkpoint folder {self._root}.")
            if not folder.is_dir():
                return
            yield from _entries(folder, prefix)
        except OSError as error:  # a part of them would look like all
            raise unreadable(f"cannot list the checkpoints in {folder}", error) from error

    def check_writable(self) -> None:
        try:
            self._root.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=self._root):
                pass
        except OSError as error:
            raise CheckpointError(
                f"the checkpoint folder {self._root} cannot be written to ({why_unwritable(self._root, error)}). "
                "Mend that, or name another one: checkpoints='folder'."
            ) from error

    def remove_unfinished(self, prefix: str, begins: str = "") -> int:
        removed = 0
        for part in self._file(prefix).rglob(f".{begins}*{_UNFINISHED}"):
            with contextlib.suppress(OSError):  # somebody else's, or gone: it does no harm where it is
                size_bytes = part.stat().st_size
                part.unlink()
                removed += size_bytes
        return removed

    def _file(self, key: str) -> Path:
        check_key(key)
        return self._root / key

    def __repr__(self) -> str:
        return f"FolderCheckpoints({str(self._root)!r})"


def _raise(error: OSError) -> None:
    raise error


def _entries(folder: Path, prefix: str) -> Iterator[StoredBytes]:
    with os.scandir(folder) as found:
        for entry in found:
            if entry.is_dir(follow_symlinks=False):
                yield from _entries(Path(entry.path), f"{prefix}/{entry.name}")
                continue
            try:
                about = entry.stat(follow_symlinks=False)
            except FileNotFoundError:  # written under its whole name by now, or removed
                continue
            is_whole = not entry.name.startswith(".")
            yield StoredBytes(f"{prefix}/{entry.name}" if is_whole else "", about.st_size)


def _write_aside(target: Path, writer: Callable[[BinaryIO], object]) -> WrittenBytes:
    name = target.parent / f".{target.name}.{secrets.token_hex(8)}{_UNFINISHED}"
    # readable for whom the user's umask says: a folder may be shared with a group
    handle = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666)
    try:
        with os.fdopen(handle, "wb", _BUFFER_BYTES) as aside:
            file = HashingFile(aside)
            writer(cast(BinaryIO, file))
            aside.flush()
            os.fsync(aside.fileno())
        os.replace(name, target)
        name = target
        _flush_folder(target.parent)
    except BaseException:  # nothing is left in the way of who writes it again, once there is room
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise
    return file.written()


def _make_folder(folder: Path) -> None:
    """Make `folder` and flush every folder that got a new name in it, so that a crash cannot lose a whole branch."""
    if folder.is_dir():
        return
    new = [folder, *(parent for parent in folder.parents if not parent.is_dir())]
    folder.mkdir(parents=True, exist_ok=True)
    for made in new:
        _flush_folder(made.parent)


def _flush_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    except OSError as error:
        if error.errno not in _NO_FLUSH_OF_FOLDERS:
            raise
    finally:
        os.close(handle)
