"""What studies have spent on a plan: sums over its facts, of which most was added up before.

A plan of a million trials has millions of steps, and to add them up takes seconds. Facts never change, so a sum over
those up to a mark stays right; who takes a plan over adds what came since. The sums are written down when a writer lets
go of a plan, or takes it over from one that was killed, and only if so much was recorded that it is worth a write. They
are no facts: whoever finds none adds up everything.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from hippo.plan.causes import Cause, StepKind
from hippo.plan.rows import Change, CheckpointRow, Insert, MetricsRow, Row, StepRow, TotalsRow, Update
from hippo.plan.store import Moment

#: kinds of totals beside the causes of steps
EVALUATION, CHECKPOINT = "evaluation", "checkpoint"

#: where facts are counted
_TABLES: tuple[type[Row], ...] = (StepRow, MetricsRow, CheckpointRow)

#: facts that may be added up at each take-over: more are worth a write
WORTH_WRITING = 1_000


@dataclass(frozen=True, slots=True)
class Total:
    """A sum over facts of one kind."""

    count: int = 0
    seconds: float = 0.0
    #: of checks, the latest step that was compared
    furthest: int = 0

    def __add__(self, other: Total) -> Total:
        return Total(self.count + other.count, self.seconds + other.seconds, max(self.furthest, other.furthest))


@dataclass(frozen=True, slots=True)
class PlanTotals:
    """All that was spent on a plan, as of a moment."""

    plan: int
    #: (study, kind) -> what was spent
    of: Mapping[tuple[int, str], Total]
    #: table -> the mark up to which its facts are in these sums
    marks: Mapping[type[Row], int]
    #: what is written down of it
    known: Mapping[tuple[int, str], TotalsRow]

    @classmethod
    def read(cls, rows: Moment, plan: int) -> PlanTotals:
        """Add what came since the sums were written down."""
        known = {(row.study, row.kind): row for row in rows.rows(TotalsRow, plan=plan)}
        before = _marks(known.values())
        of = {key: Total(row.count, row.seconds, row.furthest) for key, row in known.items()}
        marks = {table: rows.mark(table) for table in before}
        for table, mark in marks.items():
            if mark > before[table]:
                for key, total in _since(rows, plan, table, before[table], mark):
                    of[key] = of.get(key, Total()) + total
        return cls(plan, of, marks, known)

    def of_cause(self, *causes: Cause) -> Total:
        """Return what all studies together have spent on steps that were run for one of these causes."""
        total = Total()
        for (_, kind), each in self.of.items():
            if _table_of(kind) is StepRow and StepKind.from_text(kind).cause in causes:
                total += each
        return total

    def of_study(self, study: int) -> dict[str, Total]:
        """Return kind -> what a study has spent."""
        return {kind: total for (payer, kind), total in self.of.items() if payer == study}

    def written(self) -> list[Change]:
        """Return what writes these sums down, if that is worth it."""
        before = _marks(self.known.values())
        if not any(mark - before[table] >= WORTH_WRITING for table, mark in self.marks.items()):
            return []
        return [
            (Update if (study, kind) in self.known else Insert)(
                TotalsRow(
                    plan=self.plan,
                    study=study,
                    kind=kind,
                    count=total.count,
                    seconds=total.seconds,
                    furthest=total.furthest,
                    mark=self.marks[_table_of(kind)],
                )
            )
            for (study, kind), total in self.of.items()
        ]


def _marks(known: Iterable[TotalsRow]) -> dict[type[Row], int]:
    """Return table -> the mark up to which its facts are in sums that are written down."""
    marks: dict[type[Row], int] = dict.fromkeys(_TABLES, 0)
    for row in known:
        table = _table_of(row.kind)
        marks[table] = max(marks[table], row.mark)
    return marks


def _table_of(kind: str) -> type[Row]:
    """Return the table in which facts of a kind are counted."""
    return {EVALUATION: MetricsRow, CHECKPOINT: CheckpointRow}.get(kind, StepRow)


def _since(rows: Moment, plan: int, table: type[Row], after: int, upto: int) -> list[tuple[tuple[int, str], Total]]:
    between: Any = {"after": after, "upto": upto, "plan": plan}
    if table is not StepRow:
        kind = EVALUATION if table is MetricsRow else CHECKPOINT
        sums = rows.totals(table, ("study",), "seconds", **between)
        return [((study, kind), Total(count, seconds)) for study, count, _, seconds, _ in sums]
    found = []
    for study, cause, count, _, seconds, _ in rows.totals(StepRow, ("study", "cause"), "seconds", **between):
        checked = []
        if cause == Cause.CHECK.value:
            checked = rows.columns(StepRow, ("step",), study=study, cause=cause, **between)
        found.append(((study, cause), Total(count, seconds, max((step for (step,) in checked), default=0))))
    return found
