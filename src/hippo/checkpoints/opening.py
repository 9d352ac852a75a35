"""From what a user types to a store of checkpoints."""

from __future__ import annotations

import os
import re
from urllib.parse import unquote, urlsplit

from hippo.checkpoints.bucket import DRIVERS
from hippo.checkpoints.folder import FolderCheckpoints
from hippo.checkpoints.memory import MemoryCheckpoints
from hippo.checkpoints.objects import ObjectCheckpoints
from hippo.checkpoints.store import AbstractCheckpointStore
from hippo.errors import CheckpointError

_CREDENTIALS = re.compile(r"://.*@")
_WHAT = "Use a folder, 's3://bucket/prefix' ('gs://', 'az://'), or 'memory://'."


def open_checkpoints(where: str | os.PathLike[str] | AbstractCheckpointStore) -> AbstractCheckpointStore:
    """Return the store that `where` names.

    Args:
      where: a folder, "~/states" below your own, say; "file:///folder", "memory://", "s3://bucket/prefix" ("gs://",
        "az://"); or a store, which is returned as it is. An object store is not spoken to before something is read or
        written.
    """
    if isinstance(where, AbstractCheckpointStore):
        return where
    text = os.fspath(where)
    if "://" not in text:
        scheme, mark, _ = text.partition(":")
        if mark and scheme.lower() in DRIVERS:  # states would go into a folder of that name, and nobody would notice
            raise CheckpointError(
                f"checkpoints={text!r} is no URL; write '{scheme.lower()}://bucket/prefix', or './{text}' for a folder "
                "of this name."
            )
        return FolderCheckpoints(os.path.expanduser(text))
    shown = _CREDENTIALS.sub("://***@", text)  # what is no store may hold a password, and a log may be read by others
    try:
        url = urlsplit(text)
    except ValueError as error:
        raise CheckpointError(f"checkpoints={shown!r} is no URL ({error}). {_WHAT}") from None
    if url.scheme == "memory":
        return MemoryCheckpoints()
    if url.scheme == "file" and url.netloc in ("", "localhost"):
        return FolderCheckpoints(unquote(url.path))
    if url.scheme in DRIVERS:
        return ObjectCheckpoints(text)
    if url.scheme == "file":
        raise CheckpointError(f"checkpoints={shown!r}: a file on another machine cannot be reached. {_WHAT}")
    raise CheckpointError(f"checkpoints={shown!r}: there is no store for {url.scheme!r} URLs. {_WHAT}")
