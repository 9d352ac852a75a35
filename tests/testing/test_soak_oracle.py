"""What two runs of a study differ in is said, and steps that no fault explains are."""

from __future__ import annotations

import pytest

from hippo.testing.fault_plans import Fault, FaultKind
from hippo.testing.soak_oracle import unexplained
from hippo.testing.study_results import StudyResults, differences


def results(**changes: object) -> StudyResults:
    plain = {"trials": {0: "a"}, "states": {("p", 1): "h"}, "steps": {"first": 3}}
    return StudyResults(**{**plain, **changes})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "found",
    [
        results(trials={0: "b"}),
        results(trials={}),
        results(trials={0: "a", 1: "a"}),
        results(states={("p", 1): "other"}),
    ],
)
def test_other_trials_metrics_and_states_are_differences(found: StudyResults) -> None:
    assert len(differences(results(), found)) == 1


def test_a_state_that_only_one_of_them_kept_is_no_difference() -> None:
    assert differences(results(), results(states={})) == []
    assert differences(results(states={}), results()) == []


def test_steps_are_run_again_only_for_what_faults_explain() -> None:
    found = results(steps={"first": 3, "corrupt": 2, "check": 1})
    flipped, killed = (Fault(kind=kind, at=1) for kind in (FaultKind.FLIP_BIT, FaultKind.KILL_WORKER))
    assert unexplained(found, results(), [flipped]) == []
    assert "cause 'corrupt'" in unexplained(found, results(), [killed])[0]
    assert unexplained(found, results(steps={"first": 3, "corrupt": 1}), []) == []
