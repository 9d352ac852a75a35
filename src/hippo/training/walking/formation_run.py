"""Lanes of one assignment that are walked as one program, step by step, until each comes to its end.

Each lane keeps its own boundaries, commands and states; what a step's end asks for is done lane by lane, as if it were
alone there. Lanes leave, none joins. Where lanes cannot be walked as one after all, each goes on from where it stands:
in groups, or alone; it never gets lost, and why is told. This module refuses to know how the program is made.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace

from hippo.events import (
    FusionChecked,
    LanesDiffer,
    LanesLimited,
    TwinDrifted,
    UpdatesCompiled,
    at_point,
)
from hippo.hparams import Piece
from hippo.lanes import Due
from hippo.records import Fusion, LeaseId, NodeId, Point
from hippo.training.codec import EncodedState
from hippo.training.failures import refusal_of
from hippo.training.fusion.changed_pieces import followed
from hippo.training.fusion.check import decide
from hippo.training.fusion.compile_rule import CompilePolicy
from hippo.training.fusion.compiled_loss import LossCompiler
from hippo.training.fusion.fused_walker import FusedStepFailed, FusedWalker
from hippo.training.fusion.recorded_loss import LossRecorder
from hippo.training.fusion.refusals import LanesDifferIn, NotFusible
from hippo.training.live_states import encoded_state
from hippo.training.process.process_settings import ProcessSettings, settings_kept
from hippo.training.unread_changes import ValueChange
from hippo.training.walking.check_rule import checked_step
from hippo.training.walking.checks import LaneChecks
from hippo.training.walking.lane_run import LaneRun
from hippo.training.walking.lane_setting import LaneSetting
from hippo.training.walking.solo_walk import walk_on_alone
from hippo.training.walking.walker import UserCodeFailed, Walker


@dataclass(slots=True, eq=False)
class _Member:
    """A lane between two programs: where it stands, and what it goes on from. One is equal to itself alone."""

    run: LaneRun
    step: int
    #: in force just before that step, or at step 0
    pieces: Mapping[str, Piece]
    #: None: a new one
    state: EncodedState | None

    @property
    def node(self) -> NodeId:
        """Whose step comes next."""
        return self.run.progress.stage.node

    @property
    def goal(self) -> Point:
        """What cannot be made if there is no trainer."""
        return Point(self.node, self.step + 1)


class _StandingMember:
    """Where one member of a formation stands, for what is due there."""

    def __init__(self, walker: FusedWalker, number: int) -> None:
        self._walker = walker
        self._number = number

    def evaluate(self, node: NodeId) -> dict[str, float]:
        """Return its metrics."""
        return self._walker.evaluate(self._number, node)

    def encode(self, node: NodeId) -> EncodedState:
        """Return a copy of its state."""
        return self._walker.encode(self._number, node)

    def copy(self, node: NodeId) -> EncodedState:
        """Return a copy of its state, as others have it."""
        return self.encode(node)

    def take_unread_changes(self) -> list[ValueChange]:
        """Return changes that nobody looked at, of any member: the first that is asked tells of all."""
        return self._walker.take_unread_changes()


class _Formation:
    """Lanes that stand at one step, and the program that walks them."""

    def __init__(
        self, walker: FusedWalker, members: Sequence[_Member], lease: LeaseId, compiler: LossCompiler | None
    ) -> None:
        self.walker = walker
        self._compiler = compiler
        self._lease = lease
        self.members = list(members)

    def places(self) -> list[tuple[_Member, _StandingMember]]:
        """Return each member with where it stands."""
        return [(member, _StandingMember(self.walker, number)) for number, member in enumerate(self.members)]

    def step(self) -> list[dict[str, float]]:
        """Have all take one step, and return what `train` returned for each."""
        if self._compiler is not None:
            ends = [member.run.progress.lane.stages[-1].stop for member in self.members]
            self._compiler.policy.steps_left = max(ends) - self.walker.step
        stages = [member.run.progress.stage for member in self.members]
        training = self.walker.train([stage.node for stage in stages], [stage.pieces for stage in stages])
        for member, stage in zip(self.members, stages, strict=True):
            member.step, member.pieces, member.state = self.walker.step, stage.pieces, None
        return training

    def drift_of(self, leaving: Iterable[_Member]) -> TwinDrifted | None:
        """Return what its twin says of the first member, if that is among those that leave."""
        twin = self.walker.drifting
        drift = None if twin is None else twin.drift()
        if drift is None or self.members[0] not in leaving:
            return None
        point = Point(self.members[0].node, self.walker.step)
        lease, lane = self._lease, self.members[0].run.progress.number
        return TwinDrifted(**at_point(lease, lane, point), steps=drift.steps, drift=drift.relative)

    def let_go(self, leaving: Iterable[_Member]) -> None:
        """Have the others go on without these."""
        gone = set(leaving)
        if gone:
            kept = [number for number, member in enumerate(self.members) if member not in gone]
            self.members = [self.members[number] for number in kept]
            if kept:
                self.walker.keep(kept)

    def stand(self) -> list[_Member]:
        """Return the members with copies of their states, for other programs to go on from."""
        for member, here in self.places():
            if self.walker.step > 0 or member.state is not None:
                member.state = here.encode(member.node)
        return self.members


class FormationRun:
    """The lanes of an assignment, walked as one program; or, before that, one of them, by which is decided whether."""

    def __init__(self, setting: LaneSetting) -> None:
        self._setting = setting
        self._lease = setting.assignment.lease
        self._runs: list[LaneRun] = []

    def run(self) -> None:
        """Walk all lanes to their ends; or decide how lanes of their shape are walked, and leave them for that."""
        setting, fusion = self._setting, self._setting.assignment.fusion
        setting.trainers.load(setting.spec)
        try:
            with settings_kept(lambda changes: setting.tell_left(0, "its lane", changes)) as settings:
                members = self._begin(settings)
                if fusion is None:
                    self._decide(members, settings)
                    return
                groups = _by_step(members)
                while groups:
                    groups += self._walk(groups.pop(0), fusion)
        except BaseException:
            for run in self._runs:
                if not run.progress.is_over:
                    run.break_off()
            raise

    # ------------------------------------------------------------------------------------------ the beginning

    def _begin(self, settings: ProcessSettings) -> list[_Member]:
        setting = self._setting
        members = []
        for progress in setting.commanded.lanes:
            if progress.is_over:
                continue
            run = LaneRun(setting, progress)
            self._runs.append(run)
            run.begin()
            setting.host.standing.take(setting.assignment.states_of, progress.lane, None)  # its memory is needed
            try:
                member = self._member(run, settings)
            except UserCodeFailed as stop:
                run.fail(stop)
                member = None
            if member is None:
                run.end()
            else:
                members.append(member)
        return members

    def _member(self, run: LaneRun, settings: ProcessSettings) -> _Member | None:
        """Return a lane where it begins; None if there is nothing to begin from."""
        beginning = run.beginning
        state = beginning.load()
        if state is None and beginning.lane.begin is not None:
            return None
        if not beginning.evaluates_alike(state, beginning.pristine(), settings):
            return None
        return _Member(run, beginning.step, beginning.pieces, None if state is None else encoded_state(state))

    def _decide(self, members: list[_Member], settings: ProcessSettings) -> None:
        """Decide, by the first lane that can be trained, how lanes of this shape are walked; no lane is walked here.

        For by then it is known how many of them go together.
        """
        for number, member in enumerate(members):
            try:
                self._check_alone(member, settings)
                fusion, seconds = decide(
                    member.run.beginning.pristine(),
                    step=member.step,
                    pieces=followed(member.pieces, member.run.progress.lane.stages[0].pieces, member.step),
                    state=member.state,
                    goal=member.goal,
                    numerics=self._setting.spec.numerics,
                )
            except UserCodeFailed as stop:
                if stop.failure.method == "state_dict" and refusal_of(stop.failure):
                    self._fail(member, stop)
                else:  # so it will, where its failure is told
                    self._go_on_alone(member)
                continue
            self._setting.host.emit(FusionChecked(lease=self._lease, fusion=fusion, seconds=seconds))
            for other in members[number:]:
                other.run.end()
            return

    def _check_alone(self, member: _Member, settings: ProcessSettings) -> None:
        """Walk a lane's first steps alone, beside it, and have that compared as its lane says.

        What a state forgets it forgets alone and in a formation alike.
        """
        lane = replace(member.run.progress.lane, audit=False, change=None)
        last = checked_step(lane)
        if last is None:
            return
        pristine, clock = member.run.beginning.pristine(), self._setting.host.clock
        checks = LaneChecks(lane, pristine, clock, begin=member.state, settings=settings, may_fuse=True)
        with closing(self._walker_of(member)) as walker:
            for stage in lane.stages:
                while walker.step < min(stage.stop, last):
                    training = walker.train(stage.node, stage.pieces)
                    member.run.tell_verdict(checks.see(walker, stage.node, training))
                    metrics = walker.evaluate(stage.node)
                    member.run.tell_verdict(checks.compare(walker, stage.node, metrics))

    # --------------------------------------------------------------------------------------------- on the road

    def _walk(self, members: list[_Member], fusion: Fusion) -> list[list[_Member]]:
        """Walk lanes that stand at one step; return groups of them that cannot go on as one, as far as they came."""
        compiler = self._compiler() if self._setting.assignment.compile else None
        try:
            walker = FusedWalker(
                members[0].run.beginning.pristine(),
                step=members[0].step,
                pieces=[member.pieces for member in members],
                states=[member.state for member in members],
                goals=[member.goal for member in members],
                fusion=fusion,
                with_drift=self._setting.assignment.twin,
                compiler=compiler,
                recorder=self._recorder(members[0]),
                bases=self._setting.trainers.bases(self._setting.spec),
            )
        except UserCodeFailed:
            return self._located(members, "the trainer raised where several lanes were to begin as one")
        except (NotFusible, LanesDifferIn, FusedStepFailed) as stop:
            return self._apart(members, stop)
        with closing(walker):
            formation = _Formation(walker, members, self._lease, compiler)
            try:
                while self._take_step(formation):
                    pass
            except (NotFusible, LanesDifferIn, FusedStepFailed) as stop:
                self._tell_drift(formation, formation.members)
                members[0].run.tell_unread(walker)
                return self._apart(formation.stand(), stop)
            members[0].run.tell_unread(walker)  # where no evaluation came
        return []

    def _compiler(self) -> LossCompiler:
        """Return what decides when updates of a formation are compiled."""
        host, experience = self._setting.host, self._setting.trainers.compiling(self._setting.spec)

        def tell(refusal: str, seconds: float) -> None:
            host.emit(UpdatesCompiled(lease=self._lease, seconds=seconds, refusal=refusal))

        return LossCompiler(CompilePolicy(experience), host.clock.elapsed, tell)

    def _recorder(self, first: _Member) -> LossRecorder | None:
        """Return what has updates of a formation recorded; None: its trainer wants none to be."""
        setting, run = self._setting, first.run
        if getattr(run.beginning.pristine(), "record_updates", None) is False:
            return None
        listener = setting.recording_listener(run.progress.number)
        return LossRecorder(setting.trainers.recording(setting.spec, is_alone=False), listener)

    def _tell_drift(self, formation: _Formation, leaving: Collection[_Member]) -> None:
        """Tell how far the twin of the first member has come, if that one is among those that leave."""
        if told := formation.drift_of(leaving):
            self._setting.host.emit(told)

    def _take_step(self, formation: _Formation) -> bool:
        """Have all members take a step, and do what is due at its end; return whether any goes on."""
        clock = self._setting.host.clock
        while waiting := [member for member in formation.members if _is_through_stage(member)]:
            self._finish(formation, set(waiting))  # nothing is trained there: only what is due is wanted
        if not formation.members:
            return False
        for member in formation.members:
            member.run.leave()
        started_s, lanes = clock.elapsed(), len(formation.members)
        training = formation.step()
        seconds = (clock.elapsed() - started_s) / lanes
        for member, returned in zip(formation.members, training, strict=True):
            member.run.note_step(Point(member.node, member.step), returned, seconds, lanes=lanes)
        self._finish(formation, set(formation.members))
        return bool(formation.members)

    def _finish(self, formation: _Formation, members: set[_Member]) -> None:
        """Do what is due where these members stand; those that end there leave."""
        leaving: set[_Member] = set()
        places = [(member, here) for member, here in formation.places() if member in members]
        for member, here in places:
            member.run.progress.arrive(formation.walker.step)
            try:
                member.run.evaluate_if_due(here, Point(member.node, member.step))
            except UserCodeFailed as stop:
                self._fail(member, stop)
                leaving.add(member)
        if any(member.run.progress.metrics is not None for member, _ in places):  # an occasion to look at values, too
            places[0][0].run.tell_unread(formation.walker)
        places[0][0].run.follow()  # commands for any of them
        for member, here in places:
            if member in leaving:
                continue
            try:
                due = member.run.finish_step(here, Point(member.node, member.step))
            except UserCodeFailed as stop:
                self._fail(member, stop)
                leaving.add(member)
                continue
            if due is Due.END:
                member.run.end()
                leaving.add(member)
            else:
                member.run.progress.go_on()
        self._tell_drift(formation, leaving)
        formation.let_go(leaving)

    # ------------------------------------------------------------------------------ where one program is not enough

    def _apart(self, members: list[_Member], stop: NotFusible | LanesDifferIn | FusedStepFailed) -> list[list[_Member]]:
        """Return the groups in which lanes go on that could not go on as one."""
        if isinstance(stop, LanesDifferIn):
            groups = _by_values(members, stop.names)
            if len(groups) > 1:
                self._setting.host.emit(LanesDiffer(lease=self._lease, names=tuple(stop.names)))
                return groups
        if isinstance(stop, FusedStepFailed) and stop.is_resource and len(members) > 1:
            half = len(members) // 2
            self._setting.host.emit(LanesLimited(lease=self._lease, lanes=half, reason=str(stop)))
            return [members[:half], members[half:]]
        return self._located(members, str(stop))

    def _located(self, members: list[_Member], reason: str) -> list[list[_Member]]:
        """Have each lane try its next step alone: those that raise fail there, and the others go on as one.

        If none raises, it is the program that cannot, so each goes on alone, which is told.
        """
        sound = [member for member in members if self._can_step(member)]
        if len(sound) < len(members):
            return [sound] if sound else []
        self._setting.host.emit(LanesLimited(lease=self._lease, lanes=1, reason=reason))
        for member in members:
            self._go_on_alone(member)
        return []

    def _can_step(self, member: _Member) -> bool:
        stage = member.run.progress.stage
        try:
            with closing(self._walker_of(member)) as walker:
                if not _is_through_stage(member):
                    walker.train(stage.node, stage.pieces)
        except UserCodeFailed as stop:
            self._fail(member, stop)
            return False
        return True

    def _go_on_alone(self, member: _Member) -> None:
        try:
            with closing(self._walker_of(member)) as walker:
                walk_on_alone(self._setting, member.run, walker)
            member.run.end()
        except UserCodeFailed as stop:
            self._fail(member, stop)

    def _walker_of(self, member: _Member) -> Walker:
        return Walker(
            member.run.beginning.pristine(),
            step=member.step,
            pieces=member.pieces,
            state=member.state,
            goal=member.goal,
            bases=self._setting.trainers.bases(self._setting.spec),
            must_be_new=member.state is None,
        )

    def _fail(self, member: _Member, stop: UserCodeFailed) -> None:
        member.run.fail(stop)
        member.run.end()


def _is_through_stage(member: _Member) -> bool:
    """Whether nothing is left to train of the stage that comes next."""
    stage = member.run.progress.stage
    return stage.start == stage.stop


def _by_step(members: Iterable[_Member]) -> list[list[_Member]]:
    """Return groups of lanes that stand at one step, in each of which those lie side by side that are updated alike."""
    groups: defaultdict[int, list[_Member]] = defaultdict(list)
    for member in members:
        groups[member.step].append(member)
    return [sorted(group, key=_zeros) for group in groups.values()]


def _zeros(member: _Member) -> list[tuple[str, bool]]:
    """Return which of its next step's values are zero: optimizers leave out what such an option asks for.

    Kernels take lanes that follow each other. Where every second one has no weight decay, an optimizer would take each
    lane by itself.
    """
    pieces = member.run.progress.stage.pieces
    try:
        return [(name, bool(pieces[name].at(member.step) == 0)) for name in sorted(pieces)]
    except Exception:  # of a sequence that a user wrote: whose fault that is will be seen where it is walked
        return []


def _by_values(members: Sequence[_Member], names: Collection[str]) -> list[list[_Member]]:
    """Return groups of lanes that agree in these names in their next step: in their values where it begins.

    Values that part within the step, where they are applied by batch, may be equal there: then by whole pieces.
    """
    groups = _by(lambda piece, member: repr(piece.at(member.step)), members, names)
    return groups if len(groups) > 1 else _by(lambda piece, _: piece.key, members, names)


def _by(said: Callable[[Piece, _Member], str], members: Iterable[_Member], names: Iterable[str]) -> list[list[_Member]]:
    groups: defaultdict[tuple[str, ...], list[_Member]] = defaultdict(list)
    for member in members:
        pieces = member.run.progress.stage.pieces
        groups[tuple(said(pieces[name], member) if name in pieces else "" for name in sorted(names))].append(member)
    return list(groups.values())
