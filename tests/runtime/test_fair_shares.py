"""Room for more requests: given to whoever has had least, and to nobody twice."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, cast

from hippo.plan import Cause, StudyRow
from hippo.runtime.placing.fair_shares import share_room, sharing_studies
from hippo.runtime.studies.study_state import StudyState
from hippo.schedulers import FairShare

from .runs import Bench, config


@dataclass
class Wanting:
    """Somebody who pulls as many requests as there is room for."""

    study: StudyState
    offered: list[int] = field(default_factory=list)

    def grant(self, room: int) -> None:
        self.offered.append(room)


def wanting(bench: Bench, *used_s: float, priorities: tuple[int | None, ...] = (None, None, None)) -> list[Wanting]:
    found = []
    named = len(bench.store.rows(StudyRow))
    for number, (seconds, priority) in enumerate(zip(used_s, priorities, strict=False)):
        study = bench.new_study(f"study {named + number}")
        study.counters.count_step(Cause.FIRST, seconds)
        study.fair_share = None if priority is None else FairShare(priority=priority)
        found.append(Wanting(study))
    return found


def shared(bench: Bench, those: list[Wanting], room: int) -> list[list[int]]:
    for participant, share in share_room(cast("Any", those), [bench.run], room):
        participant.grant(share)
    return [one.offered for one in those]


def test_room_is_shared_evenly() -> None:
    bench = Bench()
    assert shared(bench, wanting(bench, 0.0), 6) == [[6]]
    assert shared(bench, wanting(bench, 0.0, 0.0, 0.0), 6) == [[2], [2], [2]]


def test_where_there_is_less_room_than_there_are_who_want_it_the_first_get_one_each() -> None:
    bench = Bench()
    assert shared(bench, wanting(bench, 0.0, 0.0, 0.0), 2) == [[1], [1], []]
    assert shared(bench, wanting(bench, 0.0, 0.0), 0) == [[], []]


def test_whoever_claims_and_has_had_least_comes_first() -> None:
    bench = Bench()
    assert shared(bench, wanting(bench, 9.0, 5.0, 7.0, priorities=(0, 0, 0)), 1) == [[], [1], []]
    assert shared(bench, wanting(bench, 9.0, 5.0, 7.0, priorities=(1, 0, 0)), 1) == [[1], [], []]


def test_what_running_work_is_expected_to_take_counts_as_had() -> None:
    bench = Bench()
    first, second = wanting(bench, 0.0, 0.0, priorities=(0, 0))
    bench.ask(config(), 9, study=first.study)
    bench.give_out(1)
    assert shared(bench, [first, second], 1) == [[], [1]]


def test_shares_matter_only_where_somebody_claims_one_and_there_is_another() -> None:
    bench = Bench()
    one, other = wanting(bench, 0.0, 0.0)
    assert sharing_studies(cast("Any", [one, other])) == []
    other.study.fair_share = FairShare()
    assert sharing_studies(cast("Any", [one, other, one])) == [one.study, other.study]
    assert sharing_studies(cast("Any", [other])) == []
