"""A recorded study as a curve and a pace: what it would have cost on other slots, without sharing, by another tuner."""

from __future__ import annotations

import asyncio
import hashlib
import json
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hippo.errors import SimulationError, UnknownStudyError, did_you_mean
from hippo.hparams import Config
from hippo.members import seed_member
from hippo.plan import (
    AbstractPlanStore,
    CheckpointRow,
    MetricsRow,
    NodeRow,
    RequestRow,
    RequestState,
    StepKind,
    StepRow,
    StudyRow,
    TrialRow,
    opened_store,
    plans_of,
)
from hippo.plan.codec import metrics_from_text, pieces_from_text
from hippo.records import Metrics, TrialState
from hippo.runtime import Settings
from hippo.simulation.curves import Curve
from hippo.simulation.paths import Segment
from hippo.simulation.workload import SimulatedWorkload
from hippo.tuners import Ask, Tuner

#: the fallback that repeats the last metrics recorded on the path
LAST = "last"


@dataclass(slots=True)
class _Facts:
    """What is known of a stretch, by step, the steps ascending."""

    steps: list[int]
    values: list[Any]

    def add(self, step: int, value: Any) -> None:
        place = bisect_left(self.steps, step)
        if place == len(self.steps) or self.steps[place] != step:  # the first one stays the fact
            self.steps.insert(place, step)
            self.values.insert(place, value)

    def at(self, step: int) -> Any:
        place = bisect_left(self.steps, step)
        return self.values[place] if place < len(self.steps) and self.steps[place] == step else None

    def last(self, after: int, until: int) -> Any:
        """Return what is known of the last step in (after, until]."""
        place = bisect_right(self.steps, until)
        return self.values[place - 1] if place and self.steps[place - 1] > after else None


class Replay:
    """The metrics and seconds that a study's search plan recorded, by path and step. Both a `Curve` and a `Pace`.

    Facts of other studies on the same plan are known, too. What was never recorded is an error, or the fallback's.
    """

    def __init__(
        self,
        name: str,
        storage: str | AbstractPlanStore = "sqlite:///hippo.db",
        *,
        fallback: str | Curve | None = None,
        seed: int | None = None,
    ) -> None:
        """Read a study.

        Args:
          name: the study's; its latest generation is read.
          storage: where it is.
          fallback: where metrics are asked for that were never recorded: None raises an error, "last" repeats the last
            ones recorded on the path (none at all are an error still), a curve is asked in their place. With either,
            steps whose seconds are unknown take the mean of those known.
          seed: which of the study's seeds, if it has several.

        Raises:
          UnknownStudyError: there is none of this name.
          SimulationError: it has recorded no step yet, or `fallback` is none; or it has several seeds, and
            not this one.
        """
        if isinstance(fallback, str) and fallback != LAST:
            raise SimulationError(f"fallback={fallback!r} must be None, 'last', or a curve")
        #: the study's
        self.name = name
        self._fallback = fallback
        self._metrics: dict[bytes, _Facts] = {}
        self._seconds: dict[bytes, _Facts] = {}
        #: what was asked for and never recorded: (stretch, step)
        self._guessed_metrics: set[tuple[bytes, int]] = set()
        self._guessed_steps: set[tuple[bytes, int]] = set()
        with opened_store(storage, must_exist=True) as store, store.reading() as rows:
            study = _latest(rows.rows(StudyRow, deleted=False), name)
            member, plan = _member(name, plans_of(rows, study.study), seed)
            nodes = rows.rows(NodeRow, plan=plan)
            steps = [row for row in rows.rows(StepRow, plan=plan) if row.attempt == 0 and row.cause != "check"]
            metrics = rows.rows(MetricsRow, plan=plan)
            checkpoints = rows.rows(CheckpointRow, plan=plan)
            self._trials = rows.rows(TrialRow, study=study.study, member=member)
            self._requests = rows.rows(RequestRow, study=study.study, member=member)
        settings = Settings.from_text(json.loads(study.settings)["settings"])
        #: what the study optimised
        self.objectives = settings.objectives
        #: arguments of `simulate` that say who is better, as the study had them
        self.options = _options(settings)
        if not steps:
            raise SimulationError(f"study {name!r} has recorded no step yet, so there is nothing to replay")
        segments = _segments(nodes)
        ends = {(row.node, row.step) for row in metrics}
        #: numbers of trials that failed before what was asked of them was evaluated
        self._cut = {
            row.number
            for row in self._trials
            if row.state == TrialState.FAIL.value and (row.node, row.until) not in ends
        }
        evaluated = _evaluated_on_the_way(nodes, ends)
        self._unseen = {row.number for row in self._trials if row.number in self._cut and row.node not in evaluated}
        #: steps of lanes that were walked as one: their seconds are a lane's share, less than it would take alone
        self._num_shared = sum(StepKind.from_text(step.cause).lanes > 1 for step in steps)
        for step in steps:
            self._facts(self._seconds, segments[step.node]).add(step.step, step.seconds)
        for row in metrics:
            self._facts(self._metrics, segments[row.node]).add(row.step, metrics_from_text(row.metrics))
        self.mean_step_s = _mean(step.seconds for step in steps)
        self.mean_evaluate_s = _mean(row.seconds for row in metrics)
        self.mean_save_s = _mean(row.seconds for row in checkpoints)

    def _facts(self, known: dict[bytes, _Facts], segment: Segment) -> _Facts:
        return known.setdefault(segment.digest, _Facts([], []))

    def workload(self, **changes: Any) -> SimulatedWorkload:
        """Return what training cost: recorded seconds per step, mean seconds of evaluations and checkpoints.

        Args:
          **changes: other fields of the workload, such as `start_s`, which no study records.
        """
        costs = {"seconds_per_step": self, "evaluate_s": self.mean_evaluate_s, "save_s": self.mean_save_s}
        return SimulatedWorkload(**{**costs, **changes})

    def configs(self) -> list[Config]:
        """Return the configs of the study's trials, by number, each once; not of those that failed unevaluated."""
        seen = {row.config: None for row in self._trials if row.number not in self._unseen}
        return [Config.from_json(json.loads(config)) for config in seen]

    def tuner(self) -> Retrace:
        """Return a tuner that asks of each trial what was asked of it, without waiting for other trials.

        Where training failed there is nothing to ask for.
        """
        untils: dict[int, list[int]] = {row.number: [] for row in self._trials}
        reached = {row.number: row.step for row in self._trials if row.number in self._cut}
        for request in self._requests:
            if request.state == RequestState.ANSWERED and request.until <= reached.get(request.trial, request.until):
                untils[request.trial].append(request.until)
        return Retrace(
            tuple(
                (Config.from_json(json.loads(row.config)), row.occurrence, tuple(sorted(set(untils[row.number]))))
                for row in self._trials
                if untils[row.number]
            )
        )

    def has_recorded(self, names: Iterable[str]) -> bool:
        """Tell whether these metrics were recorded together, anywhere: a trial that lacks one has then failed alone."""
        wanted = set(names)
        return any(wanted <= found.keys() for facts in self._metrics.values() for found in facts.values)

    def describe_guesses(self) -> str:
        """Return what of the simulations so far was not recorded but made up; empty if nothing was."""
        return "; ".join(filter(None, (self._describe_fallback(), self._describe_shares(), self._describe_cut())))

    def _describe_cut(self) -> str:
        if not self._cut:
            return ""
        return f"what {len(self._cut)} trials of study {self.name!r} trained in vain, before they failed, is left out"

    def _describe_shares(self) -> str:
        if not self._num_shared:
            return ""
        return (
            f"study {self.name!r} walked lanes as one in {self._num_shared} of its steps, which take here what was a "
            "lane's share, and not what it would take alone: give seconds_per_step of your own"
        )

    def _describe_fallback(self) -> str:
        if not (self._guessed_metrics or self._guessed_steps):
            return ""
        said = "the last ones recorded before them" if self._fallback == LAST else "a curve's"
        return (
            f"study {self.name!r} never recorded all of this: {len(self._guessed_steps)} steps took the mean of those "
            f"recorded ({self.mean_step_s:.3g} s), and metrics at {len(self._guessed_metrics)} points are {said}"
        )

    # --- a curve

    def begin(self) -> tuple[Metrics | None, Any]:
        return None, self._fallback.begin() if isinstance(self._fallback, Curve) else None

    def after(
        self, state: tuple[Metrics | None, Any], segment: Segment, start: int, stop: int
    ) -> tuple[Metrics | None, Any]:
        last, beyond = state
        known = self._metrics.get(segment.digest)
        if known is not None:
            last = known.last(start, stop) or last
        if isinstance(self._fallback, Curve):
            beyond = self._fallback.after(beyond, segment, start, stop)
        return last, beyond

    def metrics(self, state: tuple[Metrics | None, Any], segment: Segment, step: int) -> Metrics:
        known = self._metrics.get(segment.digest)
        found: Metrics | None = None if known is None else known.at(step)
        last, beyond = state
        if found is None:
            self._guessed_metrics.add((segment.digest, step))
        if found is None and isinstance(self._fallback, Curve):
            return self._fallback.metrics(beyond, segment, step)
        if found is None and self._fallback == LAST:
            found = last
        if found is None:
            raise _NeverRecorded(
                f"study {self.name!r} never recorded metrics after {step} steps of {segment.values(max(step - 1, 0))}; "
                f"on this stretch it has those after {[] if known is None else known.steps} steps. Ask only for these, "
                "or give Replay(fallback='last'), or a curve as fallback"
            )
        return found

    # --- a pace

    def step_seconds(self, segment: Segment, step: int) -> float:
        """Return the recorded seconds of the step from `step` to `step` + 1."""
        known = self._seconds.get(segment.digest)
        found: float | None = None if known is None else known.at(step + 1)
        if found is None and self._fallback is None:
            raise _NeverRecorded(
                f"study {self.name!r} never trained step {step + 1} of {segment.values(step)}, so its seconds are not "
                "known; give Replay(fallback='last'), or a curve as fallback"
            )
        if found is None:
            self._guessed_steps.add((segment.digest, step + 1))
        # a step that took no measurable time still takes some
        return max(self.mean_step_s if found is None else found, 1e-9)

    def to_json(self) -> dict[str, Any]:
        """Return what identifies the facts."""
        facts = hashlib.sha256()
        for known in (self._metrics, self._seconds):
            for digest in sorted(known):
                facts.update(repr((digest, known[digest].steps, known[digest].values)).encode())
        return {"replay": facts.hexdigest(), "fallback": repr(self._fallback)}


class _NeverRecorded(SimulationError):
    """A replay was asked for what the recorded study does not know."""


@dataclass(frozen=True)
class Retrace(Tuner):
    """Asks of each trial what was asked of it before: (config, occurrence, steps), all trials at once.

    A tuner's waiting for other trials, at the end of a rung say, is not recorded and not repeated; run the tuner itself
    on `Replay.configs()` for that.
    """

    trials: tuple[tuple[Config, int, tuple[int, ...]], ...]

    async def tune(self, ask: Ask) -> None:
        async def one(config: Config, occurrence: int, untils: Sequence[int]) -> None:
            for until in untils:
                await ask(config, until=until, occurrence=occurrence, final=until == untils[-1])

        async with asyncio.TaskGroup() as group:
            for trial in self.trials:
                group.create_task(one(*trial))


def _latest(rows: Iterable[StudyRow], name: str) -> StudyRow:
    known = list(rows)
    found = max((row for row in known if row.name == name), key=lambda row: row.generation, default=None)
    if found is None:
        names = sorted({row.name for row in known})
        raise UnknownStudyError(f"there is no study {name!r}; there are {names or 'none'}." + did_you_mean(name, names))
    return found


def _evaluated_on_the_way(nodes: Iterable[NodeRow], ends: Iterable[tuple[int, int]]) -> set[int]:
    """Return the nodes on the way to which metrics are known.

    Args:
      nodes: of a plan.
      ends: (node, step) where something was evaluated.
    """
    first: dict[int, int] = {}  # node -> the first step on the way to it of which metrics are known
    for number, evaluated in sorted(ends):
        first.setdefault(number, evaluated)
    for node in nodes:  # parents have smaller numbers
        if node.parent is not None and first.get(node.parent, node.start + 1) <= node.start:
            first[node.node] = first[node.parent]
    return {*first}


def _options(settings: Settings) -> dict[str, Any]:
    """Return what of a study's choices decides about its trials, as `simulate` takes it."""
    if not settings.objectives:
        return {"metric": None, "mode": None}
    return {
        "metric": [each.metric for each in settings.objectives],
        "mode": [each.mode for each in settings.objectives],
        "constraints": [str(each) for each in settings.constraints],
        "nan": settings.nan.value,
    }


def _member(name: str, plans: Mapping[str, int], seed: int | None) -> tuple[str, int]:
    """Return the member of a study that is read, and its plan."""
    member = "" if seed is None else seed_member(seed)
    if member not in plans:
        which = "has one seed" if "" in plans else f"has {list(plans)}"
        raise SimulationError(
            f"study {name!r} {which}, so seed={seed!r} names none that can be replayed; in Python "
            "Replay(name, seed=...) replays one of several"
        )
    return member, plans[member]


def _segments(rows: Iterable[NodeRow]) -> Mapping[int, Segment]:
    segments: dict[int, Segment] = {}
    for row in rows:  # parents have smaller numbers
        parent = None if row.parent is None else segments[row.parent]
        segments[row.node] = Segment(parent, row.start, pieces_from_text(row.pieces))
    return segments


def _mean(numbers: Iterable[float]) -> float:
    found = list(numbers)
    return sum(found) / len(found) if found else 0.0
