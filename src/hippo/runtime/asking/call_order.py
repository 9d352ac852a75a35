"""Whose answers come next: those of the recorded order while a call is replayed, after that whatever is there.

The next recorded delivery is given only when all of it is asked for and can be answered, so that answers that were
there together are there together again. A tuner that decides by its answers alone comes to ask for all of it. One that
does not, since its code or its arguments' meaning changed, has gone another way: what was recorded of the old way is
skipped, and no re-run waits for ever.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from hippo.runtime.asking.demands import StreamDemand
from hippo.runtime.studies.replay import DeliveryLog, RecordedCall, TrialPoint
from hippo.runtime.studies.request_book import RequestBook
from hippo.runtime.studies.requests import Request


class CallOrder:
    """The order of one call's answers and pulls.

    Args:
      past: what the call asked, and was told, when it ran before.
      book: the requests that wait.
      demands: of the tuner's streams, the oldest first; others add to them and take from them.
      is_busy: tells whether the tuner may still be woken by something that it does not ask for.
    """

    def __init__(
        self, past: RecordedCall, book: RequestBook, demands: Sequence[StreamDemand], is_busy: Callable[[], bool]
    ) -> None:
        self._log = DeliveryLog(past.deliveries)
        self._book = book
        self._demands = demands
        self._is_busy = is_busy
        #: how often the call asked this when it ran before, whatever came of it
        self._asked_before = past.asked
        #: it asked what it never asked before: then recorded answers need not be asked for again
        self._has_gone_another_way = False
        self._is_pulling_again = False

    @property
    def is_replaying(self) -> bool:
        """Whether something recorded is still to be given again."""
        return bool(self._log.ahead)

    def note_question(self, at: TrialPoint) -> bool:
        """Note that the call asks for a point; return whether that is a recorded question, whose answer is one."""
        if not self._log.ahead:  # most often: it never ran before, or got beyond what it asked then
            return False
        self._asked_before[at] -= 1
        self._has_gone_another_way |= self._asked_before[at] < 0
        return self._log.left(at) > len(self._book.at(at))

    # --- deliveries

    def next_delivery(self) -> tuple[list[Request], int | None]:
        """Return the requests to answer now, and the number of the delivery: None for one that is given again."""
        if not self._log.ahead:  # most often
            return self._whatever_is_there()
        self._skip_what_is_no_longer_asked()
        if not self._log.ahead:
            return self._whatever_is_there()
        if self._may_ask_more():
            return [], None
        requests = self._waiting_for_next()
        # all facts were committed together with the answers; if any was lost since, it is run again first
        if not requests or any(request.id not in self._book.answerable for request in requests):
            return [], None
        self._restore_seconds(requests)
        self._log.advance()
        return requests, None

    def _whatever_is_there(self) -> tuple[list[Request], int | None]:
        answerable = self._book.answerable
        if not answerable:
            return [], None
        return list(map(answerable.__getitem__, sorted(answerable))), self._log.take_number()

    def _skip_what_is_no_longer_asked(self) -> None:
        """Go to the next recorded delivery that somebody waits for, or may yet: what else was recorded is no matter."""
        while (ahead := self._log.next()) is not None:
            if self._waiting_for_next() if ahead else self.has_demand:
                return
            if self._may_ask_more():
                return
            self._log.advance()

    def _may_ask_more(self) -> bool:
        """Tell whether the next recorded delivery should wait: not all of it is asked for, and the rest may come.

        A tuner that decides by its answers alone asks again all that it asked before. While it is busy elsewhere, it
        has only not come to it yet. One that has asked something new is another one, and nothing is known of it.
        """
        ahead = self._log.next()
        if ahead is None or self._has_gone_another_way:
            return False
        wanted = Counter(answer.at for answer in ahead)
        is_asked = all(len(self._book.at(point)) >= count for point, count in wanted.items())
        if is_asked if ahead else self.has_demand:
            return False
        # with no question open it can only be waiting for something else, whatever that is
        has_open_question = bool(self._book) or self.has_demand
        return not has_open_question or self._is_busy()

    def _waiting_for_next(self) -> list[Request]:
        # two requests for one point, one of them speculative, are two answers of one delivery
        points = dict.fromkeys(answer.at for answer in self._log.next() or [])
        return [request for point in points for request in self._book.at(point)]

    def _restore_seconds(self, requests: list[Request]) -> None:
        """Let the answers of the next recorded delivery name the seconds that they named when they were given first."""
        named = {answer.at: answer.seconds for answer in self._log.next() or []}
        for request in requests:
            request.seconds = named[request.at]

    # --- pulls

    @property
    def has_demand(self) -> bool:
        """Whether a stream would pull a request if there was room for one."""
        return any(self._demands)

    @property
    def pulls_again(self) -> bool:
        """Whether the next thing to replay is a pull: then `replay_pull` before anything else."""
        if not self._log.ahead:
            return False
        self._skip_what_is_no_longer_asked()
        return self._log.next() == [] and self.has_demand

    def replay_pull(self) -> None:
        """Note that the next pull is the one that was made at this moment before: a stream is given room for it."""
        self._log.advance()
        self._is_pulling_again = True

    def note_pull(self) -> None:
        """Give a pull a number of its own, which tells a re-run when it was; one that is replayed has it already."""
        if self._is_pulling_again:
            self._is_pulling_again = False
        else:
            self._log.take_number()
