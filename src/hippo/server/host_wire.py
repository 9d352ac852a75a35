"""What a service and the hosts that joined it say to each other.

A host is told what to do as pickles: it trusts the service, which names the code that it runs. The service trusts hosts
with results and with nothing else: what they say is JSON, read field by field into values that are known by name, and
what is not theirs to say is refused. This module refuses to know HTTP.
"""

from __future__ import annotations

import base64
import json
import math
import pickle
import re
import sys
from collections import deque
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, get_args

from pydantic import TypeAdapter, ValidationError

from hippo.checkpoints.store import check_key
from hippo.engines.host_events import EventBatch
from hippo.errors import CheckpointError, RefusedError
from hippo.events import (
    AssignmentDone,
    BoundaryAnswered,
    CheckpointWritten,
    EngineEvent,
    ExactnessChecked,
    StageFailed,
    StepDone,
    StepsDone,
)
from hippo.records import Assignment, Lane, LeaseId, NodeId, SlotId
from hippo.server.wire import check_text
from hippo.tuners.budgets import MOST_STEPS

#: methods of a host that a service calls, with "begin" and "kill" for the host itself
METHODS = frozenset({"hello", "open_workload", "submit", "send", "lose", "poll", "close"})

_EVENTS: dict[str, TypeAdapter[Any]] = {kind.__name__: TypeAdapter(kind) for kind in get_args(EngineEvent)}
_TEXTS = TypeAdapter(dict[str, str])
#: fields of events that hold metrics, which databases keep as text: a whole number among them is as large as floats are
_METRICS = frozenset({"metrics", "training"})


def call_to_json(number: int, method: str, arguments: tuple[Any, ...]) -> str:
    """Return a call of a method of a host."""
    body = base64.b85encode(pickle.dumps(arguments, protocol=pickle.HIGHEST_PROTOCOL)).decode()
    return json.dumps({"call": number, "method": method, "arguments": body})


def arguments_from_json(text: str) -> tuple[Any, ...]:
    """Return the arguments of a call, as `call_to_json` wrote them: only for a host, which trusts its service."""
    arguments: tuple[Any, ...] = pickle.loads(base64.b85decode(text))
    return arguments


def result_to_json(result: object) -> Any:
    """Return what a method of a host returned: an `EventBatch`, text by name, or nothing."""
    if not isinstance(result, EventBatch):
        return result
    return {
        "first": result.first,
        "events": [_event_to_json(event) for event in result.events],
        "places": dict(result.places),
        "is_last": result.is_last,
    }


def _event_to_json(event: EngineEvent) -> list[Any]:
    kind = type(event).__name__
    return [kind, _EVENTS[kind].dump_python(event, mode="json")]


def texts_from_json(data: Any) -> dict[str, str] | None:
    """Return a mapping of text to text, such as an environment; None where it is none."""
    try:
        return _TEXTS.validate_python(data, strict=True)
    except ValidationError:
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class LeaseWork:
    """What a host may tell of under one lease."""

    #: what the keys of its states begin with: a key of other states would have these removed in the place of its own
    prefix: str
    #: of each lane, by node: the ends of steps that it walks there
    walked: tuple[Mapping[NodeId, range], ...]
    #: the same, and where it begins
    steps: tuple[Mapping[NodeId, range], ...]


def work_of(assignment: Assignment) -> LeaseWork:
    """Return what whoever carries out an assignment may tell of."""
    walked = tuple(_ranges((each.node, each.start + 1, each.stop) for each in lane.stages) for lane in assignment.lanes)
    return LeaseWork(prefix=assignment.prefix, walked=walked, steps=tuple(map(_steps_of, assignment.lanes)))


def _steps_of(lane: Lane) -> Mapping[NodeId, range]:
    begins = [(start.node, start.step, start.step) for start in (lane.begin, lane.look) if start is not None]
    return _ranges([*begins, *((stage.node, stage.start, stage.stop) for stage in lane.stages)])


def _ranges(spans: Iterable[tuple[NodeId, int, int]]) -> Mapping[NodeId, range]:
    """Return each node -> what all of its spans, whose first and last are given, lie in."""
    ranges: dict[NodeId, range] = {}
    for node, first, last in spans:
        known = ranges.get(node, range(first, last + 1))
        ranges[node] = range(min(known.start, first), max(known.stop, last + 1))
    return ranges


class HostReader:
    """Reads what one host says.

    Args:
      name: of the host, with which the names of its slots begin.
    """

    def __init__(self, name: str) -> None:
        self._own = f"{name}/"
        #: leases that it was given, and has not told the end of: of others it has nothing to tell
        self.leases: dict[LeaseId, LeaseWork] = {}
        #: workloads that it was told how to train, and whose states it holds (`Assignment.states_of`)
        self.workloads: set[str] = set()
        #: (number of the event, lease) of ends that it told, and may tell again
        self._ended: deque[tuple[int, LeaseId]] = deque()

    def read(self, method: str, data: Any) -> Any:
        """Return what a method returned, from what `result_to_json` made of it.

        Raises:
          RefusedError: it is none, or tells of slots, leases or states of others.
        """
        try:
            if method == "hello":
                return self._greeting(data)
            if method == "poll":
                return self._batch(data)
        except (ValidationError, LookupError, TypeError, ValueError) as error:
            if isinstance(error, RefusedError):
                raise
            raise RefusedError(f"a host answered {method!r} with what is no answer: {str(error)[:300]}") from None
        return None

    def _greeting(self, data: Any) -> dict[str, str]:
        greeting = _TEXTS.validate_python(data, strict=True)
        if not (greeting.keys() >= {"node", "pid"} and ("problem" in greeting or self._is_probe(greeting["answer"]))):
            raise RefusedError("a host that greets says node and pid, and which file it wrote, or a problem")
        return greeting

    def _is_probe(self, key: str) -> bool:
        """Whether a file can be one that the host wrote to be found: it is removed then."""
        return re.fullmatch(f"probe-[0-9a-f]+-{re.escape(self._own[:-1])}", key) is not None

    def _batch(self, data: Any) -> EventBatch:
        if type(data["first"]) is not int or type(data["is_last"]) is not bool or not isinstance(data["events"], list):
            raise RefusedError("a host's batch of events says first (a number), is_last (true or false) and events")
        while self._ended and self._ended[0][0] < data["first"]:
            self.leases.pop(self._ended.popleft()[1], None)
        _check_taken(data["events"])
        events = tuple(_EVENTS[kind].validate_python(fields) for kind, fields in data["events"])
        places = _TEXTS.validate_python(data["places"], strict=True)
        self._check_slots([*places, *(event.slot for event in events if hasattr(event, "slot"))])
        if foreign := {event.lease for event in events if hasattr(event, "lease")} - self.leases.keys():
            raise RefusedError(f"a host told of lease {min(foreign)}, which it was not given")
        if unknown := {event.workload for event in events if hasattr(event, "workload")} - self.workloads:
            raise RefusedError(f"a host told of workload {min(unknown)[:100]!r}, which it was not given")
        for event in events:
            if hasattr(event, "lane"):
                _check_points(event, self.leases[event.lease])
            if hasattr(event, "seconds"):
                _check_seconds(event.seconds)
            if isinstance(event, CheckpointWritten):
                self._check_key(event.checkpoint.key, self.leases[event.lease].prefix)
        ends = (pair for pair in enumerate(events, data["first"]) if isinstance(pair[1], AssignmentDone))
        self._ended.extend((number, event.lease) for number, event in ends)
        return EventBatch(
            first=data["first"],
            events=events,
            places={SlotId(slot): place for slot, place in places.items()},
            is_last=data["is_last"],
        )

    def _check_key(self, key: str, prefix: str) -> None:
        try:
            check_key(key)
        except CheckpointError as error:
            raise RefusedError(f"a host told of a state: {error}") from None
        if not key.startswith(f"{prefix}-"):
            raise RefusedError(f"a host told of a state {key[:100]!r}, which is none of its lease, {prefix!r}")

    def _check_slots(self, slots: Collection[str]) -> None:
        for slot in slots:
            if not slot.startswith(self._own):
                raise RefusedError(f"a host told of slot {slot[:100]!r}, which is none of its own")


def _check_taken(data: Any, most: float = MOST_STEPS) -> None:
    """Refuse numbers and texts that some database does not take, anywhere in what a host tells."""
    match data:
        case str():
            check_text("what a host told", data)
        case int() if abs(data) > most:
            raise RefusedError(f"a host told of the number {str(data)[:40]}, which no database takes")
        case list():
            for each in data:
                _check_taken(each, most)
        case dict():
            for name, each in data.items():
                _check_taken(name)
                _check_taken(each, sys.float_info.max if name in _METRICS else most)


def _check_seconds(told: Any) -> None:
    for seconds in told if isinstance(told, tuple) else (told,):
        if seconds is not None and not 0.0 <= seconds < math.inf:
            raise RefusedError(f"a host told of {seconds!r} seconds")


def _check_points(event: Any, work: LeaseWork) -> None:
    """Refuse an event of a lane, or of steps there, that were not given: nobody else would look before it counts."""
    if not 0 <= event.lane < len(work.steps):
        raise RefusedError(f"a host told of lane {event.lane} of a lease, which has {len(work.steps)}")
    lanes, told = [work.steps[event.lane]], list[tuple[NodeId, int]]()
    beyond = 0
    match event:
        case StepsDone():
            if not len(event.training) == len(event.seconds) == event.last - event.first + 1 > 0:
                raise RefusedError(f"a host told of steps {event.first} to {event.last} as {len(event.training)}")
            lanes, told = [work.walked[event.lane]], [(event.node, event.first), (event.node, event.last)]
        case StepDone():
            lanes, told = [work.walked[event.lane]], [(event.node, event.step)]
        case StageFailed():  # perhaps before its first step, or as it was looked beyond its last one
            told, beyond = [(event.failure.node, event.failure.step)], 1
        case ExactnessChecked():
            told, beyond = list(event.steps), 1
        case BoundaryAnswered():  # where no lane comes by, the first one answers
            lanes, told = list(work.steps), [(event.node, event.step)]
        case _ if hasattr(event, "node"):
            told = [(event.node, event.step)]
    for node, step in told:
        if not any(_is_on(steps, node, step, beyond) for steps in lanes):
            raise RefusedError(f"a host told of step {step} of node {node}, which its lane does not walk")


def _is_on(steps: Mapping[NodeId, range], node: NodeId, step: int, beyond: int) -> bool:
    found = steps.get(node)
    return found is not None and (step in found or (beyond > 0 and 0 <= step <= found.stop + beyond))
