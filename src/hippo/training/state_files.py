"""Training states in a store of checkpoints: written under a key, and read by what was recorded of them.

This module refuses to know what is in a state, and when one is due.
"""

from __future__ import annotations

import os
from typing import BinaryIO

from hippo.checkpoints import AbstractCheckpointStore
from hippo.errors import CheckpointError, CorruptCheckpointError
from hippo.records import CheckpointRef
from hippo.training.codec import EncodedState, read_state, state_hash, write_state


def write_checkpoint(store: AbstractCheckpointStore, key: str, state: EncodedState) -> CheckpointRef:
    """Write a state, and return what is to be recorded of it once this returns: then it is durable.

    Raises:
      CheckpointError: it could not be written.
    """
    whole = ""

    def writer(file: BinaryIO) -> None:
        nonlocal whole
        whole = write_state(state, file)

    written = store.write(key, writer, is_hashed=False)
    return CheckpointRef(key=key, size_bytes=written.size_bytes, sha256=whole, state_hash=state_hash(state))


def read_checkpoint(store: AbstractCheckpointStore, ref: CheckpointRef) -> EncodedState:
    """Return a recorded state.

    Raises:
      CheckpointError: it is not there, or cannot be read.
      CorruptCheckpointError: its bytes are not those that were written.
    """
    name = f"checkpoint {ref.key!r}"
    with store.open(ref.key) as file:
        try:
            if (size_bytes := file.seek(0, os.SEEK_END)) != ref.size_bytes:
                raise CorruptCheckpointError(f"{name} has {size_bytes} bytes, but {ref.size_bytes} were written.")
            file.seek(0)
            return read_state(file, sha256=ref.sha256, name=name)
        except OSError as error:
            raise CheckpointError(f"cannot read {name}: {error}.") from error
