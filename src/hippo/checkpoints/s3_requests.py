"""Requests to S3 that fsspec has no name for, or whose failures its driver leaves out.

The driver's own removal of many objects answers those that went and is silent on those that did not; so its requests
are made here, page by page. It refuses to know what the objects are.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

#: what one request of S3 removes at most
MOST_REMOVED = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Upload:
    """A write in parts that has not ended: its parts are no object yet, and are paid for."""

    key: str
    number: str
    #: seconds since the epoch
    begun_s: float


def remove_objects(system: Any, bucket: str, keys: Sequence[str]) -> dict[str, str]:
    """Remove at most 1,000 objects in one request.

    Args:
      system: a file system of s3fs.
      bucket: where.
      keys: their whole names in the bucket.

    Returns:
      Those that could not be removed -> why.
    """
    wanted = {"Objects": [{"Key": key} for key in keys], "Quiet": True}
    answer = system.call_s3("delete_objects", Bucket=bucket, Delete=wanted)
    failed = answer.get("Errors", [])
    return {each["Key"]: each.get("Message") or each["Code"] for each in failed if each.get("Code") != "NoSuchKey"}


def uploads(system: Any, bucket: str, prefix: str) -> Iterator[Upload]:
    """Yield the writes in parts under names that begin with `prefix`, of anybody, under way or given up."""
    page: dict[str, str] = {}
    while True:
        answer = system.call_s3("list_multipart_uploads", Bucket=bucket, Prefix=prefix, **page)
        for each in answer.get("Uploads", []):
            yield Upload(key=each["Key"], number=each["UploadId"], begun_s=each["Initiated"].timestamp())
        if not answer.get("IsTruncated"):
            return
        page = {"KeyMarker": answer["NextKeyMarker"], "UploadIdMarker": answer["NextUploadIdMarker"]}


def upload_bytes(system: Any, bucket: str, upload: Upload) -> int:
    """Return what the parts of an upload take; 0 if it has ended meanwhile."""
    size_bytes = 0
    page: dict[str, int] = {}
    while True:
        try:
            answer = system.call_s3("list_parts", Bucket=bucket, Key=upload.key, UploadId=upload.number, **page)
        except FileNotFoundError:
            return 0
        size_bytes += sum(int(each["Size"]) for each in answer.get("Parts", []))
        if not answer.get("IsTruncated"):
            return size_bytes
        page = {"PartNumberMarker": answer["NextPartNumberMarker"]}


def abort_upload(system: Any, bucket: str, upload: Upload) -> None:
    """Give up a write in parts, and what it takes; nothing happens if it has ended meanwhile."""
    with contextlib.suppress(FileNotFoundError):
        system.call_s3("abort_multipart_upload", Bucket=bucket, Key=upload.key, UploadId=upload.number)
