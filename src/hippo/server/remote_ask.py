"""`hippo.tuners.Ask` for a tuner whose call is answered by a service elsewhere."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager

from hippo.errors import TunerError, did_you_mean
from hippo.records import Answer, Objective
from hippo.runtime.call_source import require_loop_of_tuner
from hippo.runtime.streams import RequestStream
from hippo.runtime.tuner_ask import watched, within
from hippo.server.call_journal import PulledStream, RemoteRequest
from hippo.server.remote_call import RemoteCall
from hippo.tuners import ConfigLike
from hippo.tuners.ask import Proposal, ProposalAsk, Propose, Watch, pinned_state, proposed_together
from hippo.tuners.budgets import check_steps, checked_steps


class RemoteAsk(ProposalAsk):
    """Implements `hippo.tuners.Ask`.

    Args:
      call: says what is asked.
      member: who is asked; None: the study's only member, or the first.
      watch: hears every answer before the tuner does.
    """

    def __init__(self, call: RemoteCall, member: str | None = None, watch: Watch | None = None) -> None:
        self._call = call
        self._member = call.setup.members[0] if member is None else member
        self._watch = watch

    async def together(self, proposals: Iterable[Proposal]) -> list[Answer]:
        asked = self._request_each(proposals)
        try:
            return [await answer for _, answer in asked]
        finally:
            self._withdraw(asked)

    async def any_of(self, proposals: Iterable[Proposal]) -> AsyncIterator[Answer]:
        asked = self._request_each(proposals)
        came: asyncio.Queue[asyncio.Future[Answer]] = asyncio.Queue()
        for _, answer in asked:
            answer.add_done_callback(came.put_nowait)
        try:
            for _ in asked:
                yield (await came.get()).result()
        finally:
            self._withdraw(asked)

    async def stream(self, propose: Propose) -> AsyncIterator[Answer]:
        def note_pull() -> None:
            stream.history.append([])
            stream.num_told += 1

        def ask_alone(asked: Proposal) -> tuple[RemoteRequest, asyncio.Future[Answer]]:
            return self._request(asked, comes_alone=True, stream=stream)

        stream = PulledStream(RequestStream(propose, ask_alone, note_pull))  # type: ignore[arg-type] # it only keeps them
        self._call.journal.open_stream(stream)
        try:
            async for answer in stream.requests.answers():
                yield answer
        finally:
            self._call.journal.leave_stream(stream)

    def at(self, member: str, *, watch: Watch | None = None) -> RemoteAsk:
        members = self._call.setup.members
        if member not in members:
            raise TunerError(
                f"the study has no member {member!r}; it has {list(members)}. A service trains no surrogates."
                + did_you_mean(member, members)
            )
        return RemoteAsk(self._call, member, watch)

    def release(self, config: ConfigLike) -> None:
        self._call.journal.release(Proposal(config=config, until=1, member=self._member))

    def show(self, where: str) -> None:
        self._call.journal.say({"kind": "show", "text": where})

    @asynccontextmanager
    async def pin(
        self, config: ConfigLike | Answer, until: int | None = None, *, occurrence: int = 0
    ) -> AsyncIterator[None]:
        state = pinned_state(config, until, occurrence)
        member = self._member if state.member is None else state.member
        asked = Proposal(config=state.config, until=state.until or 1, occurrence=state.occurrence, member=member)
        pinned = self._call.journal.pin(asked, is_last=state.until is None)
        try:
            yield
        finally:
            self._call.journal.unpin(pinned)

    @property
    def objectives(self) -> Sequence[Objective]:
        return self._call.setup.objectives

    @property
    def ready_stages(self) -> int:
        return self._call.ready_stages

    def uncovered(self, config: ConfigLike, until: int) -> int:
        until = checked_steps("until", until)
        return self._call.uncovered(Proposal(config=config, until=until, member=self._member))

    @asynccontextmanager
    async def limited(
        self, *, seconds: float | None = None, device_seconds: float | None = None
    ) -> AsyncIterator[None]:
        open_limit = self._call.journal.begin_limit(seconds, device_seconds)
        try:
            async with within(open_limit.limit):
                yield
        finally:
            self._call.journal.end_limit(open_limit)

    def _request(
        self, asked: Proposal, *, comes_alone: bool, stream: PulledStream | None = None
    ) -> tuple[RemoteRequest, asyncio.Future[Answer]]:
        require_loop_of_tuner(self._call.loop)
        check_steps("until", asked.until)
        member = self._member if asked.member is None else asked.member
        said = Proposal(
            config=asked.config,
            until=asked.until,
            final=asked.final,
            occurrence=asked.occurrence,
            is_extension=asked.is_extension,
            is_speculative=asked.is_speculative,
            comes_alone=comes_alone,
            member=member,
            evaluate=asked.evaluate,
            is_transient=asked.is_transient,
            has_company=asked.has_company,
        )
        request = self._call.journal.request(said, stream=stream)
        if self._watch is None or asked.is_speculative:
            return request, request.answer
        return request, watched(request.answer, self._watch)

    def _request_each(self, proposals: Iterable[Proposal]) -> list[tuple[RemoteRequest, asyncio.Future[Answer]]]:
        asked: list[tuple[RemoteRequest, asyncio.Future[Answer]]] = []
        try:
            for proposal in proposed_together(proposals):
                asked.append(self._request(proposal, comes_alone=proposal.comes_alone))
        except BaseException:
            self._withdraw(asked)
            raise
        return asked

    def _withdraw(self, asked: Iterable[tuple[RemoteRequest, asyncio.Future[Answer]]]) -> None:
        self._call.journal.withdraw(request for request, _ in asked)
