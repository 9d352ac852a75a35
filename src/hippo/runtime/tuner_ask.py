"""What tuners hold in their hands: `hippo.tuners.Ask`, at one member of the study that a call is about."""

from __future__ import annotations

import asyncio
import itertools
import math
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager

from hippo.errors import TunerError, did_you_mean
from hippo.hparams import as_config
from hippo.members import branched_off, is_of_branches, scale_of
from hippo.records import Answer, Objective, may_fuse
from hippo.runtime.asking.limits import Limit
from hippo.runtime.call_source import CallSource
from hippo.runtime.streams import RequestStream
from hippo.runtime.studies.requests import Request
from hippo.tuners import ConfigLike
from hippo.tuners.ask import (
    LimitReached,
    PinnedState,
    Proposal,
    ProposalAsk,
    Propose,
    Watch,
    pinned_state,
    proposed_together,
)
from hippo.tuners.budgets import checked_steps

#: proposals that are looked up together
_TOGETHER = 1_000


@asynccontextmanager
async def within(limit: Limit) -> AsyncIterator[None]:
    """Be in the block that a limit is about; it is ended as `asyncio.timeout` does it.

    Raises:
      LimitReached: it was ended.
    """
    task = asyncio.current_task()
    assert task is not None, "a tuner runs in a task"
    already_cancelling = task.cancelling()
    limit.cancel = task.cancel
    try:
        yield
    except asyncio.CancelledError:
        if limit.was_ended and task.uncancel() <= already_cancelling:
            raise LimitReached from None
        raise
    finally:
        limit.cancel = None


def watched(answer: asyncio.Future[Answer], watch: Watch) -> asyncio.Future[Answer]:
    """Return what an answer comes with once `watch` has heard it; what that raises comes in its place."""
    told: asyncio.Future[Answer] = answer.get_loop().create_future()

    def pass_on(came: asyncio.Future[Answer]) -> None:
        if told.done():  # whoever asked was cancelled while waiting for it
            return
        if came.cancelled():
            told.cancel()
            return
        try:
            watch(came.result())
        except Exception as error:
            told.set_exception(error)
        else:
            told.set_result(came.result())

    answer.add_done_callback(pass_on)
    return told


class TunerAsk(ProposalAsk):
    """Implements `hippo.tuners.Ask`.

    Args:
      source: where answers come from.
      member: who is asked; None: the study's only member, or the first.
      watch: hears every answer before the tuner does.
    """

    def __init__(self, source: CallSource, member: str | None = None, watch: Watch | None = None) -> None:
        self._source = source
        self._member = source.members[0] if member is None else member
        self._watch = watch

    @property
    def source(self) -> CallSource:
        """Where answers come from, for those who ask on behalf of a tuner in another process."""
        return self._source

    async def together(self, proposals: Iterable[Proposal]) -> list[Answer]:
        if self._source.beginnings:
            proposals = await self._ready(proposals)
        asked = self._request_each(proposals)
        answers = []
        try:
            for answer in asked.values():
                answers.append(await answer)
        except BaseException:  # where all are answered there is nothing to withdraw
            self._source.withdraw(asked)
            raise
        return answers

    async def any_of(self, proposals: Iterable[Proposal]) -> AsyncIterator[Answer]:
        if self._source.beginnings:
            proposals = await self._ready(proposals)
        asked = self._request_each(proposals)
        came: asyncio.Queue[asyncio.Future[Answer]] = asyncio.Queue()
        for answer in asked.values():
            answer.add_done_callback(came.put_nowait)
        try:
            for _ in asked:
                yield (await came.get()).result()
        finally:
            self._source.withdraw(asked)

    async def stream(self, propose: Propose) -> AsyncIterator[Answer]:
        def ask_alone(asked: Proposal) -> tuple[Request, asyncio.Future[Answer]]:
            stream.demand.members.add(self._member_of(asked))
            return self._request(asked, comes_alone=True)

        await self._source.beginnings.bring({self._member: ()})
        stream = RequestStream(propose, ask_alone, self._source.call.note_pull)
        with self._source.streaming(stream):
            async for answer in stream.answers():
                yield answer

    def at(self, member: str, *, watch: Watch | None = None) -> TunerAsk:
        members = self._source.members
        if member not in members:
            is_scale = str(member).startswith("1/")
            hint = (
                " A tuner that asks surrogates names their scales: scales = (hippo.Scale(8),), say." if is_scale else ""
            )
            raise TunerError(
                f"the study has no member {member!r}; it has {list(members)}.{hint}" + did_you_mean(member, members)
            )
        return TunerAsk(self._source, member, watch)

    @property
    def member(self) -> str:
        return self._member

    @asynccontextmanager
    async def branching(self, answer: Answer | None) -> AsyncIterator[TunerAsk]:
        source, call = self._source, self._source.call
        if answer is None and is_of_branches(scale_of(self._member)):  # a new model is none of those that begin here
            member = branched_off(self._member)
        else:
            member = self._member if answer is None else answer.member
        if may_fuse(call.run_of(member).spec.numerics):  # its own lanes are walked as one already
            yield TunerAsk(source, member, self._watch)
            return
        async with AsyncExitStack() as stack:
            if answer is None:
                begun = source.beginnings.member_of(member)
            else:
                pinned_state(answer, None, answer.occurrence)
                begun = await source.beginnings.member_at(answer)
            stack.enter_context(source.beginnings.block(begun))
            if answer is not None:
                pin = call.pins.pin(answer.config, answer.step, occurrence=answer.occurrence, member=begun)
                stack.callback(call.pins.unpin, pin)
            yield TunerAsk(source, begun, self._watch)

    def release(self, config: ConfigLike) -> None:
        self._source.call.book.release(as_config(config), self._member)

    def show(self, where: str) -> None:
        self._source.call.shown = where

    @asynccontextmanager
    async def pin(
        self, config: ConfigLike | Answer, until: int | None = None, *, occurrence: int = 0
    ) -> AsyncIterator[None]:
        pinned = pinned_state(config, until, occurrence)
        member = self._member_of(pinned)
        pins = self._source.call.pins
        number = pins.pin(pinned.config, pinned.until, occurrence=pinned.occurrence, member=member)
        try:
            yield
        finally:
            pins.unpin(number)

    @property
    def objectives(self) -> Sequence[Objective]:
        return self._source.call.study.settings.objectives

    @property
    def ready_stages(self) -> int:
        return self._source.plans.ready_stages

    def uncovered(self, config: ConfigLike, until: int) -> int:
        until = checked_steps("until", until)
        return self._source.call.trials.missing_steps(as_config(config), until, self._member)

    @asynccontextmanager
    async def limited(
        self, *, seconds: float | None = None, device_seconds: float | None = None
    ) -> AsyncIterator[None]:
        source = self._source
        ends_at = math.inf if seconds is None else source.clock.elapsed() + seconds
        most_s = math.inf if device_seconds is None else device_seconds

        def is_reached() -> bool:
            return source.was_complete or source.spent_s() >= most_s or source.clock.elapsed() >= ends_at

        if seconds is not None:
            source.wake_after(seconds)
        limit = Limit(is_reached)
        source.call.limits.append(limit)
        try:
            async with within(limit):
                yield
        finally:
            source.call.limits.remove(limit)

    def _member_of(self, asked: Proposal | PinnedState) -> str:
        return self._member if asked.member is None else asked.member

    def _request(self, asked: Proposal, *, comes_alone: bool) -> tuple[Request, asyncio.Future[Answer]]:
        request, answer = self._source.request(asked, self._member_of(asked), comes_alone=comes_alone)
        if self._watch is None or asked.is_speculative:
            return request, answer
        return request, watched(answer, self._watch)

    async def _ready(self, proposals: Iterable[Proposal]) -> list[Proposal]:
        """Return what is to be asked, when the states are there at which it begins."""
        asked = list(proposed_together(proposals))
        await self._source.beginnings.bring(_by_member(asked, self._member_of))
        return asked

    def _expect(self, together: Sequence[Proposal]) -> None:
        for member, asked_of_it in sorted(_by_member(together, self._member_of).items()):
            self._source.call.trials.expect(asked_of_it, member)

    def _request_each(self, proposals: Iterable[Proposal]) -> dict[Request, asyncio.Future[Answer]]:
        asked: dict[Request, asyncio.Future[Answer]] = {}
        try:
            left = proposed_together(proposals)
            while together := list(itertools.islice(left, _TOGETHER)):
                if len(together) > 1:
                    self._expect(together)
                for proposal in together:
                    request, answer = self._request(proposal, comes_alone=proposal.comes_alone)
                    asked[request] = answer
        except BaseException:
            self._source.withdraw(asked)
            raise
        return asked


def _by_member(proposals: Iterable[Proposal], member_of: Callable[[Proposal], str]) -> dict[str, list[Proposal]]:
    """Return proposals by whom they ask."""
    found: dict[str, list[Proposal]] = {}
    for asked in proposals:
        found.setdefault(member_of(asked), []).append(asked)
    return found
