"""Stores of checkpoints: bytes under names, whole or an error."""

from hippo.checkpoints.folder import FolderCheckpoints
from hippo.checkpoints.memory import MemoryCheckpoints
from hippo.checkpoints.objects import ObjectCheckpoints
from hippo.checkpoints.opening import open_checkpoints
from hippo.checkpoints.store import AbstractCheckpointStore, StoredBytes, WrittenBytes

__all__ = [
    "AbstractCheckpointStore",
    "FolderCheckpoints",
    "MemoryCheckpoints",
    "ObjectCheckpoints",
    "StoredBytes",
    "WrittenBytes",
    "open_checkpoints",
]
