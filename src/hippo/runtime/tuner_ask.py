"""What tuners hold in their hands: `hippo.tuners.Ask`, at one member of the study that a call is about."""

from __future__ import annotations

import asyncio
import functools
import itertools
import math
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from typing import Any, Protocol

from hippo.errors import TunerError, did_you_mean
from hippo.hparams import Config, as_config
from hippo.records import Answer, Objective
from hippo.runtime.limits import Limit
from hippo.runtime.streams import Pending, RequestStream
from hippo.tuners import ConfigLike
from hippo.tuners.ask import PinnedState, Proposal, ProposalAsk, Propose, pinned_state
from hippo.tuners.budgets import check_steps

#: proposals that are looked up together
_TOGETHER = 1_000


class AnswerSource(Protocol):
    """Where answers come from."""

    #: streams that pull from a tuner, the oldest first
    streams: list[RequestStream]
    #: blocks of a tuner that end when something is spent, the outermost first
    limits: list[Limit]
    #: the call had come to its end before, so that it is only replayed
    was_complete: bool

    @property
    def members(self) -> Sequence[str]:
        """The names of the study's members, at least one."""

    @property
    def objectives(self) -> Sequence[Objective]:
        """What is optimised."""

    @property
    def ready_stages(self) -> int:
        """How many stages could start now."""

    def expect(self, asked: Sequence[Proposal], member: str) -> None:
        """Hear what is about to be asked, together, so that it can be looked up together."""

    def request(self, asked: Proposal, member: str, *, comes_alone: bool) -> Pending:
        """Ask; the answer comes with the request's future.

        Args:
          asked: what.
          member: whom.
          comes_alone: more may be asked later that begins alike: states where values change are worth keeping.
        """

    def withdraw(self, requests: Iterable[Any]) -> None:
        """Withdraw those that were not answered."""

    def release(self, config: Config, member: str) -> None:
        """Take in that the tuner will ask a member for no more of this config."""

    def pin(self, config: Config, until: int | None, *, occurrence: int, member: str) -> int:
        """Keep a state in the memory that it is in, and return a number for the pin."""

    def unpin(self, number: int) -> None:
        """Keep it no longer."""

    def missing_steps(self, config: Config, until: int, member: str) -> int:
        """Return how many steps a member has neither trained, nor is training, nor was asked for."""

    def note_pull(self) -> None:
        """A stream pulled a request, or found none."""

    def spent_s(self) -> float:
        """Return the device-seconds spent since the call first began."""

    def elapsed(self) -> float:
        """Return seconds on a clock that never goes back."""

    def wake_after(self, seconds: float) -> None:
        """Look at the limits when so much time has passed."""


class TunerAsk(ProposalAsk):
    """Implements `hippo.tuners.Ask`.

    Args:
      source: where answers come from.
      member: who is asked; None: the study's only member, or the first.
    """

    def __init__(self, source: AnswerSource, member: str | None = None) -> None:
        self._source = source
        self._member = source.members[0] if member is None else member

    async def together(self, proposals: Iterable[Proposal]) -> list[Answer]:
        requests = self._request_each(proposals)
        try:
            return [await request.future for request in requests]
        finally:
            self._source.withdraw(requests)

    async def any_of(self, proposals: Iterable[Proposal]) -> AsyncIterator[Answer]:
        requests = self._request_each(proposals)
        came: asyncio.Queue[asyncio.Future[Answer]] = asyncio.Queue()
        for request in requests:
            request.future.add_done_callback(came.put_nowait)
        try:
            for _ in requests:
                yield (await came.get()).result()
        finally:
            self._source.withdraw(requests)

    async def stream(self, propose: Propose) -> AsyncIterator[Answer]:
        ask_alone = functools.partial(self._request, comes_alone=True)
        stream = RequestStream(propose, ask_alone, self._source.note_pull)
        self._source.streams.append(stream)
        try:
            async for answer in stream.answers():
                yield answer
        finally:
            self._source.streams.remove(stream)
            self._source.withdraw(stream.in_flight)

    def at(self, member: str) -> TunerAsk:
        members = self._source.members
        if member not in members:
            raise TunerError(
                f"the study has no member {member!r}; it has {list(members)}." + did_you_mean(member, members)
            )
        return TunerAsk(self._source, member)

    def release(self, config: ConfigLike) -> None:
        self._source.release(as_config(config), self._member)

    @asynccontextmanager
    async def pin(
        self, config: ConfigLike | Answer, until: int | None = None, *, occurrence: int = 0
    ) -> AsyncIterator[None]:
        pinned = pinned_state(config, until, occurrence)
        member = self._member_of(pinned)
        number = self._source.pin(pinned.config, pinned.until, occurrence=pinned.occurrence, member=member)
        try:
            yield
        finally:
            self._source.unpin(number)

    @property
    def objectives(self) -> Sequence[Objective]:
        return self._source.objectives

    @property
    def ready_stages(self) -> int:
        return self._source.ready_stages

    def uncovered(self, config: ConfigLike, until: int) -> int:
        check_steps("until", until)
        return self._source.missing_steps(as_config(config), until, self._member)

    @asynccontextmanager
    async def limited(
        self, *, seconds: float | None = None, device_seconds: float | None = None
    ) -> AsyncIterator[None]:
        source = self._source
        ends_at = math.inf if seconds is None else source.elapsed() + seconds
        most_s = math.inf if device_seconds is None else device_seconds

        def is_reached() -> bool:
            return source.was_complete or source.spent_s() >= most_s or source.elapsed() >= ends_at

        if seconds is not None:
            source.wake_after(seconds)
        limit = Limit(is_reached)
        source.limits.append(limit)
        try:
            async with limit.block():
                yield
        finally:
            source.limits.remove(limit)

    def _member_of(self, asked: Proposal | PinnedState) -> str:
        return self._member if asked.member is None else asked.member

    def _request(self, asked: Proposal, *, comes_alone: bool) -> Pending:
        return self._source.request(asked, self._member_of(asked), comes_alone=comes_alone)

    def _expect(self, together: Sequence[Proposal]) -> None:
        by_member: dict[str, list[Proposal]] = {}
        for asked in together:
            by_member.setdefault(self._member_of(asked), []).append(asked)
        for member, asked_of_it in sorted(by_member.items()):
            self._source.expect(asked_of_it, member)

    def _request_each(self, proposals: Iterable[Proposal]) -> list[Pending]:
        requests: list[Pending] = []
        try:
            left = iter(proposals)
            while together := list(itertools.islice(left, _TOGETHER)):
                if len(together) > 1:
                    self._expect(together)
                requests.extend(self._request(asked, comes_alone=asked.comes_alone) for asked in together)
        except BaseException:
            self._source.withdraw(requests)
            raise
        return requests
