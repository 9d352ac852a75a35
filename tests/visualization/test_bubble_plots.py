"""Two steps of ranks with a guest, as they were."""

from __future__ import annotations

from typing import Any

import pytest

from hippo.engines.bubble_policy import Restraint
from hippo.engines.bubble_report import BubbleReport, BubbleSpan
from hippo.errors import OptionError
from hippo.visualization import plot_bubbles

pytest.importorskip("plotly")

TRACE = (
    BubbleSpan(step=7, began_s=0.02, arrived_s=0.05, ended_s=0.05, filled=((0.021, 0.03), (0.031, 0.045))),
    BubbleSpan(step=7, began_s=0.07, arrived_s=0.08, ended_s=0.084, filled=((0.072, 0.083),)),
    BubbleSpan(step=8, began_s=0.02, arrived_s=0.05, ended_s=0.05),
)


def report(**other: Any) -> BubbleReport:
    given: dict[str, Any] = {
        "steps": 2, "alone_s": 0.1, "with_guest_s": 0.1, "waited_s": 0.07, "filled_s": 0.035, "overruns": 1,
        "overrun_s": 0.003, "lane_steps": 4, "seconds": 0.2, "restraint": Restraint.NONE, "trace": TRACE,
    }  # fmt: skip
    return BubbleReport(**{**given, **other})


def bars(figure: Any) -> dict[str, list[tuple[str, float, float]]]:
    return {
        trace.name: [
            (rank, round(base, 6), round(base + width, 6))
            for rank, base, width in zip(trace.y, trace.base, trace.x, strict=True)
        ]
        for trace in figure.data
    }


def test_each_part_of_a_step_is_drawn_where_it_was_and_the_second_step_after_the_first() -> None:
    figure = plot_bubbles(report())
    assert figure.layout.title.text.startswith("50 % of bubble time filled")
    assert bars(figure) == {
        "the large job": [
            ("rank 0", begin, end) for begin, end in ((0, 20), (50, 70), (84, 100), (100, 120), (150, 200))
        ],
        "empty bubble": [("rank 0", 20, 50), ("rank 0", 70, 80), ("rank 0", 120, 150)],
        "guest": [("rank 0", 21, 30), ("rank 0", 31, 45), ("rank 0", 72, 80)],
        "the large job waits for the guest": [("rank 0", 80, 84)],
    }


def test_ranks_are_rows_in_their_order() -> None:
    figure = plot_bubbles({3: report(), 1: report(trace=TRACE[:1])}, dark=True)
    drawn = bars(figure)
    assert [rank for rank, _, _ in drawn["the large job"]] == ["rank 1"] * 2 + ["rank 3"] * 5
    assert [rank for rank, _, _ in drawn["guest"]] == ["rank 1"] * 2 + ["rank 3"] * 3


def test_where_no_step_had_a_guest_that_is_said() -> None:
    with pytest.raises(OptionError, match="no step had a guest yet"):
        plot_bubbles(report(trace=()))
