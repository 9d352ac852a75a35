"""Where the tuner of a call asks: what it asks goes to the call, and what it awaits is opened and cancelled here.

`TunerAsk` gives a tuner one member of this. It refuses to know how the tuner runs, and when it is answered.
"""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from hippo.clock import Clock
from hippo.errors import TunerError
from hippo.plan import CallState
from hippo.records import Answer
from hippo.runtime.asking.calls import Call
from hippo.runtime.beginnings import Beginnings
from hippo.runtime.futures import Futures
from hippo.runtime.other_waits import unowned
from hippo.runtime.plans.opening import OpenPlans
from hippo.runtime.streams import PullingStream
from hippo.runtime.studies.requests import Request
from hippo.tuners.ask import Proposal


def require_loop_of_tuner(loop: asyncio.AbstractEventLoop) -> None:
    """Check that whoever asks does so in the event loop in which its tuner is answered.

    Raises:
      TunerError: it is another one, which would never hear of the answer.
    """
    if asyncio.get_running_loop() is not loop:
        raise TunerError(
            "ask was called in another event loop than tune(), as asyncio.run() in a thread makes one, and would wait "
            "there for ever; await it in tune(), or hand it over there by asyncio.run_coroutine_threadsafe(..., loop), "
            "with the asyncio.get_running_loop() of tune()"
        )


class CallSource:
    """What a call's tuner asks through.

    Args:
      call: hears what is asked.
      futures: hold what is awaited.
      plans: of the engine: how much of them could be run now.
      clock: of the engine.
      write: makes durable all that the call was told, at once; returns why that is not possible, after the call was
        ended for it. For those who pass on what they hear to somebody who outlives this process.
      beginnings: lead to members that begin at states.
    """

    def __init__(
        self,
        call: Call,
        futures: Futures,
        plans: OpenPlans,
        clock: Clock,
        write: Callable[[], Exception | None],
        beginnings: Beginnings,
    ) -> None:
        self.call = call
        self.plans = plans
        self.clock = clock
        self.write = write
        self.beginnings = beginnings
        #: streams that pull from the tuner, the oldest first
        self.streams: list[PullingStream] = []
        #: a call that was complete is only read again: nothing new is begun by it where a limit had ended it
        self.was_complete = call.row.state == CallState.COMPLETE
        self._futures = futures
        self._loop = asyncio.get_running_loop()

    @property
    def members(self) -> tuple[str, ...]:
        """The names of the study's members, the first of them first."""
        return tuple(self.call.members)

    # --- asking

    def request(self, asked: Proposal, member: str, *, comes_alone: bool) -> tuple[Request, asyncio.Future[Answer]]:
        """Ask a member; return the request, and what its answer comes with. See `Call.request`.

        Raises:
          TunerError: the tuner asks from another event loop, which would never hear of the answer.
        """
        require_loop_of_tuner(self._loop)
        number = self._futures.next_number()
        return self.call.request(number, asked, member, comes_alone=comes_alone), self._futures.open(number)

    def withdraw(self, requests: Iterable[Request]) -> None:
        """Withdraw those requests that have no answer yet, and cancel what their tuner awaits."""
        for request in sorted(requests, key=lambda request: request.id):
            if self.call.withdraw(request):
                self._futures.cancel(request.id)
            else:
                self._futures.forget(request.id)  # its answer could not be written, so that it was never told

    @contextmanager
    def streaming(self, stream: PullingStream) -> Iterator[None]:
        """Have a stream pull requests while the block lasts; what it asked and was not answered is withdrawn then."""
        self.streams.append(stream)
        self.call.demands.append(stream.demand)
        try:
            yield
        finally:
            self.streams.remove(stream)
            self.call.demands.remove(stream.demand)
            self.withdraw(stream.in_flight)

    # --- limits

    def spent_s(self) -> float:
        """Return the device-seconds spent since the call first began."""
        return self.call.study.counters.device_seconds - self.call.row.device_seconds_before

    def wake_after(self, seconds: float) -> None:
        """Look at the limits when so much time has passed."""
        unowned(functools.partial(self.clock.call_later, seconds, lambda: None))
