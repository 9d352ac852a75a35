"""From what a user types to a store of checkpoints."""

from __future__ import annotations

import os
from urllib.parse import unquote, urlsplit

from hippo.checkpoints.bucket import DRIVERS
from hippo.checkpoints.folder import FolderCheckpoints
from hippo.checkpoints.memory import MemoryCheckpoints
from hippo.checkpoints.objects import ObjectCheckpoints
from hippo.checkpoints.store import AbstractCheckpointStore
from hippo.errors import CheckpointError


def open_checkpoints(where: str | os.PathLike[str] | AbstractCheckpointStore) -> AbstractCheckpointStore:
    """Return the store that `where` names.

    Args:
      where: a folder, "file:///folder", "memory://", "s3://bucket/prefix" ("gs://", "az://"), or a store, which is
        returned as it is. An object store is not spoken to before something is read or written.
    """
    if isinstance(where, AbstractCheckpointStore):
        return where
    text = os.fspath(where)
    if "://" not in text:
        return FolderCheckpoints(text)
    url = urlsplit(text)
    if url.scheme == "memory":
        return MemoryCheckpoints()
    if url.scheme == "file" and url.netloc in ("", "localhost"):
        return FolderCheckpoints(unquote(url.path))
    if url.scheme in DRIVERS:
        return ObjectCheckpoints(text)
    raise CheckpointError(
        f"checkpoints={text!r}: there is no store for {url.scheme!r} URLs. Use a folder, 's3://bucket/prefix' "
        "('gs://', 'az://'), or 'memory://'."
    )
