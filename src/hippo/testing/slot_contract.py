"""What every engine must do with its slots, as tests to inherit; part of `EngineContract`."""

from __future__ import annotations

import concurrent.futures
import signal
import threading
from pathlib import Path

from hippo.events import SlotLost, SlotOpened, StageFailed, StepDone
from hippo.testing.control_loop import ControlLoop
from hippo.testing.lanes import lane, stage
from hippo.testing.part_of_engine_contract import EngineContractPart, gated
from hippo.testing.residents_contract import only, toy


class SlotContract(EngineContractPart):
    """Slots open, say where they are, outlive a trainer's exception, and close."""

    def test_a_slot_says_in_which_environment_it_is(self, loop: ControlLoop) -> None:
        loop.wait_for_slots()
        opened = only(SlotOpened, loop.events)
        assert all((event.environment["threads"], event.devices) == ("1", 1) for event in opened)

    def test_an_exception_of_the_trainer_ends_the_lane_and_not_the_slot(self, loop: ControlLoop) -> None:
        failing = toy(raise_in="train", raise_at=1)
        loop.open_workload(failing)
        slots = loop.wait_for_slots()
        (failed,) = only(StageFailed, loop.run(failing.workload, lane(stage(1, 0, 3))))
        assert (failed.failure.method, failed.failure.step) == ("train", 2)
        assert "told to raise in train after 1 steps" in failed.failure.traceback
        assert only(StepDone, loop.run(toy().workload, lane(stage(1, 0, 1))))
        assert loop.wait_for_slots()[: len(slots)] == slots

    def test_a_slot_that_is_given_up_is_lost_with_its_reason_and_another_one_opens(
        self, loop: ControlLoop, tmp_path: Path
    ) -> None:
        gate = tmp_path / "gate"
        spec = gated(gate)
        loop.open_workload(spec)
        slot = loop.wait_for_slots()[0]
        assert "pid" in loop.engine.describe(slot)
        loop.submit(spec.workload, lane(stage(1, 0, 1000)))
        opener = threading.Timer(0.05, gate.touch)  # an engine without force waits for the step's end
        loop.lose(slot, "it got stuck")
        opener.start()  # not before: the lane might be over by then
        lost = loop.serve_until(lambda events: only(SlotLost, events))
        opener.join()
        assert lost == [SlotLost(slot=slot, reason="it got stuck")]
        assert only(StepDone, loop.run(toy().workload, lane(stage(1, 0, 1))))

    def test_serving_ends_when_what_is_waited_for_is_done(self, loop: ControlLoop) -> None:
        done: concurrent.futures.Future[None] = concurrent.futures.Future()
        waiting = threading.Thread(target=loop.engine.serve, args=(done,))
        waiting.start()
        done.set_result(None)
        waiting.join(timeout=30)
        assert not waiting.is_alive()
        loop.engine.serve(done)

    def test_a_signal_that_wakes_nobody_ends_serving_all_the_same(self, loop: ControlLoop) -> None:
        def note(number: int, _: object) -> None:
            done.set_result("the signal came")

        done: concurrent.futures.Future[str] = concurrent.futures.Future()
        usual = signal.signal(signal.SIGUSR1, note)
        giving_up = threading.Timer(10.0, done.set_result, ["it did not"])
        try:
            giving_up.start()
            # noted in this thread, which handles none, as one is that the serving thread gets just before it waits
            threading.Timer(0.2, lambda: signal.pthread_kill(threading.get_ident(), signal.SIGUSR1)).start()
            loop.engine.serve(done)
            assert done.result() == "the signal came"
        finally:
            giving_up.cancel()
            signal.signal(signal.SIGUSR1, usual)

    def test_an_engine_that_was_never_used_closes(self, folder: str) -> None:
        ControlLoop(self.make_engine(), folder).close()
