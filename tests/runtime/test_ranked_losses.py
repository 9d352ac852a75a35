"""What a last state must be better than to be kept: the best of those that came as far."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hippo.runtime.studies.ranked_losses import RankedLosses

#: number of the trial, and where it was evaluated, with its loss; or that it failed, or is complete. Two calls
NOTES = st.lists(
    st.tuples(
        st.integers(0, 5),
        st.sampled_from(["failed", "complete"])
        | st.tuples(st.integers(1, 4), st.sampled_from([0.0, 0.5, 1.0, 2.0]), st.sampled_from([7, 8])),
    )
)


@given(NOTES, st.integers(1, 5), st.integers(1, 4))
def test_below_it_is_who_would_be_among_the_best_so_many_that_came_there(notes: list, step: int, top: int) -> None:
    ranked, known = RankedLosses(), {}
    for number, said in notes:
        if said == "failed":
            ranked.forget(number)
            known.pop(number, None)
        elif said == "complete":
            ranked.complete(number)
            if number in known:
                known[number] = (*known[number][:2], None)
        else:
            ranked.note(number, *said[:2], call=said[2])
            known[number] = said
    there = sorted((known[one][1], one) for one in known if known[one][0] >= step and known[one][2] in (7, None))
    for loss in (0.0, 0.5, 1.0, 2.0):
        for number in (-1, 6):  # one that is older than all of them, or younger
            to_beat = ranked.to_beat(number, step, top, call=7)
            is_kept = to_beat is None or loss < to_beat
            assert is_kept == ((loss, number) in sorted([*there, (loss, number)])[:top])
