"""States that somebody wants in a file, whoever asked for their steps: made if need be, written, and copied.

Users load models from them, and branches begin at them in other plans. This module refuses to know why they are wanted.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractContextManager, asynccontextmanager

from hippo.clock import Clock
from hippo.errors import CorruptCheckpointError, MissingCheckpointError
from hippo.plan import CheckpointLoss, Node
from hippo.records import CheckpointRef
from hippo.runtime.asking.participants import Participant, StateWait
from hippo.runtime.engine_files import EngineFiles
from hippo.runtime.plans.opening import OpenPlans
from hippo.runtime.plans.plan_run import PlanRun, prefix_of
from hippo.runtime.shell import Shell
from hippo.runtime.studies.study_state import StudyState
from hippo.runtime.studies.warnings import warn
from hippo.runtime.turns.coordinator import Coordinator
from hippo.runtime.waiters import StateWaiter, Waiter


class WantedStates:
    """The states of one engine's plans, for those who want them in files. For the loop's thread.

    Args:
      coordinator, shell, plans, clock, files: of the engine.
      taking_part: has somebody take part in turns while a block lasts.
    """

    def __init__(
        self,
        coordinator: Coordinator,
        shell: Shell,
        plans: OpenPlans,
        clock: Clock,
        files: EngineFiles,
        *,
        taking_part: Callable[[Participant, Waiter], AbstractContextManager[None]],
    ) -> None:
        self._coordinator = coordinator
        self._shell = shell
        self._plans = plans
        self._clock = clock
        self._files = files
        self._taking_part = taking_part

    @asynccontextmanager
    async def written(self, study: StudyState, run: PlanRun, node: Node, step: int) -> AsyncIterator[CheckpointRef]:
        """Have a state made, if it is not there, and written; it stays in the store while the block lasts."""
        number = self._shell.futures.next_number()
        wait = StateWait(number, run, study, node.id, step)
        future = self._shell.futures.open(number)
        with self._taking_part(wait, StateWaiter(future)):
            try:
                await future
                yield node.checkpoints[step]
            finally:
                self._shell.futures.forget(number)
                wait.close()
                self._coordinator.notes.may_shorten = True

    async def has_root(self, run: PlanRun, root: Node) -> bool:
        """Tell whether the state is in a file that a root is; a file that is gone is forgotten."""
        ref = root.checkpoints.get(root.begins_at)
        if ref is not None and not await self._files.has(ref.key):
            run.plan.facts.forget_checkpoint(root, root.begins_at, ref.key, CheckpointLoss.MISSING)
        return root.begins_at in root.checkpoints  # as it is now: it may have been evicted meanwhile

    async def bring(self, study: StudyState, run: PlanRun, node: Node, there: PlanRun, root: Node) -> None:
        """Copy a state to the root of another plan that it is, on a study's account.

        Args:
          study: pays for it.
          run, node: where the state is; it is made again there if its file is lost.
          there, root: where it is to be.

        Raises:
          CheckpointError: it cannot be read, or written; or was lost twice.
        """
        step = root.begins_at
        for is_last in (False, True):
            async with self.written(study, run, node, step) as ref:
                try:
                    await self._copy(study, ref, there, root)
                    return
                except (MissingCheckpointError, CorruptCheckpointError) as error:
                    is_corrupt = isinstance(error, CorruptCheckpointError)
                    loss = CheckpointLoss.CORRUPT if is_corrupt else CheckpointLoss.MISSING
                    run.plan.facts.forget_checkpoint(node, step, ref.key, loss)
                    if is_last:
                        raise
                    warn(f"the checkpoint {ref.key} cannot be used ({error}); its steps are run again")

    async def _copy(self, study: StudyState, ref: CheckpointRef, run: PlanRun, root: Node) -> None:
        step, began_s = root.begins_at, self._clock.elapsed()
        key = f"{prefix_of(run, self._plans.next_lease())}-n{root.id}-s{step}"
        copy = await self._files.copy(ref, key)
        if step in root.checkpoints:  # another call has brought it meanwhile
            self._files.remove([key])
            return
        seconds = self._clock.elapsed() - began_s
        if not run.plan.facts.record_state_hash(root, step, copy.state_hash):
            warn(
                f"the state after step {step} at which branches begin was trained again, and is another one than "
                "before: branches of both are told together. Something in training is neither state nor seeded"
            )
        run.plan.facts.record_checkpoint(root, step, copy, seconds, study=study.row.study)
        study.counters.count_checkpoint(seconds)
        self._shell.carry_out(tuple(self._coordinator.budget.note_written(run.store, copy)))
