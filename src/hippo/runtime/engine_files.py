"""The files that an engine's workers write states to, as far as they are removed or copied: in the background.

It refuses to know which of them may go.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Container, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from hippo.checkpoints import AbstractCheckpointStore, MemoryCheckpoints, open_checkpoints
from hippo.errors import CheckpointError
from hippo.records import CheckpointRef


class EngineFiles:
    """Where the states of one engine lie.

    Args:
      place: where, as for `AbstractEngine.start`.
      is_virtual: the engine trains nothing, and writes nothing there.
      tell: hears, from another thread, of files that cannot be removed.
    """

    def __init__(self, place: str | AbstractCheckpointStore, *, is_virtual: bool, tell: Callable[[str], None]) -> None:
        self._store = open_checkpoints(place) if isinstance(place, str) else place
        #: as studies name it; None for a store that has no name
        self.place = place if isinstance(place, str) else "memory://" if isinstance(place, MemoryCheckpoints) else None
        self._is_virtual = is_virtual
        self._tell = tell
        #: removes and copies files
        self._remover: ThreadPoolExecutor | None = None
        self._has_told = False

    def remove_unfinished(self, prefix: str) -> None:
        """Remove what killed workers left half written; nobody else may write under these names."""
        with contextlib.suppress(CheckpointError):  # whoever writes there next is told
            self._store.remove_unfinished(prefix)

    def remove_unfinished_of(self, lease: str) -> None:
        """Do the same for a lease, and return at once: what its worker was writing may be as large as a state.

        Args:
          lease: how the names begin that are written under it.
        """
        if self._is_virtual:
            return
        plan, _, begins = lease.rpartition("/")

        def remove() -> None:
            with contextlib.suppress(CheckpointError):  # who opens the plan next finds it
                self._store.remove_unfinished(plan, f"{begins}-")

        self._background().submit(remove)

    def there(self) -> Container[str] | None:
        """Return the names of the states that are there, where rows alone do not say; None: all that rows name."""
        if isinstance(self._store, MemoryCheckpoints) and not self._is_virtual:
            return set(self._store.keys())  # those of earlier processes went with them
        return None

    async def has(self, key: str) -> bool:
        """Tell whether a state that was written is there still, beside the loop.

        Raises:
          CheckpointError: that cannot be told.
        """
        return self._is_virtual or await asyncio.get_running_loop().run_in_executor(None, self._store.has, key)

    async def copy(self, ref: CheckpointRef, key: str) -> CheckpointRef:
        """Write a state once more, under another key, beside the loop; return what to record of it.

        Raises:
          CheckpointError: it is not there, or cannot be written.
        """
        if self._is_virtual:
            return replace(ref, key=key)
        from hippo.training.state_files import copy_checkpoint

        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(self._background(), copy_checkpoint, self._store, ref, key)
        except asyncio.CancelledError:
            self.remove([key])  # when it is written: no row will name it
            raise

    def remove(self, keys: Sequence[str]) -> None:
        """Have files removed, and return at once. Their states are known to be gone already."""
        if not self._is_virtual:
            self._background().submit(self._remove, keys)

    def _background(self) -> ThreadPoolExecutor:
        """Return what does one thing after the other, while training goes on."""
        if self._remover is None:
            self._remover = ThreadPoolExecutor(1, thread_name_prefix="hippo-files")
        return self._remover

    def _remove(self, keys: Sequence[str]) -> None:
        for key in keys:
            try:
                self._store.delete(key)
            except CheckpointError as error:
                if not self._has_told:
                    self._has_told = True
                    self._tell(
                        f"the file of a state that is no longer kept cannot be removed ({error}); `hippo gc` finds it "
                        "when that is mended"
                    )

    def close(self) -> None:
        """Wait until all is removed that was to be."""
        remover, self._remover = self._remover, None
        if remover is not None:
            remover.shutdown()
