"""What every transport of a parameter server must do, as tests to inherit."""

from __future__ import annotations

import copy
import gc
import os
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from hippo.errors import BranchError, GangLostError
from hippo.ps.gang import BranchSlot, Gang
from hippo.ps.layout import VALUE, layout_of
from hippo.ps.operations import RunClocks
from hippo.ps.rules import RuleValues, rule_named
from hippo.ps.staleness import UpdateOrder
from hippo.ps.transport import AbstractTransport
from hippo.testing.ps_trainers import NoisyServer, same_tables
from hippo.training.values import HparamValues


class EndingServer(NoisyServer):
    """Its worker 1 ends without a word."""

    def gradients(self, tables: Any, share: Any) -> Any:
        os._exit(3) if share.worker == 1 else None
        return super().gradients(tables, share)


class TransportContract:
    """Subclass it, and define `make_transport`."""

    #: whether workers are processes, which can be lost
    has_processes = True
    #: what is said of a worker that ended with status 3
    lost = r"worker 1 of the parameter server .* ended with status 3"

    def make_transport(self) -> AbstractTransport:
        """Return a new transport."""
        raise NotImplementedError

    def make_gang(self, trainer: NoisyServer | None = None, *, num_copies: int = 2) -> Gang:
        """Return a gang that trains a `NoisyServer`."""
        trainer = NoisyServer() if trainer is None else trainer
        trainer.hp = HparamValues({})
        rule = rule_named(trainer.optimizer)
        layout = layout_of(trainer.make_tables(), list(rule.fields), trainer.workers)
        return Gang(layout, rule, trainer, self.make_transport(), num_copies=num_copies, most_staleness=7)

    @pytest.fixture
    def gang(self) -> Iterator[Gang]:
        """A gang at work."""
        gang = self.make_gang()
        yield gang
        gang.close()

    @pytest.fixture
    def without_garbage_collection(self) -> Iterator[None]:
        """Cycles of objects stay until somebody asks for a collection."""
        gc.collect()
        gc.disable()
        yield
        gc.enable()

    def filled(self, gang: Gang, value: float = 1.0) -> BranchSlot:
        """Return a new branch whose values are all the same."""
        branch = gang.take()
        gang.fill(branch, {"large": np.full((7, 3), value, np.float32), "small": np.full(2, value)})
        return branch

    def run_of(self, branch: BranchSlot, *, start: int = 0, clocks: int = 3, **others: Any) -> RunClocks:
        """Return a step of a branch."""
        given: dict[str, Any] = {"staleness": 0, "order": UpdateOrder.PINNED, **others}
        return RunClocks(
            slot=branch.number, start=start, clocks=clocks, rule_values=RuleValues(lr=0.1), values={"lr": 0.1}, **given
        )

    def fails(self, gang: Gang) -> bool:
        """Return whether the training of a new branch raises, which nobody remembers."""
        branch = self.filled(gang)
        try:
            gang.run(self.run_of(branch))
        except ZeroDivisionError:
            return True
        return False

    def copied(self, gang: Gang, branch: BranchSlot) -> dict[str, dict[str, Any]]:
        """Return a branch's arrays, to keep."""
        return copy.deepcopy(gang.gather(branch))

    def test_a_fork_is_its_parent_until_one_of_them_is_trained(self, gang: Gang) -> None:
        parent = self.filled(gang)
        gang.run(self.run_of(parent))
        before = self.copied(gang, parent)
        child = gang.fork(parent)
        assert same_tables(gang.gather(child), before)
        gang.run(self.run_of(child, start=3))
        assert same_tables(gang.gather(parent), before)
        assert not same_tables(gang.gather(child), before)

    def test_branches_that_take_turns_come_to_what_each_comes_to_alone(self, gang: Gang) -> None:
        one, other = self.filled(gang, 1.0), self.filled(gang, 2.0)
        alone = self.filled(gang, 1.0)
        for start in (0, 3, 6):
            gang.run(self.run_of(one, start=start, staleness=3))
            gang.run(self.run_of(other, start=start, staleness=1))
        for start in (0, 3, 6):
            gang.run(self.run_of(alone, start=start, staleness=3))
        assert same_tables(gang.gather(one), gang.gather(alone))

    @pytest.mark.parametrize("staleness", [0, 1, 3, 7])
    def test_a_step_of_several_clocks_is_told_with_its_ages(self, gang: Gang, staleness: int) -> None:
        result = gang.run(self.run_of(self.filled(gang), clocks=9, staleness=staleness))
        assert result.most_age == staleness
        assert result.loss > 0

    def test_free_workers_all_do_their_clocks(self, gang: Gang) -> None:
        branch = self.filled(gang)
        result = gang.run(self.run_of(branch, clocks=20, staleness=3, order=UpdateOrder.FREE))
        assert result.most_age <= 3
        assert np.isfinite(gang.gather(branch)["large"][VALUE]).all()

    def test_a_gathered_state_is_taken_back(self, gang: Gang) -> None:
        branch, other = self.filled(gang, 1.0), self.filled(gang, 2.0)
        gang.run(self.run_of(branch))
        kept = self.copied(gang, branch)
        gang.load(other, kept)
        gang.run(self.run_of(branch, start=3))
        gang.run(self.run_of(other, start=3))
        assert same_tables(gang.gather(branch), gang.gather(other))

    def test_a_slot_goes_back_when_nobody_holds_it(self, gang: Gang) -> None:
        held = [gang.take() for _ in range(5)]
        with pytest.raises(BranchError, match="all 5 slots of the pool hold branches"):
            gang.take()
        assert not gang.is_idle
        number = held.pop().number
        assert gang.take().number == number
        held.clear()
        assert gang.is_idle

    def test_what_gradients_raise_is_raised_and_the_gang_goes_on(self) -> None:
        gang = self.make_gang(NoisyServer(raise_in=1))
        try:
            broken, whole = self.filled(gang), self.filled(gang)
            with pytest.raises(ZeroDivisionError, match="told to raise in clock 1") as raised:
                gang.run(self.run_of(broken, clocks=50, staleness=1))
            assert any("raised in worker 1" in note and "def gradients" not in note for note in raised.value.__notes__)
            assert gang.run(self.run_of(whole, start=2)).loss > 0
        finally:
            gang.close()

    def test_a_branch_whose_training_failed_goes_back_at_once(self, without_garbage_collection: None) -> None:
        gang = self.make_gang(NoisyServer(raise_in=1))
        try:
            assert self.fails(gang)
            assert gang.is_idle
        finally:
            gang.close()

    def test_a_branch_that_only_garbage_holds_makes_room(self, gang: Gang, without_garbage_collection: None) -> None:
        held = [gang.take() for _ in range(4)]
        cycle: list[Any] = [gang.take()]
        cycle.append(cycle)
        number = cycle[0].number
        del cycle
        assert gang.take().number == number
        assert len(held) == 4

    def test_a_gang_that_has_ended_says_so_and_may_be_closed_twice(self, gang: Gang) -> None:
        branch = self.filled(gang)
        kept = self.copied(gang, branch)
        gang.close()
        gang.close()
        assert gang.is_lost
        with pytest.raises(GangLostError, match="this gang has ended"):
            gang.run(self.run_of(branch))
        with pytest.raises(GangLostError, match="this gang has ended"):
            gang.fork(branch)
        assert same_tables(gang.gather(branch), kept)

    def test_a_worker_that_is_gone_takes_its_gang_along_and_no_branch_but_its_own(self) -> None:
        if not self.has_processes:
            pytest.skip("its workers cannot be lost without us")
        gang = self.make_gang(EndingServer())
        broken, other = self.filled(gang, 1.0), self.filled(gang, 2.0)
        kept = self.copied(gang, other)
        with pytest.raises(GangLostError, match=self.lost):
            gang.run(self.run_of(broken))
        assert gang.is_lost
        assert same_tables(gang.gather(other), kept)
