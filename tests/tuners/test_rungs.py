"""Rungs answer from places what they would answer from sorting everybody anew."""

from __future__ import annotations

import math

from hypothesis import given
from hypothesis import strategies as st

from hippo.hparams import Config
from hippo.records import Answer, Failure, NodeId
from hippo.tuners.ranking import order
from hippo.tuners.rungs import Rung

LOSSES = st.sampled_from([0.0, 1.0, 1.0, 2.0, 3.0, math.inf, math.nan])
FAILURE = Failure(node=NodeId(1), step=1, method="train", error="ValueError: told to")


def answer(trial: int, loss: float, violation: float, is_failed: bool) -> Answer:
    return Answer(
        config=Config(lr=float(trial)),
        step=3,
        trial=trial,
        metrics={},
        losses=(math.inf if is_failed else loss,),
        violations=() if is_failed else (violation,),
        failure=FAILURE if is_failed else None,
    )


@given(
    came=st.lists(st.tuples(LOSSES, st.sampled_from([-1.0, 0.0, 0.5]), st.booleans()), min_size=1, max_size=25),
    reduction=st.integers(2, 4),
    promotes=st.lists(st.integers(0, 3), min_size=25, max_size=25),
)
def test_a_rung_promotes_as_if_it_sorted_all_answers_each_time(
    came: list[tuple[float, float, bool]], reduction: int, promotes: list[int]
) -> None:
    rung, answers, promoted = Rung(3), [], []
    for trial, (loss, violation, is_failed) in enumerate(came):
        answers.append(answer(trial, loss, violation, is_failed))
        rung.add(answers[-1])
        best_first = [answers[i] for i in order(answers)]
        assert list(rung.best(4)) == best_first[:4]
        assert list(rung.ranking) == best_first
        assert rung.is_among(answers[-1], 3) == (answers[-1] in best_first[:3])
        for _ in range(promotes[trial]):
            count = len(answers) // reduction
            expected = [a for a in best_first[:count] if a.trial not in promoted and a.failure is None]
            got = rung.promote(count)
            assert got == (expected[0] if expected else None)
            if got is not None:
                promoted.append(got.trial)
