"""What engines say, turned into facts of plans, and what follows from it for those who wait.

It decides nothing about work to be given out, and refuses to know schedulers and tuners.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence

from hippo.clock import Clock
from hippo.errors import (
    CheckpointError,
    EngineError,
    EnvironmentChangedError,
    StudyDeletedError,
    TrainerError,
)
from hippo.events import (
    AssignmentDone,
    CheckpointFailed,
    CheckpointUnusable,
    CheckpointWritten,
    EngineFailed,
    Evaluated,
    LaneEvent,
    SlotLeaving,
    SlotLost,
    SlotOpened,
    StatesResident,
    StepDone,
    StepsDone,
    TrainerUnusable,
)
from hippo.plan import CheckpointLoss, LeaseEnd
from hippo.records import Assignment, LeaseId, Point, SlotId
from hippo.runtime.asking.instructions import (
    Elapsed,
    Fail,
    Input,
    Instruction,
    LookForDeleted,
    NoLook,
    NotBegun,
    RemoveFiles,
    RemovePart,
    RoomFound,
    Say,
    Send,
    StudyDeleted,
    Unlock,
    Warn,
)
from hippo.runtime.asking.participants import Participant, announcers_on
from hippo.runtime.asking.turn_notes import TurnNotes
from hippo.runtime.placing.eligibility import Eligibility
from hippo.runtime.placing.slots import SlotTable
from hippo.runtime.placing.under_way import WorkUnderWay
from hippo.runtime.plans.facts import absorb
from hippo.runtime.plans.leases import RunningLease, stop
from hippo.runtime.plans.needs import Needs
from hippo.runtime.plans.opening import OpenPlans
from hippo.runtime.plans.outcomes import Outcome
from hippo.runtime.plans.plan_run import PlanRun, prefix_of
from hippo.runtime.studies.announcer import announce_step
from hippo.runtime.studies.settings import NondeterminismPolicy
from hippo.runtime.turns.budget import CheckpointBudget
from hippo.runtime.turns.step_runs import absorb_steps, join_steps
from hippo.runtime.turns.writes import Writes

#: how often the store is asked whether a user deleted a study that runs
_LOOK_FOR_DELETED_S = 1.0
#: words of lanes that are nearly all there is
_USUAL = (StepDone, Evaluated, CheckpointWritten)
_is_heard = operator.attrgetter("study.announcer.is_heard")


class Intake:
    """Takes in what happened.

    Args:
      plans, work, writes: what it changes.
      participants: those who wait; others add to the list and take from it.
      notes: for the coordinator.
      clock: of the engine.
      eligibility: which slots its plans may use.
    """

    def __init__(
        self,
        plans: OpenPlans,
        work: WorkUnderWay,
        writes: Writes,
        participants: list[Participant],
        notes: TurnNotes,
        clock: Clock,
        eligibility: Eligibility,
    ) -> None:
        self._plans = plans
        self._work = work
        self._writes = writes
        self._participants = participants
        self._notes = notes
        self._clock = clock
        self._eligibility = eligibility
        #: workloads whose trainers the engine knows
        self.opened: set[str] = set()
        #: whether any study has observers, as of this batch
        self._is_heard = False
        #: what went wrong, as it was told
        self._told: set[str] = set()
        self._looked_for_deleted = clock.elapsed()
        self.budget = CheckpointBudget(participants)

    def take(self, inputs: Sequence[Input], out: list[Instruction]) -> None:
        """Take in a batch: facts first, then what they come to for calls and waits; add what is to be done to `out`."""
        outcomes: dict[int, tuple[PlanRun, Outcome]] = {}
        now = self._clock.elapsed()
        self._is_heard = any(map(_is_heard, self._participants))
        for lease in dict.fromkeys([one.lease for one in inputs if isinstance(one, LaneEvent)]):
            self._work.heard(lease, now)
        for one in join_steps(inputs):
            if self._work.starts is not None and isinstance(one, StepDone | StepsDone):
                seconds = one.seconds if isinstance(one, StepDone) else sum(one.seconds)
                self._work.starts.note_steps(one.lease, now, seconds)
            self._try_absorb(one, outcomes, out)
        for run, outcome in outcomes.values():
            try:
                for request in outcome.answerable:
                    request.book.become_answerable(request)
                for message in outcome.warnings:
                    out.append(Warn(message, announcers_on(run, self._participants)))
                out += map(Say, outcome.news)
                for alarm in outcome.alarms:
                    self._alarm(run, alarm, out)
                for error in outcome.errors[:1]:
                    self.fail_on(run, error, out)
                for ref in outcome.written:  # last, since it may have the store read, which may fail
                    out += self.budget.note_written(run.store, ref)
            except Exception as broken:  # other plans go on, and this one is given up
                self.fail_on(run, broken, out)
        for run, _ in outcomes.values():
            if not run.is_used:  # its last work may have ended, after the last call that used it
                out += self.let_go(run)
        if now - self._looked_for_deleted >= _LOOK_FOR_DELETED_S:
            self._look_for_deleted(now, out)

    def _try_absorb(self, event: Input, outcomes: dict[int, tuple[PlanRun, Outcome]], out: list[Instruction]) -> None:
        try:
            if isinstance(event, _USUAL):  # nearly all there is
                self._absorb_word(event, outcomes, out)
            else:
                self._absorb(event, outcomes, out)
        except Exception as broken:  # of a store that cannot be read, say: what else happened has happened
            run = self._work.run_of(event.lease) if isinstance(event, LaneEvent) else None
            self.fail(broken, self._participants if run is None else self._waiting_on(run), out)

    def _absorb(self, event: Input, outcomes: dict[int, tuple[PlanRun, Outcome]], out: list[Instruction]) -> None:
        match event:
            case StepsDone():
                if not self._absorb_steps(event, outcomes):
                    for one in event.one_by_one():
                        self._try_absorb(one, outcomes, out)
            case SlotOpened(slot=slot, environment=environment, node=node, devices=devices):
                self._work.slots.open(slot, environment, node=node, devices=devices)
                self._look_at_slots(out)
            case SlotLeaving(slot=slot):
                if (running := self._work.running_lease(self._work.slots.retire(slot))) is not None:
                    out.append(Send(stop(running)))
            case SlotLost(slot=slot, reason=reason, announced=announced):
                lost = self._work.slots.lose(slot)
                for run in self._plans.known():
                    run.plan.residents.lose_slot(slot)
                    if run.is_used:
                        self._say(self._eligibility.miss(run), out)
                if lost is not None:
                    if (was_on := self._work.run_of(lost)) is not None:
                        out.append(RemovePart(prefix_of(was_on, lost)))
                    outcome = self._end_lease(lost, LeaseEnd.LOST, outcomes, reason, is_blamed=not announced)
                    left = "a worker left before its lanes had ended" if announced else "a worker was lost"
                    outcome.warnings.append(f"{left} ({reason}); its stages run again")
            case AssignmentDone(lease=lease, slot=slot) | NotBegun(assignment=Assignment(lease=lease, slot=slot)):
                self._end_lease(lease, LeaseEnd.DONE, outcomes)
                self._work.fall_silent(lease)
                self._work.slots.release(slot, lease)
            case StatesResident():
                self.note_states(event)
                self._warn_of_no_room(event, out)
            case EngineFailed(reason=reason):
                self.opened.clear()
                for slot in self._work.slots.ids():
                    self._absorb(SlotLost(slot=slot, reason="the engine failed"), outcomes, out)
                self.fail(EngineError(reason), self._participants, out)
            case TrainerUnusable(workload=workload, reason=reason):
                self.opened.discard(workload)
                unusable = [run for run in self._plans if run.spec.workload == workload]
                self.fail(TrainerError(reason), self._waiting_on(*unusable), out)
            case CheckpointFailed(lease=lease) if self._work.running_lease(lease) is None:
                pass  # a late word of a slot that was lost: what it had not written is trained again
            case CheckpointFailed(is_waiting=True, lease=lease, reason=reason):
                self._say(self._work.shortage.begin(lease, reason), out)
            case CheckpointFailed(lease=lease, reason=reason):
                # what is in memory only would be trained again and again
                self.fail_on(self._work.run_of(lease), CheckpointError(reason), out)
            case StudyDeleted(store=store, study=study):
                self._end_deleted(store, study, out)
            case RoomFound():
                self._make_room(event, out)
            case NoLook(store=store, error=error):
                self.budget.note_no_look(store)
                self.fail(error, [p for p in self._participants if p.study.store.uuid == store], out)
            case Elapsed():
                for waiting, error in self._eligibility.overdue():
                    self.fail_on(waiting, error, out)
            case _:
                self._absorb_word(event, outcomes, out)

    def let_go(self, run: PlanRun) -> list[Instruction]:
        """Return what is to be done when the last that used a plan has ended."""
        return [Unlock(run, self._writes.after(run.store)), *self.budget.look_again(run.store)]

    def note_states(self, event: StatesResident) -> None:
        """Note which states are in memory.

        Of a slot that is lost, a late word must not have chains wait for it; nor must what a plan thought of it when it
        was used last, so plans that are not in use hear of it, too.
        """
        if event.slot in self._work.slots:
            self._work.slots.note_states(event)
            for run in self._plans.known():
                run.note_residents(event)

    def _absorb_word(
        self, event: LaneEvent, outcomes: dict[int, tuple[PlanRun, Outcome]], out: list[Instruction]
    ) -> None:
        """Turn what a worker says of its lane into facts."""
        if isinstance(event, CheckpointWritten):
            self._say(self._work.shortage.end(event.lease), out)
        run = self._work.run_of(event.lease)
        running = None if run is None else run.running.get(event.lease)
        if run is None or (running is None and not run.is_used):
            return  # a late word; and if we no longer hold the plan's lock, another process may write to it
        outcome = _outcome_of(run, outcomes)
        if isinstance(event, CheckpointUnusable) and running is not None and (event.is_expected or not event.key):
            # It may well be in the memory of that slot, and is of no use there: the next lane must not be sent to it.
            dropped = (Point(event.node, event.step),)
            slot = running.assignment.slot
            self.note_states(StatesResident(slot=slot, workload=run.key, dropped=dropped))
        if running is not None and isinstance(event, StepDone) and _tells_speed(running, self._work.slots):
            slot = running.assignment.slot
            if self._work.slots.speeds.wants(slot, event.step):
                self._note_speeds(run, event, slot)
        absorb(run, event, outcome)
        if self._is_heard:
            announce_step(run, event)

    def _absorb_steps(self, event: StepsDone, outcomes: dict[int, tuple[PlanRun, Outcome]]) -> bool:
        """Turn a run of steps into facts; return False, and change nothing, if its steps are to be taken one by one."""
        run = self._work.run_of(event.lease)
        if run is None or not run.is_used:
            return True  # a late word, as in `_absorb_word`
        _outcome_of(run, outcomes)
        if not absorb_steps(run, event):
            return False
        running = run.running[event.lease]
        if _tells_speed(running, self._work.slots):
            self._note_speeds(run, event, running.assignment.slot)
        if self._is_heard:
            for one in event.one_by_one():  # so that trials that share them hear of them in turn
                announce_step(run, one)
        return True

    def _note_speeds(self, run: PlanRun, event: StepDone | StepsDone, slot: SlotId) -> None:
        if slot not in self._work.slots:
            return
        speeds, node = self._work.slots.speeds, run.plan.nodes[event.node]
        shape = run.remaining.costs.kind_of(node.id, node.pieces, node.start)
        kind = (run.spec.workload, shape, event.lanes)
        if isinstance(event, StepDone):
            speeds.note(slot, kind, event.seconds)
            return
        for step, seconds in enumerate(event.seconds, start=event.first):
            if speeds.wants(slot, step):
                speeds.note(slot, kind, seconds)

    def _make_room(self, found: RoomFound, out: list[Instruction]) -> None:
        """Forget the states that are to go, as far as no work needs them now, and have their files removed."""
        needs = {id(one.run): Needs(one.run) for one in found.leaving if one.run.is_used}
        left = [one for one in found.leaving if id(one.run) in needs and one.point not in needs[id(one.run)]]
        for one in left:
            node = one.run.plan.nodes[one.point.node]
            one.run.plan.facts.forget_checkpoint(node, one.point.step, one.file.key, CheckpointLoss.EVICTED)
        if left:
            keys = tuple(one.file.key for one in left)
            out.append(RemoveFiles(keys, self._writes.after(left[0].run.store)))
        out += self.budget.note_room(found, left)
        for run in {id(one.run): one.run for one in found.leaving if not one.run.is_used}.values():
            out += self.budget.look_again(run.store)  # the last that used it has ended since: now it is as any other

    def _end_lease(
        self,
        lease: LeaseId,
        how: LeaseEnd,
        outcomes: dict[int, tuple[PlanRun, Outcome]],
        reason: str = "",
        *,
        is_blamed: bool = True,
    ) -> Outcome:
        self._work.end(lease)
        run = self._work.run_of(lease)
        if run is None:
            return Outcome()  # it ended before
        outcome = _outcome_of(run, outcomes)
        run.end_lease(lease, how, outcome, reason, is_blamed=is_blamed)
        return outcome

    # --- what goes wrong

    def fail(self, error: Exception, concerned: Sequence[Participant], out: list[Instruction]) -> None:
        """End calls with an error; their tuners run to their ends before work is given out."""
        out += [Fail(participant, error) for participant in concerned]
        if not concerned and str(error) not in self._told:  # once: what fails in every turn must not keep us busy
            out.append(Warn(f"when the calls that it concerns had ended, this went wrong: {error}"))
        self._told.add(str(error))
        self._notes.tuners_are_ending |= bool(concerned)

    def fail_on(self, run: PlanRun | None, error: Exception, out: list[Instruction]) -> None:
        """Have an error end those who use a plan."""
        self.fail(error, self._waiting_on(run), out)

    def _waiting_on(self, *runs: PlanRun | None) -> list[Participant]:
        return [p for p in self._participants if any(run in p.runs for run in runs)]

    def _alarm(self, run: PlanRun, alarm: Exception, out: list[Instruction]) -> None:
        concerned = self._waiting_on(run)
        if not concerned:
            self.fail(alarm, concerned, out)
        for participant in concerned:
            settings = participant.study.settings
            if settings.nondeterminism is NondeterminismPolicy.WARN or not settings.sharing:
                out.append(Warn(str(alarm), (participant.study.announcer,)))
            else:
                self.fail(alarm, [participant], out)

    def _look_at_slots(self, out: list[Instruction]) -> None:
        """Have plans compare the environments of slots with theirs."""
        for run in self._plans:
            if run.is_used:
                try:
                    self._say(self._eligibility.meet(run), out)
                except EnvironmentChangedError as error:
                    self.fail_on(run, error, out)

    def _look_for_deleted(self, now: float, out: list[Instruction]) -> None:
        self._looked_for_deleted = now
        studies = {id(participant.study): participant.study for participant in self._participants}.values()
        out += [LookForDeleted(study.store, study.row) for study in studies]

    def _end_deleted(self, store: str, number: int, out: list[Instruction]) -> None:
        """End the calls of a study that its user deleted; other studies go on."""
        for participant in self._participants:
            study = participant.study
            if (study.store.uuid, study.row.study) == (store, number):
                error = StudyDeletedError(
                    f"study {study.row.name!r} was deleted while it ran. What was trained stays in the search plan: a "
                    "study made again with the same trainer goes on from there."
                )
                self.fail(error, [participant], out)

    def _warn_of_no_room(self, event: StatesResident, out: list[Instruction]) -> None:
        """Warn, once for each plan, of a state that came into memory and found no room there, and is in no file."""
        unheld = set(event.added).intersection(event.dropped)
        for run in self._plans if unheld else ():
            if run.key == event.workload and run.holds_only(event.slot, unheld) and run.is_news("no room"):
                out.append(
                    Warn(
                        f"a transient state found no room in the memory of {event.slot}: it is larger than the "
                        "engine's resident_bytes=, or states that are pinned fill that. Whoever goes on from it has "
                        "its steps run again. Give the engine more resident_bytes=, pin fewer states, or ask without "
                        "is_transient=True.",
                        announcers_on(run, self._participants),
                    )
                )

    @staticmethod
    def _say(message: str | None, out: list[Instruction]) -> None:
        if message is not None:
            out.append(Say(message))


def _outcome_of(run: PlanRun, outcomes: dict[int, tuple[PlanRun, Outcome]]) -> Outcome:
    """Return what a batch has come to for a plan so far; made at its first word."""
    known = outcomes.get(id(run))
    if known is None:
        known = outcomes[id(run)] = (run, Outcome())
    return known[1]


def _tells_speed(running: RunningLease, slots: SlotTable) -> bool:
    """Whether steps of a lease say how fast its slot is beside others: not where several take them together."""
    return not running.assignment.peers and len(slots) > 1
