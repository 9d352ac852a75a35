"""Branches of which nothing is left are one line with their count, and no others are."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import hippo
from hippo.dashboard import drawn_tree as room
from hippo.dashboard.drawn_tree import drawn_tree, tree_answer
from hippo.study.results.walked_tree import WalkedTree
from hippo.testing.trainers import ToyTrainer

from ..views.gated import AsksTogether, caught_study


class Branching(hippo.Tuner):
    """Forks a path in four: three are let go of, and `goes_on` of these go on for two steps more that are evaluated."""

    def __init__(self, goes_on: int = 0) -> None:
        self.goes_on = goes_on

    def record(self) -> dict[str, Any]:
        return {"goes_on": self.goes_on}

    async def tune(self, ask: hippo.Ask) -> None:
        parent = hippo.Config({"lr": 0.1})
        await ask(parent, until=2)
        for place, rate in enumerate((0.2, 0.3, 0.4)):
            branch = parent.switch(at=2, lr=rate)
            await ask(branch, until=5, evaluate=False, is_transient=True)
            if place < self.goes_on:
                await ask(branch.switch(at=5, lr=0.05), until=7)
        await ask(parent.switch(at=2, lr=0.5), until=4)


def tree_of(folder: Path, tuner: hippo.Tuner) -> WalkedTree:
    study = hippo.create_study("branches", trainer=ToyTrainer, storage=f"sqlite:///{folder}/hippo.db",
                               checkpoints=str(folder / "states"), engine=hippo.InlineEngine(), metric="loss",
                               mode="min", evaluate_every=1_000)  # fmt: skip
    study.optimize(tuner)
    tree = WalkedTree()
    tree.take(study.read())
    study.close()
    return tree


def test_branches_of_which_nothing_is_left_are_one_line_with_their_count(tmp_path: Path) -> None:
    tree = tree_of(tmp_path, Branching())
    folded, each = (tree_answer(drawn_tree(tree, folds=folds), "loss") for folds in (True, False))
    assert [(told["of"], told["shown"], told["freed"]) for told in (folded, each)] == [(5, 5, 3)] * 2
    assert (each["folded"], len(each["node"])) == ([None] * 5, 5)
    lines = zip(folded["start"], folded["stop"], folded["folded"], folded["trials"], folded["from"], strict=True)
    assert list(lines) == [(0, 2, None, 5, None), (2, 5, 3, 3, 0), (2, 4, None, 1, 0)]
    place = folded["folded"].index(3)
    assert (folded["parts"][place], folded["states"][folded["state"][place]]) == (None, "done")
    assert (folded["value"][place], folded["kept"][place]) == (None, [])


def test_what_goes_on_is_not_folded_though_only_a_part_of_the_tree_is_drawn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = tree_of(tmp_path, Branching(goes_on=2))
    assert (len(tree.nodes), drawn_tree(tree).told["freed"]) == (7, 0)  # one alone is a line of its own
    monkeypatch.setattr(room, "_MOST_NODES", 3)
    told = drawn_tree(tree).told
    assert (told["shown"], told["freed"], told["folded"]) == (3, 0, [None] * 3)


def test_branches_that_somebody_waits_for_are_not_folded(tmp_path: Path) -> None:
    rates = [({"lr": hippo.MultiStep(0.1, [2], gamma)}, 5) for gamma in (0.1, 0.2, 0.3)]
    with caught_study(tmp_path, AsksTogether(rates), evaluate_every=1_000) as (study, _):
        tree = WalkedTree()
        tree.take(study.read())
        told = drawn_tree(tree).told
    assert (len(tree.nodes), told["freed"], told["folded"]) == (4, 0, [None] * 4)
    names = [told["states"][state] for state in told["state"]]
    assert "waiting" in names
