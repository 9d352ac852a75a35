"""Checkpoints as objects in a bucket: S3 and what speaks like it, Google Cloud Storage, Azure Blob Storage.

A put is whole or nothing, and the first of a name wins, as the server sees to it. There are no folders to make and
nothing to rename. Requests fail in ways that a disk does not: what passes is asked again here, and what is told is what
to do (`hippo.checkpoints.bucket`).
"""

from __future__ import annotations

import contextlib
import errno
import io
import secrets
from collections.abc import Callable, Iterator, Sequence
from typing import Any, BinaryIO, TypeVar, cast

from hippo.checkpoints.bucket import Bucket
from hippo.checkpoints.object_troubles import NO_PATIENCE, StorePatience, StoreTrouble, trouble_of
from hippo.checkpoints.s3_requests import MOST_REMOVED, Upload, abort_upload, remove_objects, upload_bytes, uploads
from hippo.checkpoints.spool import Spool
from hippo.checkpoints.store import (
    AbstractCheckpointStore,
    HashingFile,
    StoredBytes,
    WrittenBytes,
    check_bytes,
    check_key,
    taken,
)
from hippo.errors import CheckpointError, MissingCheckpointError, StoreFullError

_T = TypeVar("_T")

#: what tells a driver that nothing may be overwritten
_EXCLUSIVE: dict[str, dict[str, Any]] = {"az": {"overwrite": False}}


class ObjectCheckpoints(AbstractCheckpointStore):
    """One object per checkpoint, under a prefix that several machines may share.

    Endpoint, region, profile and credentials are those of the environment, or of fsspec's own configuration: a URL is
    recorded with a study, and holds no secret. It may be sent to other processes and survives a fork: each process
    opens its own connection when it first needs one.

    Args:
      url: "s3://bucket/prefix"; the bucket must exist.
      patience: how long requests that fail are repeated.

    Raises:
      CheckpointError: the URL names no bucket, or has parts that are not for it.
    """

    def __init__(self, url: str, *, patience: StorePatience | None = None) -> None:
        self._bucket = Bucket(url, patience or StorePatience())
        #: until a server says that it knows no exclusive put: names are unique to a plan, epoch and lease all the same
        self._is_exclusive = True

    def __reduce__(self) -> tuple[object, ...]:
        return _reopened, (self._bucket.url, self._bucket.patience)

    def write(self, key: str, writer: Callable[[BinaryIO], object]) -> WrittenBytes:
        check_key(key)
        with contextlib.closing(Spool()) as spool:
            file = HashingFile(cast(BinaryIO, spool))
            try:
                writer(cast(BinaryIO, file))
            except OSError as error:
                kind = StoreFullError if error.errno in (errno.ENOSPC, errno.EDQUOT) else CheckpointError
                raise kind(
                    f"cannot write checkpoint {self._bucket.named(key)}: {error}. Large states lie in the folder for "
                    "temporary files until they are sent; TMPDIR names another one."
                ) from error
            self._bucket.ask(
                lambda system: self._put(system, key, spool), f"cannot write checkpoint {self._bucket.named(key)}"
            )
        return file.written()

    def read(self, key: str, *, sha256: str, size_bytes: int) -> bytes:
        data = self._fetched(key)
        check_bytes(self._bucket.named(key), data, sha256=sha256, size_bytes=size_bytes)
        return data

    def open(self, key: str) -> BinaryIO:
        return io.BytesIO(self._fetched(key))

    def has(self, key: str) -> bool:
        check_key(key)
        doing = f"cannot look for checkpoint {self._bucket.named(key)}"
        try:
            self._bucket.ask(lambda system: system.info(self._bucket.path(key)), doing)
        except MissingCheckpointError:
            return False
        return True

    def delete(self, key: str) -> None:
        self.delete_all([key])

    def delete_all(self, keys: Sequence[str]) -> None:
        for key in keys:
            check_key(key)
        for start in range(0, len(keys), MOST_REMOVED):
            some = keys[start : start + MOST_REMOVED]
            doing = f"cannot remove {len(some)} checkpoints in {self._bucket.url}, such as {some[0]!r}"
            failed = self._bucket.ask(lambda system, some=some: self._remove(system, some), doing)  # type: ignore[misc]
            if failed:
                key, why = next(iter(failed.items()))
                raise CheckpointError(
                    f"cannot remove {len(failed)} checkpoints in {self._bucket.url}, such as {key!r}: {why}."
                )

    def keys(self) -> list[str]:
        return sorted(entry.key for entry in self._listed(""))

    def entries(self, prefix: str) -> Iterator[StoredBytes]:
        check_key(prefix)
        yield from self._listed(prefix)
        for size_bytes in self._each_upload(prefix, upload_bytes):
            yield StoredBytes("", size_bytes)

    def check_writable(self) -> None:
        """As every store: puts an object of a name that no checkpoint has, reads it, and removes it."""
        path, probe = self._bucket.path(f".probe-{secrets.token_hex(8)}"), b"hippo"
        spool = Spool()
        spool.write(probe)

        def try_out(system: Any) -> bytes:
            try:
                self._put_first(system, path, spool)
                return bytes(system.cat_file(path))
            finally:
                with contextlib.suppress(Exception):  # why it could not be put is what is told
                    system.rm_file(path)

        doing = f"the checkpoint store {self._bucket.url} cannot be written to"
        if self._bucket.ask(try_out, doing, NO_PATIENCE) != probe:
            raise CheckpointError(f"{doing}: what was put there is read as something else.")

    def remove_unfinished(self, prefix: str, begins: str = "") -> int:
        check_key(prefix)

        def remove(system: Any, bucket: str, upload: Upload) -> int:
            size_bytes = upload_bytes(system, bucket, upload)
            abort_upload(system, bucket, upload)
            return size_bytes

        return sum(self._each_upload(prefix, remove, begins))

    def old_uploads(self, begun_before_s: float, *, delete: bool, besides: Sequence[str] = ()) -> list[int]:
        """Find the writes in parts below this prefix that were begun long ago, and give them up if told to.

        Anybody's, of any database that shares the prefix: what is still sent after a day is sent by nobody.

        Args:
          begun_before_s: seconds since the epoch.
          delete: give them up; else they are only counted.
          besides: names that begin with these are left out, whole parts of names such as "3f2a/p1".

        Returns:
          What the parts of each of them take, in bytes.
        """
        left_out = tuple(f"{self._bucket.name_of(prefix)}/" for prefix in besides)

        def remove(system: Any, bucket: str, upload: Upload) -> int | None:
            if upload.begun_s >= begun_before_s or upload.key.startswith(left_out):
                return None
            size_bytes = upload_bytes(system, bucket, upload)
            if delete:
                abort_upload(system, bucket, upload)
            return size_bytes

        return [size for size in self._each_upload("", remove) if size is not None]

    def _put(self, system: Any, key: str, spool: Spool) -> None:
        """Put a checkpoint, unless it is there.

        Whose reply was lost finds, when he repeats, what he has put himself: the very same bytes are no conflict.
        """
        path = self._bucket.path(key)
        try:
            self._put_first(system, path, spool)
        except Exception as error:
            if trouble_of(error) is not StoreTrouble.TAKEN:
                raise
            if system.info(path)["size"] == spool.size_bytes and spool.is_equal(system.cat_file(path)):
                return
            raise taken(self._bucket.named(key)) from error

    def _put_first(self, system: Any, path: str, spool: Spool) -> None:
        if self._is_exclusive:
            try:
                spool.put(system, path, **_EXCLUSIVE.get(self._bucket.scheme, {"mode": "create"}))
                return
            except Exception as error:
                if trouble_of(error) is not StoreTrouble.UNSUPPORTED:
                    raise
                self._is_exclusive = False
        if system.exists(path):
            raise FileExistsError(path)
        spool.put(system, path)

    def _fetched(self, key: str) -> bytes:
        check_key(key)
        doing = f"cannot read checkpoint {self._bucket.named(key)}"
        return bytes(self._bucket.ask(lambda system: system.cat_file(self._bucket.path(key)), doing, is_recorded=True))

    def _remove(self, system: Any, keys: Sequence[str]) -> dict[str, str]:
        if self._bucket.scheme == "s3":
            return remove_objects(system, self._bucket.name, [self._bucket.name_of(key) for key in keys])
        for key in keys:
            with contextlib.suppress(FileNotFoundError):
                system.rm_file(self._bucket.path(key))
        return {}

    def _listed(self, prefix: str) -> list[StoredBytes]:
        """Return all whole objects below a prefix; names with a leading dot are nobody's checkpoints."""
        doing = f"cannot look at {self._bucket.url}"
        path, bucket, is_s3 = self._bucket.path(prefix), self._bucket.name, self._bucket.scheme == "s3"

        def find(system: Any) -> dict[str, Any]:
            found = dict(system.find(path, detail=True))
            if not found and not is_s3 and not system.exists(bucket):  # S3 says so by itself; others find nothing
                raise FileNotFoundError(bucket)
            return found

        try:
            found = self._bucket.ask(find, doing)
        except MissingCheckpointError:
            raise MissingCheckpointError(f"there is no bucket {bucket!r}, or it cannot be seen from here.") from None
        names = {self._bucket.key_of(path): about["size"] for path, about in found.items()}
        return [StoredBytes(name, size) for name, size in names.items() if not name.rpartition("/")[2].startswith(".")]

    def _each_upload(self, prefix: str, visit: Callable[[Any, str, Upload], _T], begins: str = "") -> list[_T]:
        """Visit the writes in parts below a prefix; elsewhere than at S3 they cost nothing and go by themselves."""
        if self._bucket.scheme != "s3":
            return []
        name, below = self._bucket.name, f"{self._bucket.name_of(prefix)}/{begins}".lstrip("/")

        def visit_all(system: Any) -> list[_T]:
            return [visit(system, name, each) for each in uploads(system, name, below)]

        return self._bucket.ask(visit_all, f"cannot look at the unfinished uploads of {self._bucket.url}")

    def __repr__(self) -> str:
        return f"ObjectCheckpoints({self._bucket.url!r})"


def _reopened(url: str, patience: StorePatience) -> ObjectCheckpoints:
    return ObjectCheckpoints(url, patience=patience)
