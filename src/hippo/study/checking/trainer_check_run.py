"""The runs of one check: which there are, what they are compared with, and what made a difference.

It writes to no database, and refuses to know who asked.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from hippo.engines.check_orders import CheckSetup, Problem
from hippo.engines.check_processes import CheckProcesses
from hippo.errors import TrainerError, listed
from hippo.hparams import Config, Constant, as_config, path
from hippo.records import Fusion, TrainerSpec, may_fuse
from hippo.study.checking.check_results import (
    CheckFinding,
    ComparisonVerdict,
    TrainerCheck,
    TrainerComparison,
    TrainerCosts,
)
from hippo.study.checking.check_words import MOST_PATHS, begun, count_of, nothing_found, raised, unusable
from hippo.training.check_differences import EVALUATE_LEAVES_STATE, PICKLES, tells_of_pickles
from hippo.training.inquiry.check_runs import RunOrder, RunReport, WatchedMoment, pieces_at
from hippo.training.inquiry.culprit_words import explain
from hippo.training.inquiry.culprits import (
    BY_THE_WAY,
    MOST_NAMED,
    RESUMING,
    Culprit,
    RunVariation,
    StepDifference,
    find_culprits,
    first_difference,
    first_parting,
    is_in_reach,
    likely,
)
from hippo.training.walking.fusion_order import FusionOrder
from hippo.training.walking.walker import Pieces

#: runs at a time: a check is no reason to take a machine away from others
_PARALLEL = 2
#: loader workers that a `TorchTrainer` without any gets; more would only start more slowly
_LOADER_WORKERS = 2
#: steps that are trained with other loader workers, which take long to start
_LOADER_STEPS = 3
#: suspects that are tried one by one, each in a process that trains up to the step
_MOST_TRIED = 10
#: set for a run elsewhere, beside what is there
_VARIABLES = {"HIPPO_CHECK_ELSEWHERE": "1", "RANK": "1", "SLURM_JOB_ID": "1"}


class TrainerCheckRun:
    """One check under way: trains, compares, and finds out what made the difference.

    Args:
      spec: the trainer.
      name: its name, for people.
      config: what is trained.
      steps: how many.
      folder: an empty one, for states.
    """

    def __init__(self, spec: TrainerSpec, name: str, config: Config, steps: int, folder: Path) -> None:
        self._spec = spec
        self._name = name
        self._config = config
        self._steps = steps
        self._states = folder / "states"
        self._elsewhere = folder / "elsewhere"
        self._states.mkdir()
        self._elsewhere.mkdir()
        self._comparisons: list[TrainerComparison] = []
        self._findings: list[CheckFinding] = []
        self._notes: list[str] = []
        self._order = RunOrder(pieces=_pieces(config, steps), stop=steps, states=str(self._states))
        #: of the run that all others are compared with, watched; made when it is first needed
        self._through: list[WatchedMoment] | None = None
        self._open: list[CheckProcesses] = []

    def _start(self) -> None:
        """Start two programs, which import the trainer's module at the same time."""
        setup = CheckSetup(spec=self._spec, threads=1, parallel=_PARALLEL)
        for hash_seed in (0, 1):
            self._open.append(CheckProcesses(setup, hash_seed=hash_seed))
        self._processes, self._others = self._open

    def close(self) -> None:
        """End all processes."""
        for processes in self._open:
            processes.close()

    def run(self) -> TrainerCheck:
        """Train, compare, and say what differs."""
        self._start()
        reference = self._reference()
        self._check_evaluations(reference)
        orders = self._orders(reference)
        self._others.order([replace(self._order, folder=str(self._elsewhere), variables=_VARIABLES)])
        reports = dict(zip(orders, self._processes.run(list(orders.values())), strict=True))
        is_repeatable = self._check_elsewhere(reference, self._others.reports()[0])
        for (variation, what), report in reports.items():
            if is_repeatable:
                self._compare(variation, what, reference, report, orders[variation, what])
            else:
                self._skip(what, "one run of the same steps after another differs already")
        return TrainerCheck(
            trainer=self._name,
            config=self._config,
            seed=self._spec.seed,
            steps=self._steps,
            comparisons=tuple(self._comparisons),
            findings=tuple(self._findings),
            notes=tuple(self._notes),
            costs=_costs(reference),
            fusion=self._fusion() if may_fuse(self._spec.numerics) else None,
        )

    def _fusion(self) -> Fusion:
        """Have it found out how lanes are walked where numerics allow that they are as one."""
        (found,) = self._processes.run([FusionOrder(pieces=self._order.pieces[0])])
        return found if isinstance(found, Fusion) else Fusion(is_fused=False, detail=str(found))

    # --- which runs there are

    def _orders(self, reference: RunReport) -> dict[tuple[RunVariation, str], RunOrder]:
        order, steps = self._order, self._steps
        middle = max(1, steps // 2)
        orders = {
            (RunVariation.UNDISTURBED, "no evaluation and no state_dict() in between"): replace(order, evaluates=False),
            (RunVariation.AFTER_ANOTHER, "a worker that has trained another config before"): replace(
                order, before=_pieces(_other(self._config), min(2, steps))
            ),
        }
        if steps > 2:
            cut = max(2, middle)
            what = f"a fresh worker, resumed after 1 step and once more after {count_of(cut)}"
            orders[RunVariation.RESUMED_TWICE, what] = replace(order, start=1, cut=cut)
        orders[RunVariation.STEP_BY_STEP, "each step alone, from the state before it, the last one first"] = replace(
            order, one_by_one=True
        )
        for start in sorted({middle, steps - 1}):
            orders[RunVariation.RESUMED, f"a fresh worker, from the state after {count_of(start)}"] = replace(
                order, start=start
            )
        if reference.num_workers is not None:
            workers = 0 if reference.num_workers else _LOADER_WORKERS
            what = f"{workers} loader workers instead of {reference.num_workers}"
            few = min(steps, _LOADER_STEPS)
            orders[RunVariation.LOADER_WORKERS, what] = replace(order, num_workers=workers, stop=few)
        return orders

    def _reference(self) -> RunReport:
        """Train the steps as no other run does: from the beginning, in a fresh process, evaluated after each."""
        (report,) = self._processes.run([replace(self._order, writes=True)])
        if not isinstance(report, RunReport):
            raise TrainerError(f"{self._name} cannot be checked: {report}")
        if report.failure is not None:
            raise unusable(self._name, report.failure, self._config)
        self._notes += [f"{change} is set back at the end of each lane, and of __init__()" for change in report.left]
        if report.unread:
            self._notes.append(f"the trainer never read {', '.join(map(repr, report.unread))}")
        return report

    # --- what they are compared with

    def _check_evaluations(self, reference: RunReport) -> None:
        what = "the state before and after each evaluation"
        changed = [report for report in reference.steps if report.changed]
        self._note(what, ComparisonVerdict.DIFFERENT if changed else ComparisonVerdict.EQUAL, len(reference.steps))
        if changed:
            first = changed[0]
            changed_paths = listed(first.changed, MOST_PATHS)
            message = f"evaluate() changed {changed_paths} after step {first.step}. {EVALUATE_LEAVES_STATE}"
            self._found(first.step, "evaluate()", first.changed[0], message)

    def _check_elsewhere(self, reference: RunReport, report: RunReport | Problem) -> bool:
        """Compare a run in another process that differs in all that should not matter; return whether one can repeat.

        If they differ, find out why: is it the hash seed, where the process is, or that it is another one?
        """
        again = "a second process"
        hash_seed, elsewhere = "another PYTHONHASHSEED", "another current folder, and other environment variables"
        if _is_same(reference, report):
            for what in (again, hash_seed, elsewhere):
                self._note(what, ComparisonVerdict.EQUAL, self._steps)
            return True
        order = self._order
        one, moved = self._processes.run([order, replace(order, folder=str(self._elsewhere), variables=_VARIABLES)])
        is_repeatable = self._compare(RunVariation.AGAIN, again, reference, one, order)
        if not is_repeatable:
            for what in (hash_seed, elsewhere):
                self._skip(what, "another process is enough for a difference")
            return False
        (hashed,) = self._others.run([order])
        self._compare(RunVariation.HASH_SEED, hash_seed, reference, hashed, order, self._others)
        if isinstance(moved, RunReport) and moved.failure is not None:
            raised = moved.failure.error.splitlines()[-1]
            self._skip(elsewhere, f"{moved.failure.method}() raised {raised}")
            self._notes.append(
                f"in another folder {moved.failure.method}() raised {raised}: a study that goes on from there, or on "
                "another machine, would fail. Say in trainer_args where the files are, with an absolute path."
            )
        else:
            there = replace(order, folder=str(self._elsewhere), variables=_VARIABLES)
            self._compare(RunVariation.ELSEWHERE, elsewhere, reference, moved, there)
        return True

    def _compare(
        self,
        variation: RunVariation,
        what: str,
        reference: RunReport,
        report: RunReport | Problem,
        order: RunOrder,
        processes: CheckProcesses | None = None,
    ) -> bool:
        """Compare a run with the reference, and name what makes the difference; return whether there is none."""
        steps = len(report.steps) if isinstance(report, RunReport) else 0
        if not isinstance(report, RunReport):
            self._note(what, ComparisonVerdict.RAISED, steps)
            self._found(0, "", "", f"{begun(variation, what)}: {report}.")
            return False
        if report.failure is not None:
            self._note(what, ComparisonVerdict.RAISED, steps)
            method = f"{report.failure.method}()"
            if not any(finding.method == method and finding.is_error for finding in self._findings):
                message = raised(variation, what, report.failure)
                self._findings.append(
                    CheckFinding(step=report.failure.step, method=method, name="", message=message, is_error=True)
                )
            return False
        if report.is_bound:
            self._skip(what, "the trainer can go on from a state only where it was made")
            return True
        difference = first_difference(reference, report)
        self._note(what, ComparisonVerdict.DIFFERENT if difference else ComparisonVerdict.EQUAL, steps)
        if difference is not None:
            self._explain(variation, what, difference, reference, order, processes or self._processes)
        return difference is None

    def _explain(
        self,
        variation: RunVariation,
        what: str,
        difference: StepDifference,
        reference: RunReport,
        order: RunOrder,
        processes: CheckProcesses,
    ) -> None:
        """Run both once more, watched, and say what they held differently before they parted."""
        (watched,) = processes.run([replace(order, watched=True, stop=min(order.stop, difference.step))])
        other = watched.moments if isinstance(watched, RunReport) else []
        parted = first_parting(self._moments(), other) if variation is RunVariation.UNDISTURBED else None
        culprits = find_culprits(self._moments(), other, parted or difference)
        if variation in RESUMING:
            culprits = self._tried(culprits, reference, difference.step)
        else:
            culprits = likely(culprits, variation)
        step = (parted or difference).step
        head = (
            f"{begun(variation, what)}, step [{difference.step - 1}, {difference.step}) comes to something else: "
            f"{listed(difference.paths, MOST_PATHS)}."
        )
        if tells_of_pickles(difference.paths) and all(culprit.kind in BY_THE_WAY for culprit in culprits):
            self._found(step, "", "", f"{head} {PICKLES}")
            return
        if not culprits:
            self._found(step, "", "", f"{head} {nothing_found(variation)}")
            return
        known = {finding.name for finding in self._findings}
        fresh = [culprit for culprit in culprits if culprit.name not in known]
        for culprit in fresh[:MOST_NAMED]:
            message = f"{explain(culprit, variation, reference.names)}\n   {head}"
            self._found(step, culprit.changed_by, culprit.name, message)

    def _tried(self, culprits: Sequence[Culprit], reference: RunReport, step: int) -> list[Culprit]:
        """Return those culprits that make the difference: given to a trainer that was loaded, the step is what it was.

        If none does alone, each is left out in turn of what, taken together, does.
        """
        in_reach = [culprit for culprit in culprits if is_in_reach(culprit)][:_MOST_TRIED]
        out_of_reach = [culprit for culprit in culprits if not is_in_reach(culprit)]
        groups = tuple(culprit.group for culprit in in_reach)
        nothing, everything, *alone = self._with_grafts(step, [(), groups, *((group,) for group in groups)], reference)
        if nothing:
            # in one process there is no difference: it is kept by classes, modules or the process; if by none of these,
            # by what __init__() made and training changed in place, which all trainers of a process share
            return out_of_reach or [culprit for culprit in in_reach if culprit.kind not in BY_THE_WAY]
        if any(alone):
            return [culprit for culprit, is_mended in zip(in_reach, alone, strict=True) if is_mended]
        if everything:
            without = [tuple(group for group in groups if group != left) for left in groups]
            mended = self._with_grafts(step, without, reference)
            return [culprit for culprit, is_mended in zip(in_reach, mended, strict=True) if not is_mended] or in_reach
        return likely(culprits, RunVariation.RESUMED)

    def _with_grafts(self, step: int, trials: Sequence[tuple[str, ...]], reference: RunReport) -> list[bool]:
        """Tell of each of these sets of names whether giving them to a loaded trainer makes the step what it was."""
        orders = [replace(self._order, start=step - 1, stop=step, grafts=grafts) for grafts in trials]
        return [_is_same(reference, report) for report in self._processes.run(orders)]

    def _moments(self) -> list[WatchedMoment]:
        if self._through is None:
            (report,) = self._processes.run([replace(self._order, watched=True)])
            self._through = report.moments if isinstance(report, RunReport) else []
        return self._through

    # --- what is noted

    def _note(self, what: str, verdict: ComparisonVerdict, steps: int) -> None:
        self._comparisons.append(TrainerComparison(what=what, verdict=verdict, steps=steps))

    def _skip(self, what: str, reason: str) -> None:
        verdict = ComparisonVerdict.NOT_COMPARED
        self._comparisons.append(TrainerComparison(what=what, verdict=verdict, steps=0, reason=reason))

    def _found(self, step: int, method: str, name: str, message: str) -> None:
        self._findings.append(CheckFinding(step=step, method=method, name=name, message=message))


def _is_same(reference: RunReport, report: RunReport | Problem) -> bool:
    if not isinstance(report, RunReport) or report.failure is not None:
        return False
    return first_difference(reference, report) is None


def _pieces(config: Config, steps: int) -> tuple[Pieces, ...]:
    return pieces_at(steps, path(config, steps)) if len(config) else ({},) * steps


def _other(config: Config) -> Config:
    """Return a config that trains otherwise: half of each constant that is a float."""
    values: dict[str, Any] = {}
    for name in config:
        sequence = config[name]
        is_float = isinstance(sequence, Constant) and type(sequence(0)) is float
        values[name] = Constant(sequence(0) / 2) if is_float else sequence
    return as_config(values) if values else config


def _costs(reference: RunReport) -> TrainerCosts:
    later = reference.steps[1:] or reference.steps
    return TrainerCosts(
        step_s=statistics.median(report.seconds for report in later),
        evaluation_s=statistics.median(report.evaluation_s for report in later),
        saving_s=statistics.median(report.saving_s for report in later),
        state_bytes=reference.steps[-1].size_bytes,
        own_s=reference.own_s,
    )
