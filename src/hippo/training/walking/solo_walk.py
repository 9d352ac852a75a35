"""A lane that is walked alone, by a walker of its own, as all are where nothing is fused."""

from __future__ import annotations

from contextlib import closing

from hippo.lanes import Due, LaneProgress
from hippo.records import LaneStage, Point, may_fuse
from hippo.training.process.process_settings import ProcessSettings, settings_kept
from hippo.training.walking.checks import LaneChecks
from hippo.training.walking.lane_run import LaneRun
from hippo.training.walking.lane_setting import LaneSetting
from hippo.training.walking.walker import RecordedStepFailed, UserCodeFailed, Walker


def walk_alone(setting: LaneSetting, progress: LaneProgress) -> None:
    """Walk one lane, from its beginning to its end."""
    run = LaneRun(setting, progress)
    run.begin()
    try:
        _LaneWalk(setting, run).try_it()
        run.end()
    except BaseException:
        run.break_off()
        raise


def walk_on_alone(setting: LaneSetting, run: LaneRun, walker: Walker) -> None:
    """Walk what is left of a lane that was walked with others, up to its end."""
    _LaneWalk(setting, run).walk(walker)


class _LaneWalk:
    """One lane, its walker, and what is compared on the way."""

    def __init__(self, setting: LaneSetting, run: LaneRun) -> None:
        self._setting = setting
        self._run = run
        self._checks: LaneChecks | None = None

    def try_it(self) -> None:
        """Walk the lane, or tell why not."""
        setting, run = self._setting, self._run
        try:
            # Before settings are kept: what a module sets when it is imported stays, for it is imported once. If it
            # cannot be imported, that is no fact about a trial, and leaves this function.
            setting.trainers.load(setting.spec)
            number = run.progress.number
            with settings_kept(lambda changes: setting.tell_left(number, "its lane", changes)) as settings:
                if walker := self._begin(settings):
                    with closing(walker):
                        self.walk(walker)
                    setting.host.standing.leave(setting.assignment.states_of, walker, settings)
        except UserCodeFailed as stop:
            run.fail(stop)

    def _begin(self, settings: ProcessSettings) -> Walker | None:
        """Return a walker where the lane begins; None if there is nothing to begin from."""
        beginning, spec, trainers = self._run.beginning, self._setting.spec, self._setting.trainers
        lane = beginning.lane
        stood = self._setting.host.standing.take(self._setting.assignment.states_of, lane, trainers.built(spec))
        begin = lane.begin
        if stood is not None and begin is not None and stood.stands_at(begin):
            beginning.recall(begin)
            return stood
        state = beginning.load()
        if state is None and begin is not None:
            return None
        pristine, goal = beginning.pristine(), beginning.first_goal
        if not beginning.evaluates_alike(state, pristine, settings):
            return None
        if lane.is_watched:
            self._checks = LaneChecks(
                lane,
                pristine,
                self._setting.host.clock,
                begin=state,
                settings=settings,
                may_fuse=may_fuse(spec.numerics),
            )
        step, pieces = beginning.step, beginning.pieces
        if stood is not None and state is not None and stood.fork(step=step, pieces=pieces, state=state, goal=goal):
            return stood
        stood = None  # two of them may not fit into memory
        walker = Walker(
            pristine,
            step=step,
            pieces=pieces,
            state=state,
            goal=goal,
            bases=trainers.bases(spec),
            must_be_new=begin is None,
        )
        if begin is not None and walker.must_start_over:
            walker.close()
            beginning.refuse(begin, "its trainer can only go on from it where it was made")
            return None
        return walker

    def walk(self, walker: Walker) -> None:
        """Walk from where the lane stands to its end; or to where it has to be begun again from its last state."""
        setting, progress, due = self._setting, self._run.progress, Due.GO_ON
        walker.record(
            setting.trainers.recording(setting.spec, is_alone=True),
            setting.recording_listener(progress.number),
            is_asked=may_fuse(setting.spec.numerics),
        )
        try:
            while due is not Due.END:
                stage = progress.stage
                if stage.start < stage.stop:
                    self._train(walker, stage)
                progress.arrive(walker.step)
                due = self._finish_step(walker, Point(stage.node, walker.step))
                if due is Due.GO_ON:
                    progress.go_on()
        except RecordedStepFailed:  # nothing is recorded here the next time
            pass
        except UserCodeFailed:  # of a name that is misspelt, say
            self._run.tell_unread(walker)
            raise
        if not progress.is_stopping:  # where no evaluation came, nobody else will say it; else somebody goes on
            self._run.tell_unread(walker)

    def _train(self, walker: Walker, stage: LaneStage) -> None:
        run, clock = self._run, self._setting.host.clock
        run.leave()
        started_s = clock.elapsed()
        training = walker.train(stage.node, stage.pieces)
        run.note_step(Point(stage.node, walker.step), training, clock.elapsed() - started_s)
        if self._checks is not None:
            run.tell_verdict(self._checks.see(walker, stage.node, training))

    def _finish_step(self, walker: Walker, point: Point) -> Due:
        run = self._run
        run.evaluate_if_due(walker, point)
        if run.progress.metrics is not None:  # which was an occasion to look at values, too
            run.tell_unread(walker)
        run.follow()
        if self._checks is not None and not run.progress.is_stopping:
            # before anybody hears of the metrics: who gets an answer may end the study, and this lane with it
            run.tell_verdict(self._checks.compare(walker, point.node, run.progress.metrics))
        return run.finish_step(walker, point)
