"""What every engine must do with lanes that are walked as one, as tests to inherit; part of `EngineContract`.

They need torch, and are skipped without it.
"""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from hippo.events import CheckpointWritten, EngineEvent, Evaluated, FusionChecked, StageFailed, StepDone
from hippo.records import Fusion, Lane, TrainerSpec
from hippo.testing.control_loop import ControlLoop
from hippo.testing.lanes import after, lane, stage
from hippo.testing.part_of_engine_contract import EngineContractPart
from hippo.testing.residents_contract import only
from hippo.training.code.shipping import ship

#: with all that keeps a lane's bits its own
TOGETHER = Fusion(is_fused=True, is_aligned=True, has_twin=True)
RATES = (0.1, 0.05, 0.02)
#: after a dozen updates in float64, in which lanes are compared with lone ones
ROUNDING = 1e-9


def net(numerics: str = "fused", *, double: bool = False, above: float = 1e308) -> TrainerSpec:
    """Return a workload of a small convolutional network with dropout and batch norm.

    Args:
      double: in float64; of convolutions in that it is not promised that a lane's bits are its own.
      above: of a lane with a higher rate, evaluations raise.
    """
    pytest.importorskip("torch")
    arguments = {"net": "cnn", "double": double, "width": 5, "size": 32, "above": above}
    reference, key = "hippo.testing.fusible_trainers:FailingTrainer", f"{numerics} {arguments}"
    return ship(reference, arguments, seed=0, evaluate_every=1, workload_key=key, numerics=numerics)


def lanes_of(rates: Sequence[float], until: int = 3) -> list[Lane]:
    """Return a lane for each rate; each is of a node of its own."""
    return [lane(stage(number, 0, until, lr=rate)) for number, rate in enumerate(rates, start=1)]


def of_lane(events: Sequence[EngineEvent], number: int) -> list[EngineEvent]:
    """Return the events of one lane."""
    return [event for event in events if getattr(event, "lane", None) == number]


def final_state(events: Sequence[EngineEvent], number: int) -> str:
    """Return the hash of the last state that a lane wrote."""
    return only(CheckpointWritten, of_lane(events, number))[-1].checkpoint.state_hash


class FusedLanesContract(EngineContractPart):
    """Several lanes as one program: each keeps what is promised of it, whoever walks them."""

    @pytest.mark.slow
    def test_each_lane_says_what_it_would_say_alone_but_for_rounding(self, loop: ControlLoop) -> None:
        together = self.walked(loop, lanes_of(RATES), net(double=True))
        assert {event.lanes for event in only(StepDone, together)} == {len(RATES)}
        exact = net("exact", double=True)
        loop.open_workload(exact)
        for number, own in enumerate(lanes_of(RATES)):
            events, alone = of_lane(together, number), of_lane(loop.run(exact.workload, own), 0)
            assert [type(event) for event in events] == [type(event) for event in alone]
            for step, of_alone in zip(only(StepDone, events), only(StepDone, alone), strict=True):
                assert (step.node, step.step) == (of_alone.node, of_alone.step)
                assert step.training == pytest.approx(of_alone.training, rel=ROUNDING)
            for seen, seen_alone in zip(only(Evaluated, events), only(Evaluated, alone), strict=True):
                assert (seen.node, seen.step) == (seen_alone.node, seen_alone.step)
                assert seen.metrics == pytest.approx(seen_alone.metrics, rel=ROUNDING)

    @pytest.mark.slow
    def test_a_state_of_a_lane_is_gone_on_from_alone_and_in_company(self, loop: ControlLoop, folder: str) -> None:
        whole = self.walked(loop, lanes_of(RATES, until=4))
        written = only(CheckpointWritten, self.walked(loop, lanes_of(RATES, until=2)))
        rest = [
            lane(stage(number, 2, 4, lr=rate), begin=after(written[number - 1], lr=rate))
            for number, rate in enumerate(RATES, start=1)
        ]
        with self.open_loop(folder) as other:  # where no state is in memory
            in_company = self.walked(other, rest[1:])
            exact = net("exact")
            other.open_workload(exact)
            alone = other.run(exact.workload, rest[1])
        assert [final_state(in_company, number) for number in (0, 1)] == [final_state(whole, n) for n in (1, 2)]
        expected = only(Evaluated, of_lane(whole, 1))[-1].metrics
        assert only(Evaluated, alone)[-1].metrics == pytest.approx(expected, rel=1e-4)  # float32, eight updates

    @pytest.mark.slow
    def test_a_lanes_bits_depend_on_nobody_beside_it(self, loop: ControlLoop) -> None:
        among_three = final_state(self.walked(loop, lanes_of(RATES)), 1)
        others = [final_state(self.walked(loop, lanes_of([RATES[1]])), 0)]
        others.append(final_state(self.walked(loop, lanes_of([1e300, 0.3, 0.0, 0.2, RATES[1]])), 4))
        leaving = [*lanes_of(RATES[:1], until=1), *lanes_of(RATES)[1:]]
        others.append(final_state(self.walked(loop, leaving), 1))
        assert others == [among_three] * 3

    @pytest.mark.slow
    def test_a_lane_that_fails_in_a_formation_leaves_the_others_as_they_are(self, loop: ControlLoop) -> None:
        calm = self.walked(loop, lanes_of(RATES[1:]), net(above=0.09))
        events = self.walked(loop, lanes_of(RATES), net(above=0.09))
        assert [(event.lane, event.failure.method) for event in only(StageFailed, events)] == [(0, "evaluate")]
        assert [final_state(events, number) for number in (1, 2)] == [final_state(calm, number) for number in (0, 1)]

    @pytest.mark.slow
    def test_how_lanes_are_walked_is_said_before_any_is(self, loop: ControlLoop) -> None:
        workload = net()
        loop.open_workload(workload)
        events = loop.run(workload.workload, *lanes_of(RATES[:1]))
        (said,) = only(FusionChecked, events)
        assert not only(StepDone, events)
        assert not only(CheckpointWritten, events)
        assert said.seconds > 0
        assert said.fusion.keeps_bits
        if said.fusion.is_fused:  # on a busy machine it may have seemed not to be worth it
            alone, in_company = (self.walked(loop, lanes_of(rates), fusion=said.fusion) for rates in (RATES[:1], RATES))
            assert final_state(alone, 0) == final_state(in_company, 0)

    def walked(
        self, loop: ControlLoop, lanes: Sequence[Lane], workload: TrainerSpec | None = None, fusion: Fusion = TOGETHER
    ) -> list[EngineEvent]:
        """Have lanes walked as one, and return what was told of them."""
        workload = workload or net()
        loop.open_workload(workload)
        return loop.run(workload.workload, *lanes, fusion=fusion)
