"""What happens next: the control loop's decisions, from what came in to what is to be done, as values.

A turn is taken when all tuners are quiet. `handle` turns events into facts, decides, and returns instructions. It
chooses the first of these that there is anything to do for: streams that replay pull what they pulled before; tuners
are told the answers that are there; cancelled tuners run to their ends; work is given out; streams are offered room.
So nothing is given out while a tuner might still ask, and requests issued together are seen together.

**Durable before told** is guaranteed here by the form of what is returned, and kept by the shell. All that a turn
changes leaves it as one `Write` for each database, in front. Every instruction that rests on it names that write in
`after`, and the shell carries it out only when that write, and all before it, are durable. Who may hear earlier is
decided at one place, `Writes.for_this_process`: the tuners of this process, and workers that die with it. They forget
what they heard when the process ends, so what they made of it is lost together with what it rested on. That is why a
write that only they wait for may lag by a quarter of a second, and go into one transaction with those that follow.
What outlives the process never hears early: observers, who keep files; engines whose work goes on; the next writer
of a plan, which is why a lock is given up behind the last write; and who called, since a call ends with a write.
A tuner in another process is spoken for by a call of this one, which passes nothing on before it has it written
(`CallSource.write`).
Readers of the store in this process have it written first, by a door in the store itself (`hippo.plan.pending`).

A write that fails puts its changes back where they came from, in order, so that they go with the next one. It ends the
calls that use its database; what was to begin under it never began, and what was to be told is never told.

Everything here runs on the control loop's thread. It awaits nothing, and refuses to know stores, threads and futures.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from hippo.clock import Clock
from hippo.events import StatesResident
from hippo.plan import AbstractPlanStore
from hippo.records import Drop, SlotId
from hippo.runtime.asking.instructions import (
    Elapsed,
    Grant,
    Input,
    Instruction,
    Instructions,
    LetTunersRun,
    Lose,
    OpenWorkload,
    Say,
    Send,
    Submit,
    Tell,
    Want,
    Warn,
    Watch,
    Write,
)
from hippo.runtime.asking.participants import Delivery, Participant, announcers_on
from hippo.runtime.asking.turn_notes import TurnNotes
from hippo.runtime.placing.eligibility import Eligibility
from hippo.runtime.placing.fair_shares import next_bundles
from hippo.runtime.placing.gangs import GangChoice
from hippo.runtime.placing.slot_choice import SlotChoice
from hippo.runtime.placing.slot_demand import SlotDemand
from hippo.runtime.placing.stream_room import StreamRoom
from hippo.runtime.placing.under_way import WorkUnderWay
from hippo.runtime.plans.environments import Kind
from hippo.runtime.plans.few_trials import settle_few
from hippo.runtime.plans.opening import OpenPlans
from hippo.runtime.plans.plan_run import PlanRun
from hippo.runtime.studies.study_state import StudyState
from hippo.runtime.turns.intake import Intake
from hippo.runtime.turns.writes import Writes
from hippo.schedulers import AbstractScheduler, StageBundle


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineTraits:
    """What decisions need to know of the engine."""

    #: what it runs goes on when this process is killed
    work_outlives: bool = False
    #: time stands still while anything is decided: nothing is late, and nothing can be stuck
    is_virtual: bool = False
    #: how many lanes a slot walks at once at most; None: as many as are worth it
    max_lanes: int | None = None
    #: how many slots walk a lane together at most
    max_width: int = 1
    #: whether its slots may be of several environments
    slots_may_differ: bool = False
    #: it hears how many slots would have work
    scales: bool = False
    #: says where a slot is, for people who look for it
    describe: Callable[[SlotId], str] = str


class Coordinator:
    """Decides for all that happens on one engine.

    Args:
      plans: those at hand.
      scheduler: says what is most urgent.
      clock: of the engine.
      traits: of the engine, too.
    """

    def __init__(self, plans: OpenPlans, *, scheduler: AbstractScheduler, clock: Clock, traits: EngineTraits) -> None:
        self._plans = plans
        self._scheduler = scheduler
        self._clock = clock
        self._traits = traits
        self._writes = Writes(plans, may_lag=not traits.is_virtual)
        self.work = WorkUnderWay()
        #: what calls tell it between turns
        self.notes = TurnNotes()
        #: calls, and others who wait for something; they enter and leave between turns
        self.participants: list[Participant] = []
        #: which slots each plan may use
        self.eligibility = Eligibility(self.work.slots, clock, may_differ=traits.slots_may_differ)
        self._room = StreamRoom(plans, self.work.slots, self.participants, self.eligibility, max_lanes=traits.max_lanes)
        self._choice = SlotChoice(self.work, self.participants)
        self._gangs = GangChoice(self.work, self.participants, clock, max_width=traits.max_width)
        self._intake = Intake(plans, self.work, self._writes, self.participants, self.notes, clock, self.eligibility)
        #: of each database's states
        self.budget = self._intake.budget
        self._demand = SlotDemand(plans, self.work.slots, self.participants, self.eligibility)
        #: no work is given out while running work is waited for
        self.is_holding = False
        #: `Elapsed` is on its way
        self.is_watching = False

    # --- a turn

    def handle(self, inputs: Sequence[Input]) -> Instructions:
        """Take one turn: return what to do now, given what happened since the last one; empty if there is nothing."""
        out: list[Instruction] = []
        has_elapsed = Elapsed in map(type, inputs)
        self.is_watching &= not has_elapsed
        try:
            if inputs:
                self._intake.take(inputs, out)
            self._decide(out)
            if has_elapsed:
                self._look_for_stuck(out)
        except Exception as error:  # ours, or of a clock, a store or a scheduler that a user brought
            out += self.fail_all(error)  # and what was decided before it holds: leases are open, locks to be given up
        return self._writes.before(out, has_news=bool(inputs))

    def absorb(self, inputs: Sequence[Input]) -> Instructions:
        """Take in what happened, and give out nothing for it: everybody is about to end."""
        out: list[Instruction] = []
        self._intake.take(inputs, out)
        return self._writes.before(out, has_news=True)

    def _decide(self, out: list[Instruction]) -> None:
        if self._pull_again(out) or self._tell(out):
            return  # tuners speak before work is given out
        if self.notes.tuners_are_ending:
            self.notes.tuners_are_ending = False
            out.append(LetTunersRun())  # what they no longer want is withdrawn before work is given out
            return
        if self.notes.may_shorten:
            self.notes.may_shorten = False
            for run in self._plans:
                out += self.shorten(run)
        if self.is_holding:
            return
        offered = self._room.beside_what_waits()
        if not offered and not self._give_out(out):
            offered = self._room.for_nothing_to_do()
            if not offered and self._traits.max_width > 1:
                out += self._gangs.widened(kind for kind, _ in self.eligibility.plans_by_kind(list(self._plans)))
        out += offered

    def _pull_again(self, out: list[Instruction]) -> bool:
        """Give room to streams that pulled at this moment when their calls ran before; return whether there are any."""
        before = len(out)
        for participant in self.participants:
            if participant.pulls_again:
                participant.replay_pull()
                out.append(Grant(participant, 1))
        return len(out) > before

    def _tell(self, out: list[Instruction]) -> bool:
        """Tell tuners what can be said, and end those that are to hear no more; return whether anything is said."""
        told: list[Instruction] = []
        for participant in self.participants:
            for one in participant.deliver():
                if isinstance(one, Delivery):
                    told.append(Tell(one, self._writes.for_this_process(participant.study.store)))
                else:
                    self.notes.tuners_are_ending = True
                    out.append(one)
        out += told
        return bool(told)

    # --- what others tell between turns

    def reopen(self, workload: str) -> None:
        """Have the engine learn a workload's trainer anew: it was brought by another name, or another version."""
        self._intake.opened.discard(workload)

    def reopen_all(self) -> None:
        """Have the engine learn all trainers anew: it was closed."""
        self._intake.opened.clear()

    # --- what is written

    def write(self, *stores: AbstractPlanStore) -> Instructions:
        """Return the writes of all that was changed between turns; one for each of these databases in any case."""
        return self._writes.before((), has_news=True, of=[store.uuid for store in stores])

    def leave(self, run: PlanRun) -> Instructions:
        """Return what is to be done when the last call that used a plan has ended."""
        out: list[Instruction] = list(self.shorten(run))  # the lock goes when the last work has ended
        self._tell_slots(run, out)
        if not run.is_used:
            out += self._intake.let_go(run)
        return self._writes.before(out, has_news=True)

    def write_failed(self, writes: Sequence[Write], error: Exception) -> Instructions:
        """Take back what could not be written to a database; return what ends the calls that use it."""
        self._writes.failed(writes)
        return self.fail_all(error, writes[0].id.store)

    def fail_all(self, error: Exception, store: str | None = None) -> Instructions:
        """Return what ends all calls, or those that use one database."""
        out: list[Instruction] = []
        concerned = [p for p in self.participants if store in (None, p.study.store.uuid)]
        self._intake.fail(error, concerned, out)
        return tuple(out)

    # --- giving out work

    def _give_out(self, out: list[Instruction]) -> bool:
        """Give out work; return whether there was any to give, or anything to say about work under way."""
        before = len(out)
        plans = list(self._plans)
        for run in plans:
            self._tell_slots(run, out)
        runs = []
        for run in plans:
            if (lost := run.lost_beginning()) is not None:
                self._intake.fail_on(run, lost, out)
            elif len(run.remaining.tree):
                runs.append(run)
        out += [Send(command) for run in runs for command in run.commands()]
        self._open_workloads(runs, out)
        given = set(runs)
        for kind, those in self.eligibility.plans_by_kind(plans):
            self._give_out_to(kind, [run for run in those if run in given], out)
        was_busy = len(out) > before
        if self._traits.scales and self._demand.has_changed():
            out.append(Want(self._demand.slots))
        self._watch(out)
        return was_busy

    def _give_out_to(self, kind: Kind | None, runs: Sequence[PlanRun], out: list[Instruction]) -> None:
        """Give out work of plans that may use slots of one kind."""
        free = self.work.slots.num_free_of(kind)
        taken = self._choice.taken_slots(runs, kind) if free else []
        bundles: list[StageBundle] = []
        if free and runs:
            bundles = next_bundles(
                self._scheduler,
                runs,
                self.participants,
                limit=free + len(taken),
                num_slots=self.work.slots.num_of(kind),
                max_lanes=self._traits.max_lanes,
            )
            bundles = self._uncrowded(bundles, runs)
        if not free and self._traits.max_width > 1:
            out += self._gangs.broken_up(runs, kind)
        if not bundles:
            out += self._choice.moves(taken, kind)
            return
        pairs = self._choice.pairs(runs, bundles, taken, kind)
        for slot, bundle, peers in self._gangs.formed(runs, pairs, kind):
            run, lease = runs[bundle.tree], self._plans.next_lease()
            chains = [chain.stages for chain in bundle.chains]
            if run.losses.has_crowded and any(map(run.losses.is_crowded, chains)):
                self.work.alone = lease
            served = [run.waiting.along(stages) for stages in chains]
            if message := settle_few(run, chains[0][0], list(itertools.chain.from_iterable(served))):
                out.append(Warn(message, announcers_on(run, self.participants)))
            assignment = run.assign(chains, slot, lease, served, peers)
            for request in itertools.chain.from_iterable(served):
                request.book.mark_running(request)
            self.work.begin(lease, run, slot.id, self._clock.elapsed(), peers)
            after = self._writes.after if self._traits.work_outlives else self._writes.for_this_process
            pins, boundaries = run.residency.pins.ahead_of(run.running[lease])
            out += [*map(Send, pins), Submit(assignment, after(run.store)), *map(Send, boundaries)]

    def _tell_slots(self, run: PlanRun, out: list[Instruction]) -> None:
        """Tell slots which states to keep and which to drop; the latter are gone for all that is given out later."""
        for command in run.residency.commands():
            out.append(Send(command))
            if isinstance(command, Drop):
                gone = StatesResident(slot=command.slot, workload=command.workload, dropped=command.points)
                self._intake.note_states(gone)

    def _uncrowded(self, bundles: list[StageBundle], runs: Sequence[PlanRun]) -> list[StageBundle]:
        """Return what to give out now: that for which resources ran out before comes last, and each by itself."""
        if self.work.alone is not None:
            return []
        if not any(run.losses.has_crowded for run in runs):
            return bundles
        fine = [
            bundle
            for bundle in bundles
            if not any(runs[bundle.tree].losses.is_crowded(chain.stages) for chain in bundle.chains)
        ]
        if fine or not bundles or self.work.slots.leases():
            return fine
        return bundles[:1]

    def _open_workloads(self, runs: Sequence[PlanRun], out: list[Instruction]) -> None:
        """Tell the engine of trainers that are about to be needed; it opens slots for the first."""
        for run in runs:
            if run.spec.workload not in self._intake.opened and run.remaining.tree.num_ready:
                self._intake.opened.add(run.spec.workload)
                out.append(OpenWorkload(run.spec))

    def shorten(self, run: PlanRun) -> list[Instruction]:
        """Return what ends the stages under way that no request needs any more."""
        return [Send(command) for command in run.shorten()]

    # --- work that does not get on

    def _watch(self, out: list[Instruction]) -> None:
        """Look again and again, while anything runs, whether it still gets on."""
        if self.is_watching or self._traits.is_virtual:
            return
        if self.work.stuck or self.eligibility.is_any_unserved:
            self.is_watching = True
            out.append(Watch())

    def _look_for_stuck(self, out: list[Instruction]) -> None:
        """Name the workers whose steps take very long, and end those that their studies do not wait for."""
        stuck = self.work.stuck
        slots = {lease: slot for slot, lease in self.work.slots.leases()}
        for lease, silent_s in stuck.silent(self._clock.elapsed()):
            run = self.work.run_of(lease)
            running = None if run is None else run.running.get(lease)
            if run is None or running is None or lease not in slots:
                continue
            slot, at, studies = slots[lease], running.at(), running.payers
            expected_s = run.remaining.seconds_per_step(running)
            # a step that is walked for several studies is lost for all of them when the first one gives it up
            timeout_s = min(
                (study.step_timeout_s for study in studies if study.step_timeout_s is not None), default=None
            )
            where = f"{slot} ({self._traits.describe(slot)}) at step {at.stop} of node {at.node}, " + _named(studies)
            if stuck.is_over(lease, silent_s, timeout_s):
                reason = f"step_timeout_s={timeout_s:g}: {where}, had said nothing for {silent_s:.0f} s"
                out.append(Lose(slot, reason))
            elif stuck.is_news(lease, silent_s, expected_s):
                usual = "no step has ended yet" if expected_s is None else f"such steps took {expected_s:.3g} s"
                out.append(
                    Say(
                        f"{where}, has said nothing for {silent_s:.0f} s; {usual}. It is waited for; "
                        "create_study(step_timeout_s=...) would have it run again elsewhere."
                    )
                )
        self._watch(out)


def _named(studies: Sequence[StudyState]) -> str:
    names = ", ".join(repr(study.row.name) for study in studies)
    return f"study {names}" if len(studies) == 1 else f"studies {names}"
