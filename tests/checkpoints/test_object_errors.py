"""What an object store may answer, and what comes of it: repeated while that may help, then told with a way out.

The store is fsspec's own, in memory, and fails as it is told to with the errors that drivers raise.
"""

from __future__ import annotations

import errno
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, ClassVar

import fsspec
import pytest
from fsspec.implementations.memory import MemoryFileSystem

from hippo.checkpoints import AbstractCheckpointStore, ObjectCheckpoints, open_checkpoints
from hippo.checkpoints.object_troubles import StoreAttempts, StorePatience, StoreTrouble, trouble_of
from hippo.errors import (
    CheckpointError,
    HippoError,
    MissingCheckpointError,
    StoreFullError,
    StoreRefusalError,
    UnreachableStoreError,
)
from hippo.testing.checkpoint_contract import KEY, CheckpointContract, read, write

QUICK = StorePatience(
    pauses_s=(0.0,) * 5, credentials_s=0.03, credentials_pause_s=0.01, missing_s=0.03, missing_pause_s=0.01
)


class ServerError(Exception):
    """As botocore's `ClientError`: it says what the server called it."""

    def __init__(self, code: str, message: str = "so it is") -> None:
        super().__init__(f"An error occurred ({code}): {message}")
        self.response = {"Error": {"Code": code, "Message": message}}


class NoCredentialsError(Exception):
    """As botocore's."""


def translated(code: str, kind: Callable[..., OSError] = PermissionError, *args: Any) -> OSError:
    """As s3fs raises it: one of Python's errors, from the server's."""
    error = kind(*args, "so it is")
    error.__cause__ = ServerError(code)
    return error


class FailingSystem(MemoryFileSystem):
    """fsspec's memory, whose next requests raise, before or after they were carried out."""

    protocol = "failing"
    store: ClassVar[dict[str, Any]] = {}
    pseudo_dirs: ClassVar[list[str]] = [""]
    before: ClassVar[list[Exception]] = []
    after: ClassVar[list[Exception]] = []
    opened: ClassVar[int] = 0
    requests: ClassVar[int] = 0

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        type(self).opened += 1

    @classmethod
    def _strip_protocol(cls, path: str) -> str:
        return MemoryFileSystem._strip_protocol(path.removeprefix("failing://"))

    def exists(self, path: str, **kwargs: Any) -> bool:
        return True if "/" not in path.strip("/") else super().exists(path, **kwargs)

    def find(self, path: str, **kwargs: Any) -> Any:
        return self._after(lambda: super(FailingSystem, self).find(path, **kwargs))

    def pipe_file(self, path: str, value: bytes, mode: str = "overwrite", **kwargs: Any) -> None:
        self._after(lambda: super(FailingSystem, self).pipe_file(path, value, mode=mode, **kwargs))

    def cat_file(self, path: str, *args: Any, **kwargs: Any) -> Any:
        return self._after(lambda: super(FailingSystem, self).cat_file(path, *args, **kwargs))

    def _after(self, request: Callable[[], Any]) -> Any:
        type(self).requests += 1
        if self.before:
            raise self.before.pop(0)
        answer = request()
        if self.after:
            raise self.after.pop(0)
        return answer


fsspec.register_implementation("failing", FailingSystem, clobber=True)


@pytest.fixture
def system() -> Iterator[type[FailingSystem]]:
    """The file system that the store of this test is given, empty."""
    for listed in (FailingSystem.store, FailingSystem.before, FailingSystem.after):
        listed.clear()
    FailingSystem.opened = FailingSystem.requests = 0
    yield FailingSystem
    FailingSystem.before.clear()


@pytest.fixture
def store(system: type[FailingSystem]) -> AbstractCheckpointStore:
    return ObjectCheckpoints(f"failing://bucket/{uuid.uuid4().hex}", patience=QUICK)


class TestObjects(CheckpointContract):
    @pytest.fixture
    def store(self, system: type[FailingSystem]) -> AbstractCheckpointStore:
        return ObjectCheckpoints("failing://bucket/states", patience=QUICK)


# --- what passes


BUSY = (
    translated("SlowDown", OSError, errno.EBUSY),
    translated("InternalError", OSError, errno.EIO),
    translated("503", OSError, errno.EBUSY),
    ConnectionResetError("by peer"),
    TimeoutError("read timed out"),
)


@pytest.mark.parametrize("error", BUSY, ids=str)
def test_a_busy_store_is_asked_five_times_again(
    store: AbstractCheckpointStore, system: type[FailingSystem], error: Exception
) -> None:
    system.before += [error] * 5
    written = write(store, b"weights")
    system.before += [error] * 5
    assert read(store, written) == b"weights"
    assert system.requests == 12


def test_a_store_that_stays_busy_cannot_be_reached_for_now(
    store: AbstractCheckpointStore, system: type[FailingSystem]
) -> None:
    system.before += [BUSY[0]] * 6
    with pytest.raises(UnreachableStoreError, match=rf"cannot write checkpoint failing://.*{KEY}: .*asks to slow down"):
        write(store, b"weights")
    assert (system.requests, list(store.keys())) == (6, [])


FULL = (
    translated("XMinioStorageFull", OSError, errno.EIO),
    translated("QuotaExceeded", OSError, errno.EIO),
    translated("507", OSError, errno.EIO),
    OSError(errno.ENOSPC, "No space left on device"),
)


@pytest.mark.parametrize("error", FULL, ids=str)
def test_a_store_that_is_full_is_no_store_that_does_not_answer(
    store: AbstractCheckpointStore, system: type[FailingSystem], error: Exception
) -> None:
    system.before.append(error)
    with pytest.raises(StoreFullError, match=rf"cannot write checkpoint failing://.*{KEY}: the store is full, or"):
        write(store, b"weights")
    assert (system.requests, list(store.keys())) == (1, [])


def test_a_put_whose_reply_was_lost_is_found_to_be_ones_own(
    store: AbstractCheckpointStore, system: type[FailingSystem]
) -> None:
    system.after.append(ConnectionResetError("by peer"))
    assert read(store, write(store, b"weights")) == b"weights"
    with pytest.raises(CheckpointError, match="never rewritten"):
        write(store, b"weighty")


def test_credentials_that_are_renewed_are_waited_for_and_read_anew(
    store: AbstractCheckpointStore, system: type[FailingSystem]
) -> None:
    system.before += [translated("ExpiredToken"), NoCredentialsError("Unable to locate credentials")]
    written = write(store, b"weights")
    assert system.opened == 3
    assert read(store, written) == b"weights"


def test_credentials_that_nobody_renews_are_told_with_the_way_out(
    store: AbstractCheckpointStore, system: type[FailingSystem]
) -> None:
    system.before += [translated("ExpiredToken")] * 4
    with pytest.raises(UnreachableStoreError, match=r"they have expired .*Give this process valid ones"):
        write(store, b"weights")
    assert system.before == []


def test_patience_with_credentials_is_five_minutes_and_with_a_missing_object_five_seconds() -> None:
    attempts = StoreAttempts(StorePatience(), is_recorded=True)

    def waited_s(trouble: StoreTrouble) -> float:
        return sum(iter(lambda: attempts.pause_s(trouble), None))

    assert waited_s(StoreTrouble.CREDENTIALS) == 300
    assert waited_s(StoreTrouble.MISSING) == 5
    assert waited_s(StoreTrouble.BUSY) == 15.5
    assert StoreAttempts(StorePatience(), is_recorded=False).pause_s(StoreTrouble.MISSING) is None
    assert attempts.pause_s(StoreTrouble.DENIED) is None


def test_what_is_found_late_is_read(store: AbstractCheckpointStore, system: type[FailingSystem]) -> None:
    written = write(store, b"weights")
    system.before += [translated("NoSuchKey", FileNotFoundError)] * 3
    assert read(store, written) == b"weights"


def test_what_is_never_found_is_missing(store: AbstractCheckpointStore, system: type[FailingSystem]) -> None:
    with pytest.raises(MissingCheckpointError, match=f"cannot read checkpoint .*{KEY}: there is no such object"):
        store.open(KEY)
    assert system.requests == 4


def test_whether_something_is_there_is_told_without_waiting(
    store: AbstractCheckpointStore, system: type[FailingSystem]
) -> None:
    assert not store.has(KEY)
    write(store, b"weights")
    assert store.has(KEY)


# --- what does not


@pytest.mark.parametrize(
    ("error", "kind", "said"),
    [
        (translated("AccessDenied"), StoreRefusalError, r"access is denied .*put, get, list and delete objects"),
        (
            translated("NoSuchBucket", FileNotFoundError),
            StoreRefusalError,
            r"no bucket 'bucket'\. Make it, or name",
        ),
        (ValueError("what\nis this"), StoreRefusalError, "ValueError: what is this"),
    ],
    ids=["denied", "bucket", "other"],
)
def test_what_does_not_pass_is_told_at_once_in_one_line(
    store: AbstractCheckpointStore, system: type[FailingSystem], error: Exception, kind: type[HippoError], said: str
) -> None:
    system.before.append(error)
    with pytest.raises(kind, match=said) as raised:
        write(store, b"weights")
    assert (system.requests, "\n" in str(raised.value)) == (1, False)
    assert type(raised.value) is kind


@pytest.mark.parametrize("error", [translated("ExpiredToken"), BUSY[0], translated("NoSuchBucket", FileNotFoundError)])
def test_before_training_nothing_is_waited_for(
    store: AbstractCheckpointStore, system: type[FailingSystem], error: Exception
) -> None:
    system.before.append(error)
    with pytest.raises(CheckpointError, match=r"the checkpoint store failing://.* cannot be written to: "):
        store.check_writable()
    assert system.requests == 1


def test_a_server_that_knows_no_exclusive_put_is_put_to_plainly(
    store: AbstractCheckpointStore, system: type[FailingSystem]
) -> None:
    system.before.append(translated("NotImplemented", OSError, errno.ENOSYS))
    written = write(store, b"weights")
    with pytest.raises(CheckpointError, match="never rewritten"):
        write(store, b"others")
    assert read(store, written) == b"weights"


def test_a_full_folder_for_temporary_files_is_no_fault_of_the_store(
    store: AbstractCheckpointStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(**_: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("hippo.checkpoints.spool.MOST_IN_MEMORY", 4)
    monkeypatch.setattr("tempfile.TemporaryFile", full)
    monkeypatch.setattr("tempfile.NamedTemporaryFile", full)
    with pytest.raises(StoreFullError, match=r"No space left on device\. .*TMPDIR names another"):
        write(store, b"weights")


@pytest.mark.parametrize("open_files", ["/proc/self/fd", "nowhere"])
def test_what_is_too_much_for_memory_goes_by_a_file(
    open_files: str, store: AbstractCheckpointStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hippo.checkpoints.spool.MOST_IN_MEMORY", 4)
    monkeypatch.setattr("hippo.checkpoints.spool._OPEN_FILES", Path(open_files))
    written = write(store, b"weights")
    assert read(store, written) == b"weights"
    assert write(store, b"weights") == written  # the very same
    with pytest.raises(CheckpointError, match="never rewritten"):
        write(store, b"weighty")


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("s3://", "names no bucket"),
        ("s3:///states", "names no bucket"),
        ("s3://bucket/../other", "relative names"),
        ("s3://bucket/a//b", "relative names"),
        ("s3://key:secret@bucket/states", "belong into the environment"),
        ("s3://bucket/states?endpoint=x", "belong into the environment"),
        ("s3://bucket/st*tes", "no wildcards"),
        ("ftp://key:secret@host/states", r"checkpoints='ftp://\*\*\*@host/states': there is no store"),
        ("ftp://key:secret@[host/states", r"checkpoints='ftp://\*\*\*@\[host/states' is no URL"),
        ("file://key:secret@host/states", r"checkpoints='file://\*\*\*@host/states': a file on another machine"),
    ],
)
def test_a_url_that_names_no_prefix_of_a_bucket_is_refused(url: str, said: str) -> None:
    with pytest.raises(CheckpointError, match=said) as raised:
        open_checkpoints(url)
    assert "secret" not in str(raised.value)


@pytest.mark.parametrize(("scheme", "driver"), [("s3", r"'hippo-tune\[s3\]'"), ("gs", "gcsfs"), ("az", "adlfs")])
def test_a_driver_that_is_missing_is_named_with_what_to_type(
    scheme: str, driver: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def absent(name: str, **_: Any) -> None:
        raise ImportError(f"please install the driver of {name}")

    monkeypatch.setattr("fsspec.filesystem", absent)
    with pytest.raises(CheckpointError, match=f"pip install {driver}"):
        open_checkpoints(f"{scheme}://bucket/states").check_writable()


@pytest.mark.parametrize(
    ("error", "trouble"),
    [
        (translated("403"), StoreTrouble.CREDENTIALS),  # of a HEAD, which has no body
        (PermissionError("no"), StoreTrouble.DENIED),
        (translated("PreconditionFailed", OSError, errno.EINVAL), StoreTrouble.TAKEN),
        (translated("NoSuchUpload", FileNotFoundError), StoreTrouble.BUSY),
        (OSError(errno.EINVAL, "bad request"), StoreTrouble.OTHER),
    ],
    ids=str,
)
def test_troubles_are_told_apart_by_what_helps(error: Exception, trouble: StoreTrouble) -> None:
    assert trouble_of(error) is trouble


@pytest.mark.parametrize(
    ("name", "trouble"),
    [
        ("EndpointConnectionError", StoreTrouble.BUSY),  # nobody listens there, such as while the server starts again
        ("ConnectTimeoutError", StoreTrouble.BUSY),
        ("ProxyConnectionError", StoreTrouble.BUSY),
        ("ReadTimeoutError", StoreTrouble.BUSY),
        ("SSLError", StoreTrouble.OTHER),
    ],
)
def test_who_does_not_answer_an_s3_client_is_asked_again(name: str, trouble: StoreTrouble) -> None:
    exceptions = pytest.importorskip("botocore.exceptions")
    url = "https://localhost:9"
    assert trouble_of(getattr(exceptions, name)(endpoint_url=url, proxy_url=url, error="so it is")) is trouble
