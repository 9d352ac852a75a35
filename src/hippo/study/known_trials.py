"""Trials of a call that the study had already: nothing is trained for them, and its tables list them twice.

A call with another argument is another call, with trials of its own. That is what makes a script say what is in its
database; but whoever raises `num_trials`, or runs a cell again, should hear of it, and of what to write instead.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from hippo.members import is_of_branches, scale_of
from hippo.plan import AbstractPlanStore, Among, CallRow, Moment, NodeRow, StudyPlanRow, StudyRow, TrialRow
from hippo.runtime.studies.warnings import say


class KnownTrials:
    """The trials that a study had before a call.

    Args:
      store: of the study.
      study: whose trials.
    """

    def __init__(self, store: AbstractPlanStore, study: StudyRow) -> None:
        self._store = store
        self._study = study
        with store.reading() as rows:
            self._mark, self._nodes = rows.mark(TrialRow), rows.mark(NodeRow)

    def say_known(self) -> None:
        """Say how many of the trials that came since were here already, with as many steps."""
        names, study = ("number", "member", "config", "until", "call", "node"), self._study.study
        with self._store.reading() as rows:
            found = rows.columns(TrialRow, names, study=study, after=self._mark)
            # branches are looked for again and again, and no table lists them
            found = [row for row in found if not is_of_branches(scale_of(row[1]))]
            added = {(number, scale_of(member)): (config, until) for number, member, config, until, *_ in found}
            # no index is by config: nothing is looked for that cannot be there, since its steps came later
            alike = {row[2] for row in self._begun_before(rows, found)}
            before = rows.columns(TrialRow, names, study=study, upto=self._mark, config=Among(alike)) if alike else []
        calls = {call for *_, call, _ in found}
        steps: dict[tuple[str, str], int] = {}
        for _, member, config, until, call, _ in before:
            if call not in calls:  # a call that was stopped and goes on may have asked for a config twice
                at = (scale_of(member), config)
                steps[at] = max(until, steps.get(at, 0))
        known = sum(steps.get((scale, config), 0) >= until for (_, scale), (config, until) in added.items())
        if known:
            say(f"study {self._study.name!r}: {_how_many(known, len(added))} {self._advice(calls)}")

    def _begun_before(self, rows: Moment, trials: Sequence[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
        """Return those of these trials, whose last fields name nodes, of which the last node was in its plan before."""
        plans = dict(rows.columns(StudyPlanRow, ("member", "plan"), study=self._study.study))
        wanted: defaultdict[int, set[int]] = defaultdict(set)
        for _, member, *_, node in trials:
            wanted[plans[member]].add(node)
        known = {
            (plan, node)
            for plan, nodes in wanted.items()
            for (node,) in rows.columns(NodeRow, ("node",), plan=plan, node=Among(nodes), upto=self._nodes)
        }
        return [trial for trial in trials if (plans[trial[1]], trial[-1]) in known]

    def _advice(self, calls: set[int]) -> str:
        if self._were_made_before(calls):
            return (
                "An optimize() that is run again on one study object is a second call; after create_study, as in a "
                "script that is run again, it is the first one, and adds nothing."
            )
        return (
            f"For more trials or more steps give the larger search a study of its own, by another name, "
            f"{self._study.name + '-2'!r} say: it shares all that was trained, and lists each trial once."
        )

    def _were_made_before(self, calls: set[int]) -> bool:
        """Whether each of these calls repeats an earlier one, argument for argument."""
        with self._store.reading() as rows:
            made = rows.columns(CallRow, ("call", "record"), study=self._study.study)
        earlier = {record for call, record in made if call not in calls}
        return all(record in earlier for _, record in made)


def _how_many(known: int, added: int) -> str:
    if known == added == 1:
        return "the trial of this call was in it already: nothing was trained, but tables list it twice."
    of = f"all {added} trials" if known == added else f"{known} of the {added} trials"
    were = "were" if known > 1 else "was"
    return f"{of} of this call {were} in it already: no step was trained twice, but tables list them twice."
