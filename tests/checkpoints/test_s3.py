"""Checkpoints in S3, as moto's server speaks it: the contract, exclusive puts, forks, and unfinished uploads."""

from __future__ import annotations

import pickle
import threading
import uuid
from collections.abc import Mapping
from typing import BinaryIO

import pytest

from hippo.checkpoints import AbstractCheckpointStore, ObjectCheckpoints, open_checkpoints
from hippo.checkpoints.object_troubles import StorePatience
from hippo.errors import CheckpointError
from hippo.testing.checkpoint_contract import KEY, CheckpointContract, read, write
from hippo.testing.s3_server import s3_client

pytestmark = pytest.mark.slow  # a server, and requests to it

#: nothing comes late to a server on this machine
QUICK = StorePatience(pauses_s=(0.01,), credentials_s=0.0, missing_s=0.02, missing_pause_s=0.01)
#: above it, a put is made of parts
PARTS = 100 << 20


def store_in(bucket: str, prefix: str = "states") -> ObjectCheckpoints:
    return ObjectCheckpoints(f"s3://{bucket}/{prefix}", patience=QUICK)


class TestS3(CheckpointContract):
    @pytest.fixture
    def store(self, bucket: str) -> AbstractCheckpointStore:
        return store_in(bucket, uuid.uuid4().hex)


def test_of_six_writers_at_once_exactly_one_wins(bucket: str) -> None:
    store, written, refused = store_in(bucket), [], []
    begin = threading.Barrier(6)

    def race(number: int) -> None:
        begin.wait()
        try:
            write(store, b"weights of %d" % number)
            written.append(b"weights of %d" % number)
        except CheckpointError as error:
            refused.append(str(error))

    threads = [threading.Thread(target=race, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with store.open(KEY) as file:
        assert [file.read()] == written
    assert ["never rewritten" in said for said in refused] == [True] * 5


def test_a_bucket_without_a_prefix_is_a_store(bucket: str) -> None:
    store = open_checkpoints(f"s3://{bucket}")
    written = write(store, b"weights")
    assert (list(store.keys()), read(store, written)) == ([KEY], b"weights")
    assert [entry.key for entry in store.entries("3f2a")] == [KEY]


def test_a_pickled_store_is_its_url(bucket: str) -> None:
    store = store_in(bucket)
    written = write(store, b"weights")
    assert len(pickle.dumps(store)) < 500
    assert read(pickle.loads(pickle.dumps(store)), written) == b"weights"


def test_more_than_a_thousand_are_removed_in_two_requests(bucket: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hippo.checkpoints.objects.MOST_REMOVED", 10)
    store = store_in(bucket)
    keys = [f"u/p1/{number}" for number in range(12)]
    for key in [*keys, "u/p2/0"]:
        write(store, b"weights", key)
    store.delete_all([*keys, "u/p1/none"])
    assert store.keys() == ["u/p2/0"]


def test_what_a_server_would_not_remove_is_told(bucket: str, monkeypatch: pytest.MonkeyPatch) -> None:
    store = store_in(bucket)
    monkeypatch.setattr("hippo.checkpoints.objects.remove_objects", lambda *_: {"states/u/p1/a": "Access Denied"})
    with pytest.raises(CheckpointError, match=r"cannot remove 1 checkpoints .*'states/u/p1/a': Access Denied"):
        store.delete("u/p1/a")


def test_a_missing_bucket_is_named_before_anything_is_written(bucket: str) -> None:
    store = ObjectCheckpoints("s3://nowhere/states")
    asks = (store.check_writable, lambda: write(store, b"w"), lambda: store.open(KEY), lambda: list(store.entries("u")))
    for ask in asks:
        with pytest.raises(CheckpointError, match=r"there is no bucket 'nowhere' at http://127.*Make it, or name"):
            ask()


def test_who_has_no_credentials_is_told_at_once(bucket: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", "/dev/null")
    monkeypatch.setenv("AWS_CONFIG_FILE", "/dev/null")
    with pytest.raises(CheckpointError, match="there are no credentials, or they have expired"):
        ObjectCheckpoints(f"s3://{bucket}/states").check_writable()


def test_parts_of_a_broken_upload_are_told_and_removed(bucket: str, server: Mapping[str, str]) -> None:
    store, client = store_in(bucket), s3_client(server)
    for name in ("states/u/p1/a", "states/u/p11/a"):
        begun = client.create_multipart_upload(Bucket=bucket, Key=name)
        client.upload_part(Bucket=bucket, Key=name, UploadId=begun["UploadId"], PartNumber=1, Body=b"half")
    assert [(entry.key, entry.size_bytes) for entry in store.entries("u/p1")] == [("", 4)]
    assert store.keys() == []
    assert store.remove_unfinished("u/p1") == 4
    (left,) = client.list_multipart_uploads(Bucket=bucket)["Uploads"]
    assert left["Key"] == "states/u/p11/a"


def test_parts_of_the_upload_of_one_lease_are_removed(bucket: str, server: Mapping[str, str]) -> None:
    store, client = store_in(bucket), s3_client(server)
    for lease in ("e1-l3-", "e1-l30-"):
        client.create_multipart_upload(Bucket=bucket, Key=f"states/u/p1/{lease}n5-s20")
    store.remove_unfinished("u/p1", "e1-l3-")
    (left,) = client.list_multipart_uploads(Bucket=bucket)["Uploads"]
    assert left["Key"] == "states/u/p1/e1-l30-n5-s20"


def test_uploads_are_old_by_when_they_began(bucket: str, server: Mapping[str, str]) -> None:
    store, client = store_in(bucket), s3_client(server)
    for name in ("states/u/p1/a", "other/u/p1/a"):
        client.create_multipart_upload(Bucket=bucket, Key=name)
    begun = client.list_multipart_uploads(Bucket=bucket)["Uploads"][0]["Initiated"].timestamp()
    assert store.old_uploads(begun - 60, delete=True) == []
    assert store.old_uploads(begun + 60, delete=False) == [0]
    assert store.old_uploads(begun + 60, delete=True) == [0]
    assert [each["Key"] for each in client.list_multipart_uploads(Bucket=bucket)["Uploads"]] == ["other/u/p1/a"]


def test_what_is_put_in_parts_is_exclusive_and_read_whole(bucket: str, server: Mapping[str, str]) -> None:
    store, data = store_in(bucket), bytes(range(256)) * (PARTS >> 8) + b"end"
    written = write(store, data)
    assert read(store, written) == data
    assert write(store, data) == written  # as of one whose reply was lost
    with pytest.raises(CheckpointError, match="never rewritten"):
        write(store, data[:-1] + b"!")
    assert "-" in s3_client(server).head_object(Bucket=bucket, Key=f"states/{KEY}")["ETag"]


def test_a_writer_that_raises_amid_many_bytes_leaves_nothing(bucket: str, server: Mapping[str, str]) -> None:
    store = store_in(bucket)

    def writer(file: BinaryIO) -> None:
        file.write(bytes(PARTS))
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        store.write(KEY, writer)
    assert (store.keys(), list(store.entries("3f2a"))) == ([], [])
