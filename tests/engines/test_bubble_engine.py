"""What trains in bubbles is an engine as any other, to whoever gives it work."""

from __future__ import annotations

import concurrent.futures
import math
from pathlib import Path
from typing import Any

from hippo.engines.bubble_engine import BubbleEngine
from hippo.engines.bubble_guest import BubbleGuest
from hippo.events import SlotLost
from hippo.testing.control_loop import ControlLoop, has_ended
from hippo.testing.engine_contract import EngineContract
from hippo.testing.fusible_trainers import NetTrainer
from hippo.testing.lanes import lane, stage
from hippo.testing.residents_contract import only, toy_bytes
from hippo.training.code.shipping import ship


class ServedEngine(BubbleEngine):
    """Whose rank has nothing else to do than to wait, as long as somebody waits for its study."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self.guest = BubbleGuest(self)

    def serve(self, done: concurrent.futures.Future[Any]) -> None:
        self.guest.run_out(math.inf, lambda: not done.done() or self.guest.has_work)

    async def close(self, *, timeout_s: float) -> None:
        self.guest.close()
        await super().close(timeout_s=timeout_s)


class TestBubbleEngine(EngineContract):
    def make_engine(self) -> ServedEngine:
        return ServedEngine(resident_bytes=1 << 20)

    def make_small_engine(self) -> ServedEngine:
        return ServedEngine(resident_bytes=2 * toy_bytes())


def test_a_large_job_that_ends_tells_that_the_slot_was_about_to_go(tmp_path: Path) -> None:
    engine = ServedEngine()
    loop = ControlLoop(engine, str(tmp_path))
    spec = ship(NetTrainer, {}, seed=0, evaluate_every=1, workload_key="net")
    loop.open_workload(spec)
    slot = loop.wait_for_slots()[0]
    lease = loop.submit("net", lane(stage(1, 0, 1000)))
    work = engine.next_work()
    assert work is not None
    seconds = iter(range(200))
    assert not work.go(lambda _seconds: next(seconds, None) is not None)  # it stands amid its steps

    work.drop()

    lost = loop.serve_until(lambda events: only(SlotLost, events))
    assert [(event.slot, event.announced) for event in lost] == [(slot, True)]
    assert "went on, or ended, without its guest" in lost[0].reason
    assert has_ended(loop.events, lease)
    loop.close()
