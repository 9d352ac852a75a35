"""What is counted instead of shown has neither metrics nor a state nor branches of its own, and is not alone."""

from __future__ import annotations

from typing import Any

from hippo.study import TreeRow
from hippo.views import freed_branches


def row(node: int, parent: int | None, **more: Any) -> TreeRow:
    told = {"start": 0, "stop": 2, "values": "", "trials": (node,), "checkpoints": (), "metrics": {}, **more}
    return TreeRow(node=node, parent=parent, **told)


def test_branches_of_which_something_is_left_are_shown() -> None:
    rows = [row(1, None, checkpoints=(2,)), row(2, 1), row(3, 1), row(4, 1, metrics={2: {"loss": 1.0}}),
            row(5, 1, checkpoints=(2,)), row(6, 1), row(7, 6)]  # fmt: skip
    counted = {key: [each.node for each in branches] for key, branches in freed_branches(rows).items()}
    assert counted == {("", 1): [2, 3]}
    assert freed_branches(rows, lambda each: each.node != 3) == {}  # one alone is a line of its own
