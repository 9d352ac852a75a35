"""A rank of a large job as a host of a service: its one slot lives in the rank's bubbles.

It refuses to know when there are bubbles.
"""

from __future__ import annotations

import asyncio
import os
import socket
import threading

from hippo.engines.bubble_engine import BubbleEngine
from hippo.engines.engine_work import EngineWork
from hippo.engines.node_host import HostSetup, NodeHost
from hippo.errors import OptionError
from hippo.records import TrainerSpec, may_fuse
from hippo.runtime.studies.warnings import warn_or_say
from hippo.server.joining import Joining
from hippo.server.link import ServiceLink
from hippo.study.squeezing import SqueezedWork


class JoinedBubbles(SqueezedWork):
    """What `hippo.squeeze` trains for a service.

    Args:
      url: of the service.
      engine: whose slot lives in bubbles.
      checkpoints: where the service's states are on this machine; None: where it says.

    Raises:
      OptionError: it is no such URL, or strings are hashed otherwise in this process than in all others.
    """

    def __init__(self, url: str, engine: BubbleEngine, checkpoints: str | None) -> None:
        self.engine = engine
        environment = engine.environment()
        if environment["hash_seed"] != "0":
            raise OptionError(
                "a service's studies are trained where strings are hashed alike, and results could depend on it: start "
                "the ranks with PYTHONHASHSEED=0 in their environment"
            )
        name = f"{socket.gethostname()} (bubbles of process {os.getpid()})"

        def make_host(host: str, there: str) -> NodeHost:
            place = checkpoints or there
            work = EngineWork(engine, host=host, checkpoints=place, refusal=self._refusal)
            return NodeHost(HostSetup(name=host, node=name, workers=1, threads=engine.threads, checkpoints=place), work)

        self._joining = Joining(
            ServiceLink(url), make_host, name=name, workers=1, environment=environment, tell=self._tell
        )
        #: set once `run` can be stopped
        self._runs = threading.Event()
        self._loop = asyncio.new_event_loop()

    def run(self) -> None:
        """Be a host of the service, until told to stop."""
        asyncio.set_event_loop(self._loop)
        try:
            self._running = self._loop.create_task(self._joining.run())
            self._runs.set()
            self._loop.run_until_complete(self._running)
        except asyncio.CancelledError:
            pass  # by force
        finally:
            self._loop.close()

    def stop(self) -> None:
        """Have it leave the service once its lanes have come to their step's end."""
        self._runs.wait()
        self._joining.leave_soon()

    def give_up(self) -> None:
        """Have it leave without its lanes: nothing goes on with them here, and others can."""
        self._runs.wait()
        self._joining.leave_now()

    def force(self) -> None:
        """Have it leave now."""
        self._loop.call_soon_threadsafe(self._running.cancel)

    def _refusal(self, spec: TrainerSpec) -> str:
        reason = _refusal(spec)
        if reason:
            self._tell(reason)
            self._joining.leave_soon()
        return reason

    def _tell(self, message: str) -> None:
        warn_or_say(f"the bubbles of this rank: {message}")


def _refusal(spec: TrainerSpec) -> str:
    """Return why lanes of a workload cannot live in bubbles; "" if they can."""
    if may_fuse(spec.numerics):
        return ""
    return (
        f"in bubbles are lanes that are walked as one, and {spec.reference} is trained with numerics="
        f"{spec.numerics!r}. Have a service for bubbles alone, with studies of numerics='fused'; this rank leaves it"
    )
