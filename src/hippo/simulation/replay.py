"""A recorded study as a curve and a pace: what it would have cost on other slots, without sharing, by another tuner."""

from __future__ import annotations

import asyncio
import hashlib
import json
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hippo.errors import SimulationError, UnknownStudyError, did_you_mean
from hippo.hparams import Config
from hippo.members import TARGET_NAME, scale_of, seed_member
from hippo.plan import (
    AbstractPlanStore,
    Cause,
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
from hippo.tuners.tuner import describe_tuner

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
            steps = _first_runs(rows.rows(StepRow, plan=plan))
            metrics = rows.rows(MetricsRow, plan=plan)
            checkpoints = rows.rows(CheckpointRow, plan=plan)
            self._trials = rows.rows(TrialRow, study=study.study, member=member)
            self._requests = rows.rows(RequestRow, study=study.study, member=member)
            others = rows.columns(TrialRow, ("member",), study=study.study)
        settings = Settings.from_text(json.loads(study.settings)["settings"])
        #: what the study optimised
        self.objectives = settings.objectives
        #: arguments of `simulate` that say who is better, as the study had them
        self.options = _options(settings)
        if not steps:
            raise SimulationError(f"study {name!r} has recorded no step yet, so there is nothing to replay")
        segments = _segments(nodes)
        ends = {(row.node, row.step) for row in metrics}
        parents = {row.node: (row.parent, row.start) for row in nodes}
        asked_at = {row.number: row.node for row in self._trials}
        #: (number of a trial, steps) of requests to train and not to evaluate
        self._unevaluated = {
            (request.trial, request.until)
            for request in self._requests
            if (node := asked_at[request.trial]) in parents
            and (_owner(parents, node, request.until), request.until) not in ends
        }
        #: trials at other scales, and branches that were walked as lanes
        self._num_elsewhere = sum(scale_of(other) != TARGET_NAME for (other,) in others)
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

        Where training failed there is nothing to ask for, and what was trained ahead of time for nobody is left out.
        """
        untils: dict[int, set[int]] = {row.number: set() for row in self._trials}
        # of a trial that did not fail, what is beyond all that was asked for was speculative
        most = {row.number: row.step if row.number in self._cut else row.until for row in self._trials}
        for request in self._requests:
            if request.state == RequestState.ANSWERED and request.until <= most[request.trial]:
                untils[request.trial].add(request.until)
        asked = [row for row in self._trials if untils[row.number]]
        places = {row.number: place for place, row in enumerate(asked)}
        points = {(number, until) for number in places for until in untils[number]}
        extensions = points & set(_extensions(asked, points))
        used: set[tuple[str, int]] = set()
        return Retrace(
            tuple(
                (
                    Config.from_json(json.loads(row.config)),
                    _unused(row.config, row.occurrence, used),
                    tuple(sorted(untils[row.number])),
                )
                for row in asked
            ),
            *(
                tuple(sorted((places[number], until) for number, until in among))
                for among in (extensions, points & self._unevaluated)
            ),
        )

    def has_recorded(self, names: Iterable[str]) -> bool:
        """Tell whether these metrics were recorded together, anywhere: a trial that lacks one has then failed alone."""
        wanted = set(names)
        return any(wanted <= found.keys() for facts in self._metrics.values() for found in facts.values)

    def describe_guesses(self) -> str:
        """Return what of the simulations so far was not recorded but made up; empty if nothing was."""
        said = (self._describe_fallback(), self._describe_shares(), self._describe_cut(), self._describe_elsewhere())
        return "; ".join(filter(None, said))

    def _describe_cut(self) -> str:
        if not self._cut:
            return ""
        return f"what {len(self._cut)} trials of study {self.name!r} trained in vain, before they failed, is left out"

    def _describe_elsewhere(self) -> str:
        if not self._num_elsewhere:
            return ""
        return (
            f"{self._num_elsewhere} trials of study {self.name!r} are of surrogates, or branches that were walked as "
            "one, and are left out: it is the target's trials that are replayed"
        )

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
    on `Replay.configs()` for that. Calls of a study are one here, whose trials are complete where those of the call
    are that went furthest.
    """

    trials: tuple[tuple[Config, int, tuple[int, ...]], ...]
    #: (place among the trials, steps) of what was asked beyond the end of all: by `extra_steps`, or of a branch
    extensions: tuple[tuple[int, int], ...] = ()
    #: the same of what was to be trained and not evaluated
    unevaluated: tuple[tuple[int, int], ...] = ()

    def record(self) -> dict[str, Any]:
        recorded = describe_tuner(self)  # most have neither, and are called what they always were
        return {name: value for name, value in recorded.items() if value or name == "trials"}

    async def tune(self, ask: Ask) -> None:
        extensions, unevaluated = set(self.extensions), set(self.unevaluated)

        async def one(place: int, config: Config, occurrence: int, untils: Sequence[int]) -> None:
            for until in untils:
                await ask(
                    config,
                    until=until,
                    occurrence=occurrence,
                    final=until == untils[-1],
                    is_extension=(place, until) in extensions,
                    evaluate=(place, until) not in unevaluated,
                )

        async with asyncio.TaskGroup() as group:
            for place, trial in enumerate(self.trials):
                group.create_task(one(place, *trial))


def _extensions(trials: Iterable[TrialRow], points: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Yield what was asked of trials, as (number, steps), that makes no other trial end before its end.

    No row says of a request whether it was an extension. But a trial that is complete came as far as its call promised,
    and one that was pruned came less far, or was asked for extensions alone. One that failed is never complete.
    """
    ends: dict[int, int] = {}  # call -> the least number of steps at which a trial of it is complete
    rows = {row.number: row for row in trials}
    for row in rows.values():
        if row.state == TrialState.COMPLETE.value:
            ends[row.call] = min(row.until, ends.get(row.call, row.until))
    end = max(ends.values(), default=0)
    never = (TrialState.PRUNED.value, TrialState.FAIL.value)
    for number, until in points:
        row = rows[number]
        if (ends and until > end) or (row.state in never and row.until >= end):
            yield number, until


def _unused(config: str, occurrence: int, used: set[tuple[str, int]]) -> int:
    """Return the occurrence of a trial among all calls, each of which counts its own."""
    while (config, occurrence) in used:
        occurrence += 1
    used.add((config, occurrence))
    return occurrence


def _owner(parents: Mapping[int, tuple[int | None, int]], node: int, step: int) -> int:
    """Return the node on the way to one that a step is in."""
    parent, start = parents[node]
    while parent is not None and step <= start:
        node = parent
        parent, start = parents[node]
    return node


def _latest(rows: Iterable[StudyRow], name: str) -> StudyRow:
    known = list(rows)
    found = max((row for row in known if row.name == name), key=lambda row: row.generation, default=None)
    if found is None:
        names = sorted({row.name for row in known})
        raise UnknownStudyError(f"there is no study {name!r}; there are {names or 'none'}." + did_you_mean(name, names))
    return found


def _first_runs(rows: Iterable[StepRow]) -> list[StepRow]:
    """Return the run of each step that is the fact: the first one that is no check, which may have come before it."""
    first: dict[tuple[int, int], StepRow] = {}
    for row in rows:
        known = first.get((row.node, row.step))
        if row.cause != Cause.CHECK.value and (known is None or row.attempt < known.attempt):
            first[row.node, row.step] = row
    return list(first.values())


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
