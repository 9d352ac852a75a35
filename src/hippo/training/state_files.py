"""Training states in a store of checkpoints: written under a key, and read by what was recorded of them.

A state that has kept enough of its base is written without that; the base lies beside it once, by its content, as
"base-<the first digits of its hash>". It is written before the first state that needs it, and again wherever a state is
written and it is not there. A base that is gone or broken costs nothing where `build()` still comes to the same bits,
and else the states that need it. This module refuses to know what is in a state, and when one is due.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from typing import BinaryIO

from hippo.checkpoints import AbstractCheckpointStore
from hippo.checkpoints.folder_troubles import unreadable
from hippo.checkpoints.store import take_no_hash
from hippo.errors import (
    CheckpointError,
    CorruptCheckpointError,
    MissingCheckpointError,
    StoreRefusalError,
    UnreachableStoreError,
    listed,
)
from hippo.records import CheckpointRef
from hippo.training.bases import Bases, is_worth_a_base, others
from hippo.training.codec import EncodedState, read_state, state_hash, write_state
from hippo.training.codec.bases import BaseNeed
from hippo.training.codec.files import verify

#: makes what `build()` makes, as a state; None: the trainer has none before it is set up
MakeBase = Callable[[], EncodedState | None]

_MOST_PATHS = 3
_HASH_DIGITS = 16
#: what says that a state is lost; any other error of a store only says that it was not given
LOST = (MissingCheckpointError, CorruptCheckpointError)


def write_checkpoint(
    store: AbstractCheckpointStore, key: str, state: EncodedState, *, keep_base: bool = True
) -> CheckpointRef:
    """Write a state, and return what is to be recorded of it once this returns: then it is durable.

    Args:
      store: where to.
      key: under which name. A base is written into the same folder.
      state: what to write.
      keep_base: see to it that the base that it needs, if any, is in the store.

    Raises:
      CheckpointError: it could not be written.
    """
    is_difference = is_worth_a_base(state)
    if is_difference and keep_base and state.base is not None:
        _keep_base(store, base_key(key, state_hash(state.base)), state.base)
    whole = ""

    def writer(file: BinaryIO) -> None:
        nonlocal whole
        take_no_hash(file)
        whole = write_state(state, file, is_difference=is_difference)

    written = store.write(key, writer)
    return CheckpointRef(key=key, size_bytes=written.size_bytes, sha256=whole, state_hash=state_hash(state))


def read_checkpoint(
    store: AbstractCheckpointStore,
    ref: CheckpointRef,
    bases: Bases | None = None,
    make_base: MakeBase | None = None,
    *,
    keep_base: bool = False,
) -> EncodedState:
    """Return a recorded state.

    Args:
      store: where it is.
      ref: what is recorded of it.
      bases: those that are known; the one that it needs is known afterwards.
      make_base: makes one where there is none.
      keep_base: write it anew then.

    Raises:
      CheckpointError: it is not there, or cannot be read, or its base is not.
      CorruptCheckpointError: its bytes, or those of its base, are not those that were written.
    """
    name = f"checkpoint {ref.key!r}"
    known = bases if bases is not None else Bases()

    def find_base(need: BaseNeed) -> EncodedState:
        return known.having(need) or known.add(_base_of(store, ref.key, need, make_base, keep_base=keep_base))

    with store.open(ref.key) as file:
        try:
            if (size_bytes := file.seek(0, os.SEEK_END)) != ref.size_bytes:
                raise CorruptCheckpointError(f"{name} has {size_bytes} bytes, but {ref.size_bytes} were written.")
            file.seek(0)
            return read_state(file, sha256=ref.sha256, name=name, find_base=find_base)
        except OSError as error:
            raise unreadable(f"cannot read {name}", error) from error


def copy_checkpoint(store: AbstractCheckpointStore, ref: CheckpointRef, key: str) -> CheckpointRef:
    """Write a recorded state once more, under another key and with its base, if that is kept; return what to record.

    A state that is not whole is not copied: what begins at a copy is made again from what it was copied from.

    Raises:
      CheckpointError: it is not there, or cannot be written.
      CorruptCheckpointError: it is not what was written.
    """
    name = f"checkpoint {ref.key!r}"

    def copy_of(source: str) -> Callable[[BinaryIO], None]:
        def writer(file: BinaryIO) -> None:
            take_no_hash(file)
            with store.open(source) as found:
                shutil.copyfileobj(found, file)

        return writer

    try:
        with store.open(ref.key) as file:
            need = verify(file, sha256=ref.sha256, name=name)
        if need is not None and store.has(base := base_key(ref.key, need.state_hash)):
            _write_once(store, base_key(key, need.state_hash), copy_of(base))
        written = store.write(key, copy_of(ref.key))
    except OSError as error:
        raise unreadable(f"cannot read {name}", error) from error
    if written.size_bytes != ref.size_bytes:
        store.delete(key)
        raise CorruptCheckpointError(f"{name} has {written.size_bytes} bytes, but {ref.size_bytes} were written.")
    return replace(ref, key=key)


def base_key(key: str, base_hash: str) -> str:
    """Return the key of the base with this hash, for a state under `key`."""
    folder, slash, _ = key.rpartition("/")
    return f"{folder}{slash}base-{base_hash[:_HASH_DIGITS]}"


def _keep_base(store: AbstractCheckpointStore, key: str, base: EncodedState) -> None:
    def writer(file: BinaryIO) -> None:
        take_no_hash(file)
        write_state(base, file)

    _write_once(store, key, writer)


def _write_once(store: AbstractCheckpointStore, key: str, writer: Callable[[BinaryIO], None]) -> None:
    """Write a base unless it is there."""
    if store.has(key):
        return
    try:
        store.write(key, writer)
    except CheckpointError:
        if not store.has(key):  # else another worker came first; what has this name has this content
            raise


def _base_of(
    store: AbstractCheckpointStore, key: str, need: BaseNeed, make_base: MakeBase | None, *, keep_base: bool
) -> EncodedState:
    """Return the base that the state under `key` needs, out of the store, or made anew."""
    at = base_key(key, need.state_hash)
    try:
        return _read_base(store, at, need)
    except CheckpointError as error:
        made = None if make_base is None else make_base()
        why = "there is no trainer here to make it anew"
        if make_base is not None:
            different = list(others(made, need)) if made is not None else list(need.names)
            if made is not None and not different:
                if keep_base and isinstance(error, LOST) and state_hash(made) == need.state_hash:
                    _write_anew(store, at, made)
                return made
            why = f"build() makes something else of {listed(different, _MOST_PATHS)} now"
            if made is None:
                why = "no trainer is to be had that makes it anew"
        kinds = (*LOST, UnreachableStoreError, StoreRefusalError)
        kind = next((each for each in kinds if isinstance(error, each)), CheckpointError)
        raise kind(f"checkpoint {key!r} needs its base {at!r}: {error} And {why}.") from error


def _read_base(store: AbstractCheckpointStore, key: str, need: BaseNeed) -> EncodedState:
    with store.open(key) as file:
        try:
            base = read_state(file, name=f"checkpoint {key!r}")
        except OSError as error:
            raise unreadable(f"cannot read checkpoint {key!r}", error) from error
        except CheckpointError:
            raise
        except Exception as error:  # its bytes are told by its content: what a flipped one unpickles to raises anything
            raise CorruptCheckpointError(f"checkpoint {key!r} cannot be read: {error}") from error
    if different := list(others(base, need)):
        raise CorruptCheckpointError(f"checkpoint {key!r} has other bytes in {listed(different, _MOST_PATHS)}.")
    return base


def _write_anew(store: AbstractCheckpointStore, key: str, base: EncodedState) -> None:
    with contextlib.suppress(CheckpointError):  # who only reads may not be able to
        store.delete(key)
        _keep_base(store, key, base)
