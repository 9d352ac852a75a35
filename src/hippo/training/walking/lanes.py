"""Runs assignments: walks each lane, and tells in events what came of it.

What is due at a step's end, and where a lane ends, `hippo.lanes` says; here it is carried out. The engine provides the
rest as a `LaneHost`. This module refuses to know where it runs, what a plan is, and whether a step was worth taking; an
exception of the user's code is an event like others.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from hippo.events import FusionChecked
from hippo.lanes import AssignmentProgress
from hippo.records import Assignment, Point, SlotId, TrainerSpec, may_fuse
from hippo.training.code.same_code import guarded_imports
from hippo.training.elastic.here import elastic_numerics
from hippo.training.process.environment import numerics, pin_late_torch
from hippo.training.process.late_imports import late_imports_noticed
from hippo.training.process.process_settings import note_library, settings_kept
from hippo.training.process.script_floats import floats_as
from hippo.training.process.streams import forget_seed, seed_library
from hippo.training.trainer import Trainer
from hippo.training.trainers import Trainers, require_fit
from hippo.training.walking.fusion_order import ALONE, may_be_torch_trainer
from hippo.training.walking.lane_host import LaneHost
from hippo.training.walking.lane_setting import LaneSetting
from hippo.training.walking.solo_walk import walk_alone
from hippo.training.walking.walker import user_code


def run_assignment(assignment: Assignment, spec: TrainerSpec, trainers: Trainers, host: LaneHost, slot: SlotId) -> None:
    """Walk every lane of `assignment`, one after another, and emit what happens.

    An exception of the user's code ends its lane, and a state that cannot be written is told; only KeyboardInterrupt,
    SystemExit, and a TrainerError if the trainer does not arrive as it was recorded, leave this function. It does not
    emit `AssignmentDone`: the slot is not ours.
    """
    progress = AssignmentProgress(assignment, evaluate_every=spec.evaluate_every)
    setting = LaneSetting(assignment, progress, spec, trainers, host, slot)
    with user_code_surrounded(spec):
        if _is_fused_or_undecided(assignment, spec):
            _walk_as_one(setting)
        for lane in progress.lanes:
            if not lane.is_over:
                walk_alone(setting, lane)
    setting.follow(host.poll(), host.emit)


def _is_fused_or_undecided(assignment: Assignment, spec: TrainerSpec) -> bool:
    """Tell whether lanes are walked as one, or whether that is still to be decided."""
    return may_fuse(spec.numerics) and (assignment.fusion is None or assignment.fusion.is_fused)


def _walk_as_one(setting: LaneSetting) -> None:
    """Walk lanes as one; or decide whether lanes of their shape are, and leave them to who is given them then."""
    setting.trainers.load(setting.spec)
    if may_be_torch_trainer():
        from hippo.training.walking.formation_run import FormationRun

        FormationRun(setting).run()
        return
    setting.host.emit(FusionChecked(lease=setting.assignment.lease, fusion=ALONE, seconds=0.0))
    setting.commanded.leave()


@contextmanager
def user_code_surrounded(spec: TrainerSpec) -> Iterator[None]:
    """Run a trainer's methods in the block: imports are guarded and noticed, and determinism is as `spec` wants it."""
    with (
        guarded_imports(spec),
        late_imports_noticed(_prepare_library),  # first: a script's floats may be what imports torch
        floats_as(spec.floats),
        numerics(spec.numerics),
        elastic_numerics(spec.numerics),
    ):
        try:
            yield
        finally:
            forget_seed()


def pristine_anew(spec: TrainerSpec, trainers: Trainers, goal: Point, tell: Callable[[list[str]], None]) -> Trainer:
    """Load a trainer that is to be trained beside all plans, and return it as `__init__` left it.

    Args:
      spec: which.
      trainers: what this process has loaded.
      goal: where it is to come, as a failure says it.
      tell: hears of settings of the process that `__init__` left changed.

    Raises:
      TrainerError: it does not arrive here, or its device is not there.
      UserCodeFailed: `__init__` raised.
    """
    trainers.load(spec)
    with settings_kept(tell), user_code("__init__", goal):
        pristine = trainers.pristine(spec)
    require_fit(pristine, spec.numerics)
    return pristine


def _prepare_library(name: str) -> None:
    """Bring a library that a trainer has just imported to where it would be, had it been there from the start."""
    if name == "torch":
        pin_late_torch()
    note_library(name)
    seed_library(name)
