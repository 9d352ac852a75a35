"""A bucket of an object store: requests to it, made again as far as that helps, and what is said where it does not.

It is the only module that imports fsspec, when a process first makes a request. It refuses to know what the objects
are.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from typing import Any, TypeVar
from urllib.parse import urlsplit

from hippo.checkpoints.object_troubles import StoreAttempts, StorePatience, StoreTrouble, is_of_bucket, trouble_of
from hippo.checkpoints.store import check_key
from hippo.errors import (
    CheckpointError,
    HippoError,
    MissingCheckpointError,
    StoreFullError,
    StoreRefusalError,
    UnreachableStoreError,
)

_T = TypeVar("_T")

#: scheme of a URL -> what to install for it
DRIVERS = {"s3": "'hippo-tune[s3]'", "gs": "gcsfs", "az": "adlfs"}


class Bucket:
    """The objects below one prefix of a bucket, and how they are asked for.

    Each process opens a file system of its own when it first needs one: drivers have threads, which no fork survives.

    Args:
      url: "s3://bucket/prefix".
      patience: how long requests that fail are repeated.

    Raises:
      CheckpointError: the URL names no bucket, or has parts that are not for it.
    """

    def __init__(self, url: str, patience: StorePatience) -> None:
        self.scheme, self.name, self.prefix = _parts(url)
        self.patience = patience
        self.url = f"{self.scheme}://{self.path('')}"
        #: the process that opened a file system, and the file system
        self._opened: tuple[int, Any] | None = None
        self._is_opening = threading.Lock()

    def path(self, key: str) -> str:
        """Return the name of an object as file systems of fsspec want it: with its bucket."""
        return "/".join(filter(None, (self.name, self.prefix, key)))

    def name_of(self, key: str) -> str:
        """Return the name of an object in its bucket, as requests of S3 want it."""
        return self.path(key)[len(self.name) + 1 :]

    def named(self, key: str) -> str:
        """Return the name of an object as users read it: with its bucket and scheme."""
        return f"{self.url}/{key}"

    def key_of(self, path: str) -> str:
        """Return what `path` makes a path of."""
        return path.lstrip("/")[len(self.path("")) + 1 :]

    def ask(
        self,
        request: Callable[[Any], _T],
        doing: str,
        patience: StorePatience | None = None,
        *,
        is_recorded: bool = False,
    ) -> _T:
        """Make a request, again and again as far as that may help.

        Args:
          request: is given the file system; may be made several times.
          doing: how its error begins.
          patience: if not this store's own.
          is_recorded: what it is about was seen to be there once.
        """
        attempts = StoreAttempts(patience or self.patience, is_recorded=is_recorded)
        while True:
            try:
                return request(self._system())
            except HippoError:
                raise
            except Exception as error:
                trouble = trouble_of(error)
                pause_s = attempts.pause_s(trouble)
                if pause_s is None or is_of_bucket(error):
                    raise self._explained(trouble, error, doing) from error
                if trouble is StoreTrouble.CREDENTIALS:
                    self._opened = None  # clients read credentials when they are made
            threading.Event().wait(pause_s)

    def _system(self) -> Any:
        """Return this process's own file system."""
        with self._is_opening:
            if self._opened is None or self._opened[0] != os.getpid():
                self._opened = os.getpid(), _file_system(self.scheme)
            return self._opened[1]

    def _explained(self, trouble: StoreTrouble, error: Exception, doing: str) -> CheckpointError:
        """Return what is raised in the place of a driver's error: what happened, and what to do."""
        why = " ".join(str(error).split()) or type(error).__name__
        if trouble is StoreTrouble.MISSING and is_of_bucket(error):
            return StoreRefusalError(
                f"{doing}: there is no bucket {self.name!r}{self._at()}. Make it, or name another one: "
                f"checkpoints='{self.scheme}://bucket/prefix'."
            )
        if trouble is StoreTrouble.MISSING:
            return MissingCheckpointError(f"{doing}: there is no such object.")
        if trouble is StoreTrouble.CREDENTIALS:
            return UnreachableStoreError(
                f"{doing}: there are no credentials, or they have expired ({why}). Give this process valid ones "
                "for this store, by its environment or its configuration files."
            )
        if trouble is StoreTrouble.DENIED:
            return StoreRefusalError(
                f"{doing}: access is denied ({why}). These credentials need to put, get, list and delete objects in "
                f"bucket {self.name!r}."
            )
        if trouble is StoreTrouble.FULL:
            return StoreFullError(f"{doing}: the store is full, or its quota is used up ({why}){self._at()}.")
        if trouble is StoreTrouble.BUSY:
            return UnreachableStoreError(
                f"{doing}: the store does not answer, or asks to slow down ({why}){self._at()}."
            )
        return StoreRefusalError(f"{doing}: {type(error).__name__}: {why}.")

    def _at(self) -> str:
        """Return at which server, if the driver tells."""
        client = getattr(self._opened[1], "_s3", None) if self._opened else None
        endpoint = getattr(getattr(client, "meta", None), "endpoint_url", None)
        return f" at {endpoint}" if endpoint else ""


def _parts(url: str) -> tuple[str, str, str]:
    """Return scheme, bucket and prefix.

    Raises:
      CheckpointError: one of them is missing, or there is something else.
    """
    found = urlsplit(url)
    if "@" in found.netloc or found.query or found.fragment:
        bucket = found.netloc.rpartition("@")[2]
        raise CheckpointError(
            f"the URL of checkpoints in bucket {bucket!r} may only have a bucket and a prefix, as in "
            f"'{found.scheme}://bucket/prefix': credentials, endpoint and options belong into the environment."
        )
    prefix = found.path.strip("/")
    if not found.netloc:
        raise CheckpointError(
            f"checkpoints={url!r} names no bucket. Name one: '{found.scheme or 's3'}://bucket/prefix'."
        )
    if any(letter in prefix for letter in "*?[]"):
        raise CheckpointError(f"checkpoints={url!r}: a prefix has no wildcards.")
    if prefix:
        check_key(prefix)
    return found.scheme, found.netloc, prefix


def _file_system(scheme: str) -> Any:
    """Open a file system of fsspec that remembers no listings, and that nobody else uses.

    Raises:
      CheckpointError: its driver is not installed; says how to install it.
    """
    driver = DRIVERS.get(scheme, "its driver for fsspec")
    try:
        import fsspec

        return fsspec.filesystem(scheme, skip_instance_cache=True, use_listings_cache=False)
    except ImportError as error:
        raise CheckpointError(
            f"checkpoints in {scheme}:// need a driver that is not installed here ({error}): pip install {driver}"
        ) from error
