"""Whether a recorded trial comes to the same bits again: `study.reproduce(trial)`, which writes nothing.

The trial is trained alone from its beginning, in a fresh process, and each step is compared with what the plan knows of
it: metrics, what `train` returned, the hash of the state. Who recorded it, in which pieces, and beside which other
trials, must not matter.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from hippo.checkpoints import AbstractCheckpointStore
from hippo.engines.check_orders import CheckSetup, EnvironmentOrder
from hippo.engines.check_processes import CheckProcesses
from hippo.errors import OptionError, TrainerError, listed
from hippo.plan import Among, FusionFacts, PlanRow, StateRow, StepKind, StepRow
from hippo.records import ASYNC, ELASTIC, CheckpointRef, Failure, TrainerSpec, TrialState
from hippo.runtime import changed_fields
from hippo.study.opened import Opened
from hippo.study.results.trial_paths import TrialPath
from hippo.study.results.trials import Trial
from hippo.training import ship
from hippo.training.retraining import RecordedStep, RetrainOrder, RetrainReport, StepsParted
from hippo.training.walking.walker import Pieces

_MOST_PATHS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Reproduction:
    """What came of training a recorded trial once more, alone."""

    study: str
    trial: int
    #: the member of the study that it is of, such as "seed 3"; empty for the only one
    member: str
    #: steps recorded, and how many of them were trained until something differed
    steps: int
    steps_trained: int
    #: evaluations and states that were compared
    evaluations: int
    states: int
    #: where it first differs; None: nowhere
    parted: StepsParted | None
    #: what the trainer raised, where it had not
    failure: Failure | None
    #: name -> (recorded, here) of what decides about bits and is not the same
    environment: Mapping[str, tuple[str | None, str | None]]
    #: how it was recorded, where other bits come of that alone
    causes: tuple[str, ...]
    #: what could not be compared, and why
    notes: tuple[str, ...]
    seconds: float

    @property
    def is_equal(self) -> bool:
        """Whether all that is recorded came out again, bit for bit."""
        return self.parted is None and self.failure is None

    def __str__(self) -> str:
        of = f", {self.member}" if self.member else ""
        head = f"trial {self.trial} of {self.study!r}{of}: {'reproduced' if self.is_equal else 'NOT reproduced'}"
        lines = [f"{head} ({self.steps_trained} of {self.steps} steps trained alone in {self.seconds:.3g} s)"]
        lines.append(f"  compared  {self.evaluations} evaluations, {self.states} states, and what train() returned")
        if self.failure is not None:
            error = " ".join(self.failure.error.split())
            lines.append(f"  raised    {self.failure.method}() in step {self.failure.step}: {error}")
        if self.parted is not None:
            lines += _described(self.parted)
        lines += [f"  here      {name} was {was!r}, and is {now!r}" for name, (was, now) in self.environment.items()]
        if self.parted is not None and not self.environment and not self.causes:
            lines.append(
                "  The environment is the recorded one. `hippo check` tells whether the trainer depends on something "
                "that is not in its state."
            )
        return "\n".join([*lines, *(f"note: {note}" for note in (*self.causes, *self.notes))])


def _described(parted: StepsParted) -> list[str]:
    lines = [f"  differs   after step {parted.step}, for the first time:"]
    for method, unequal in (("train", parted.training), ("evaluate", parted.metrics)):
        lines += [
            f"              {method}() {name!r} was {was!r}, and is {now!r}" for name, (was, now) in unequal.items()
        ]
    if parted.paths:
        later = f"after step {parted.compared_at} " if parted.compared_at != parted.step else ""
        lines.append(f"              {later}{listed(parted.paths, _MOST_PATHS)}")
    elif parted.paths is not None:
        lines.append(
            f"              the state after step {parted.compared_at} is the same; only what is measured of it is not"
        )
    else:
        state = "the state is another one; " if parted.is_state else ""
        lines.append(f"              {state}which part of the state cannot be said: {parted.reason}")
    return lines


def reproduce(
    opened: Opened,
    trial: Trial,
    *,
    checkpoints: str | AbstractCheckpointStore,
    pieces_of: Any,
    states_of: Any,
    trainer: type | None = None,
) -> Reproduction:
    """Train a trial again and compare it with its record; see `Study.reproduce`.

    Args:
      opened: its study.
      trial: of one member.
      checkpoints: where its states are.
      pieces_of: member, nodes -> node -> pieces in force.
      states_of: member, nodes -> node -> step -> where its state is.
      trainer: to be sent to the process by value, where the process must not import it.
    """
    _require_answers(trial)
    path = trial._path
    assert isinstance(path, TrialPath), "it is of one member"
    spans = path.facts.spans(path.row.node, trial.step)
    nodes = [node for node, _, _ in spans]
    pieces = pieces_of(trial.member, nodes)
    kept: Mapping[int, Mapping[int, CheckpointRef]] = states_of(trial.member, nodes)
    plan = opened.store.rows(PlanRow, plan=opened.plans[trial.member])[0]
    order = RetrainOrder(
        pieces=_in_force(spans, pieces),
        recorded=_recorded(opened, trial, spans, kept),
        checkpoints=checkpoints if isinstance(checkpoints, str) else "",
    )
    recorded_environment: dict[str, str] = json.loads(plan.environment or "{}")
    threads = int(recorded_environment.get("threads", "1"))
    hash_seed = recorded_environment.get("hash_seed", "0")
    spec = _spec(opened, trial, trainer)
    setup = CheckSetup(spec=spec, threads=threads, parallel=1)
    processes = CheckProcesses(setup, hash_seed=int(hash_seed) if hash_seed.isdigit() else 0)
    try:
        here, report = processes.run([EnvironmentOrder(threads), order])
    finally:
        processes.close()
    if not isinstance(report, RetrainReport):
        raise TrainerError(f"trial {trial.number} cannot be trained here: {report}")
    return Reproduction(
        study=opened.row.name,
        trial=trial.number,
        member=trial.member,
        steps=trial.step,
        steps_trained=report.steps,
        evaluations=report.evaluations,
        states=report.states,
        parted=report.parted,
        failure=report.failure,
        environment=changed_fields(recorded_environment, here) if recorded_environment else {},
        causes=tuple(_causes(opened, trial, spans, plan, spec.numerics)),
        notes=_notes(trial, order, hash_seed, report.unusable),
        seconds=report.seconds,
    )


def _require_answers(trial: Trial) -> None:
    if trial.state is TrialState.FAIL:
        raise OptionError(
            f"trial {trial.number} failed, and has no result to be reproduced: {trial.error or 'it was lost'}"
        )
    if not trial.step or not trial.history:
        raise OptionError(f"trial {trial.number} has no metrics yet, so that there is nothing to compare with")


def _spec(opened: Opened, trial: Trial, trainer: type | None) -> TrainerSpec:
    try:
        spec = opened.trainer().specs[trial.member]
    except TrainerError as error:
        raise TrainerError(
            f"trial {trial.number} cannot be reproduced: {str(error).rstrip('.')}. A trial is reproduced by the code "
            "that it was trained by: check that out"
        ) from None
    if trainer is None:
        return spec
    sent = ship(
        trainer,
        json.loads(spec.arguments),
        seed=spec.seed,
        evaluate_every=spec.evaluate_every,
        workload_key=spec.workload,
        numerics=spec.numerics,
        by_value=True,
    )
    return replace(sent, code=spec.code, scale=spec.scale, floats=spec.floats)


def _in_force(spans: list[tuple[int, int, int]], pieces: Mapping[int, Pieces]) -> tuple[Pieces, ...]:
    return tuple(pieces[node] for node, start, stop in spans for _ in range(start, stop))


def _recorded(
    opened: Opened, trial: Trial, spans: list[tuple[int, int, int]], kept: Mapping[int, Mapping[int, CheckpointRef]]
) -> list[RecordedStep]:
    """Return what the plan knows of each step of a trial."""
    nodes = [node for node, _, _ in spans]
    with opened.store.reading() as rows:
        found = rows.columns(
            StateRow, ("node", "step", "state_hash"), plan=opened.plans[trial.member], node=Among(nodes)
        )
    hashes = {(node, step): state_hash for node, step, state_hash in found}
    trained, evaluated = dict(trial.train_metrics), trial.history
    return [
        RecordedStep(
            step=step,
            training=trained.get(step),
            metrics=evaluated.get(step),
            state_hash=hashes.get((node, step), ""),
            checkpoint=kept.get(node, {}).get(step),
        )
        for node, start, stop in spans
        for step in range(start + 1, stop + 1)
    ]


def _notes(trial: Trial, order: RetrainOrder, hash_seed: str, unusable: str) -> tuple[str, ...]:
    notes = []
    if not order.recorded[-1].state_hash:
        notes.append(
            f"the state after {trial.step} steps was neither kept nor hashed, and could not be compared; metrics were"
        )
    elif not order.checkpoints.startswith("memory:") and order.checkpoints and not _is_folder(order.checkpoints):
        notes.append(
            f"there are no checkpoints in {order.checkpoints!r}: states were compared by their recorded hashes alone"
        )
    elif unusable:
        notes.append(
            f"the file of the state after {trial.step} steps, which came out again, cannot be used: {unusable} Whoever "
            "goes on from it trains up to there again"
        )
    if not hash_seed.isdigit():
        notes.append(
            "it was recorded in a process with a random PYTHONHASHSEED: what depends on the order of a set of strings "
            "differs by that alone"
        )
    return tuple(notes)


def _causes(
    opened: Opened, trial: Trial, spans: list[tuple[int, int, int]], plan: PlanRow, numerics: str
) -> Iterator[str]:
    """Yield why a trial that is trained alone may come to other bits than were recorded."""
    if numerics == ASYNC:
        yield (
            "it was recorded with numerics='async': processes exchanged parameters in no fixed order, so that no two "
            "runs come to the same bits"
        )
    ranks = sorted(_ranks_of(opened, trial, spans)) if numerics == ELASTIC else [1]
    if ranks[-1] > 1:
        yield (
            f"its trainer was divided among {', '.join(map(str, ranks))} ranks (numerics='elastic'), and is trained by "
            "one process here: last bits differ by that, and what follows from them"
        )
    if any(verdict.is_fused for verdict in FusionFacts.from_text(plan.fusion).verdicts.values()):
        yield (
            "it was recorded by a program that walked several trials as one, and is trained alone here: last bits "
            "differ by that, and what follows from them"
        )


def _ranks_of(opened: Opened, trial: Trial, spans: list[tuple[int, int, int]]) -> set[int]:
    """Return among how many processes the trainer was divided, in some step of the trial."""
    stops = {node: (start, stop) for node, start, stop in spans}
    with opened.store.reading() as rows:
        found = rows.columns(
            StepRow, ("node", "step", "cause"), plan=opened.plans[trial.member], node=Among(list(stops))
        )
    kinds = {cause for node, step, cause in found if stops[node][0] < step <= stops[node][1]}
    return {StepKind.from_text(kind).ranks for kind in kinds}


def _is_folder(place: str) -> bool:
    return "://" in place or Path(place).is_dir()
