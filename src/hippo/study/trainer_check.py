"""Whether a trainer resumes exactly: `hippo.check_trainer`, which no database hears of.

The same few steps are trained in several ways, each in a process of its own, that must come to the same bits. Where two
of them part, both are run once more and watched, to name what one of them held and the other did not.
"""

from __future__ import annotations

import json
import os
import re
import statistics
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path
from typing import Any

from hippo.arguments import explain_calls
from hippo.engines.check_orders import CheckSetup, Problem
from hippo.engines.check_processes import CheckProcesses
from hippo.errors import BudgetError, HparamError, TrainerError, TrialFailedError, UnknownHparamError
from hippo.hparams import Config, Constant, as_config, path
from hippo.plan import PlanRow
from hippo.records import Failure, TrainerSpec, Workload
from hippo.runtime import check_config
from hippo.study.creating import check_trainer_args
from hippo.study.options import check_numerics, check_seed
from hippo.study.study import Study
from hippo.study.workloads import trainer_name
from hippo.training import resolve, ship
from hippo.training.check_runs import RunOrder, RunReport, WatchedMoment, pieces_at
from hippo.training.culprits import (
    MOST_NAMED,
    RESUMING,
    Culprit,
    RunVariation,
    StepDifference,
    explain,
    find_culprits,
    first_difference,
    first_parting,
    is_in_reach,
    likely,
)
from hippo.training.walker import Pieces
from hippo.tuners.budgets import check_steps

#: steps that are trained unless somebody says how many
DEFAULT_STEPS = 8
#: runs at a time: a check is no reason to take a machine away from others
_PARALLEL = 2
#: loader workers that a `TorchTrainer` without any gets; more would only start more slowly
_LOADER_WORKERS = 2
#: steps that are trained with other loader workers, which take long to start
_LOADER_STEPS = 3
_MOST_PATHS = 3
#: suspects that are tried one by one, each in a process that trains up to the step
_MOST_TRIED = 10
#: our own files
_PACKAGE = Path(__file__).resolve().parents[1]
#: set for a run elsewhere, beside what is there
_VARIABLES = {"HIPPO_CHECK_ELSEWHERE": "1", "RANK": "1", "SLURM_JOB_ID": "1"}


class ComparisonVerdict(Enum):
    """What a comparison came to."""

    EQUAL = "equal"
    DIFFERENT = "different"
    #: the trainer raised, where it had not in the run that it is compared with
    RAISED = "raised"
    #: it does not apply, or would only say again what another comparison found
    NOT_COMPARED = "not compared"


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainerComparison:
    """One way in which the steps were trained a second time."""

    #: what was done otherwise, for people
    what: str
    verdict: ComparisonVerdict
    #: steps that were compared
    steps: int
    #: why it was not compared; empty otherwise
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckFinding:
    """Something that keeps a trainer from being proven."""

    #: steps trained when two runs first differed
    step: int
    #: what changed it: "train()", "evaluate()", "build()", ...; empty where that is not known
    method: str
    #: what is held in one run and not in the other, such as "self.ema"; empty where nothing was found
    name: str
    #: what differs, why, and what to do
    message: str
    #: the method raised
    is_error: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainerCosts:
    """What a step of the trainer costs, as measured in the check."""

    #: of a step without its evaluation: the median, without the first one
    step_s: float
    evaluation_s: float
    #: of copying and writing a state
    saving_s: float
    state_bytes: int
    #: of each step, hippo's own seconds
    own_s: float

    @property
    def own_share(self) -> float:
        """The part of a step that is hippo's own, from 0 to 1."""
        return min(1.0, self.own_s / self.step_s) if self.step_s > 0 else 0.0

    def __str__(self) -> str:
        return (
            f"a step takes {_seconds(self.step_s)} (hippo's own share: {self.own_share:.1%}), an evaluation "
            f"{_seconds(self.evaluation_s)}; a state has {_bytes(self.state_bytes)}, saved in {_seconds(self.saving_s)}"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainerCheck:
    """What a check of a trainer came to."""

    #: "module:Class"
    trainer: str
    config: Config
    seed: int
    #: steps that were trained
    steps: int
    comparisons: tuple[TrainerComparison, ...]
    findings: tuple[CheckFinding, ...]
    #: what is worth knowing and changes no result
    notes: tuple[str, ...]
    costs: TrainerCosts

    @property
    def is_proven(self) -> bool:
        """Whether every comparison came to the same bits. It is proven for these steps, and for no others."""
        return not self.findings

    def __str__(self) -> str:
        name = self.trainer.partition(":")[2]
        with_config = "".join(f", {key}={value!r}" for key, value in self.config.params.items())
        given = f"{self.steps} steps, seed {self.seed}{with_config}"
        head = f"{name}: {'proven for these steps' if self.is_proven else 'NOT proven'} ({given})"
        lines = [head, *(_line(comparison) for comparison in self.comparisons)]
        lines += [f"\n{number}. {finding.message}" for number, finding in enumerate(self.findings, 1)]
        lines += [f"\nnote: {note}" for note in self.notes]
        lines += ["", str(self.costs)]
        if self.is_proven:
            lines.append(f"What begins to matter after step {self.steps}, no check of {self.steps} steps can see.")
        return "\n".join(lines)


_SIGNS = {
    ComparisonVerdict.EQUAL: "equal",
    ComparisonVerdict.DIFFERENT: "DIFFERENT",
    ComparisonVerdict.RAISED: "RAISED",
    ComparisonVerdict.NOT_COMPARED: "not compared",
}


def _line(comparison: TrainerComparison) -> str:
    reason = f": {comparison.reason}" if comparison.reason else ""
    return f"  {_SIGNS[comparison.verdict]:<12}  {comparison.what}{reason}"


def _seconds(seconds: float) -> str:
    return f"{seconds * 1000:.3g} ms" if seconds < 1 else f"{seconds:.3g} s"


def _bytes(size: int) -> str:
    for unit, factor in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if size >= factor:
            return f"{size / factor:.3g} {unit}"
    return f"{size} bytes"


@explain_calls(
    hparams="config= is a mapping of names to values",
    until="a check is short: steps= says how many",
    space="give one config of it: config=next(iter(space))",
)
def check_trainer(
    trainer: type | str,
    config: Mapping[str, Any] | None = None,
    *,
    trainer_args: Mapping[str, Any] | None = None,
    steps: int = DEFAULT_STEPS,
    seed: int = 0,
    numerics: str = "exact",
    by_value: bool = False,
) -> TrainerCheck:
    """Train a few steps in several ways that must come to the same bits, and say where they do not, and why.

    Compared are: another process, in another folder and under another PYTHONHASHSEED; no evaluations in between; a
    worker that has trained another config before; resumed once from several states, and twice; each step alone, from
    the state before it; and other numbers of loader workers. Nothing is written to any database.

    Args:
      trainer: a class derived from `hippo.Trainer`, or "package.module:Class".
      config: hyper-parameters; none by default.
      trainer_args: keyword arguments of its `__init__`.
      steps: how many, at least 2. What begins to matter later is not seen.
      seed: of all chance.
      numerics: as for `hippo.create_study`.
      by_value: send the class itself to the worker processes, even if they could import it: where its module is a
        script that runs something when it is imported.

    Raises:
      TrainerError: it is no trainer, cannot travel to worker processes, or raises by itself.
      HparamError: the config cannot be trained, or lacks a hyper-parameter that the trainer reads.
      BudgetError: fewer than 2 steps.
    """
    check_steps("steps", steps)
    if steps < 2:
        raise BudgetError(f"steps={steps}: resuming shows from the second step on; check at least 2")
    cls = resolve(trainer)
    check_trainer_args(cls, trainer_args)
    asked = as_config({} if config is None else config)
    if len(asked):
        check_config(asked, steps)
    cls.check_config(asked, steps)
    spec = ship(
        trainer,
        trainer_args,
        seed=check_seed(seed),
        evaluate_every=1,
        workload_key="check",
        numerics=check_numerics(numerics),
        by_value=by_value,
    )
    with tempfile.TemporaryDirectory(prefix="hippo-check-") as folder:
        check = _Check(spec, trainer_name(cls), asked, steps, Path(folder))
        try:
            return check.run()
        finally:
            check.close()


def what_a_study_trains(study: Study) -> tuple[Config, dict[str, Any], int]:
    """Return the config of a study's first trial, the arguments of its trainer, and its (first) seed.

    Raises:
      TrialFailedError: it has no trial yet.
    """
    opened = study._opened
    trials = study.trials
    if not trials:
        raise TrialFailedError(f"study {study.name!r} has no trial yet, whose config could be trained")
    plan = opened.store.rows(PlanRow, plan=next(iter(opened.plans.values())))[0]
    workload = Workload(**json.loads(plan.declared))
    return trials[0].config, json.loads(workload.arguments), workload.seed


class _Check:
    """One check under way."""

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
        )

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
            what = f"a fresh worker, resumed after 1 step and once more after {_count(cut)}"
            orders[RunVariation.RESUMED_TWICE, what] = replace(order, start=1, cut=cut)
        orders[RunVariation.STEP_BY_STEP, "each step alone, from the state before it, the last one first"] = replace(
            order, one_by_one=True
        )
        for start in sorted({middle, steps - 1}):
            orders[RunVariation.RESUMED, f"a fresh worker, from the state after {_count(start)}"] = replace(
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
            raise _unusable(self._name, report.failure, self._config)
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
            message = (
                f"evaluate() changed {_listed(first.changed)} after step {first.step}. It must leave the training "
                "state as it is, since how often it is called depends on who asks: draw chance there from the global "
                "generators, and let train() do the rest."
            )
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
            self._found(0, "", "", f"{_begun(variation, what)}: {report}.")
            return False
        if report.failure is not None:
            self._note(what, ComparisonVerdict.RAISED, steps)
            method = f"{report.failure.method}()"
            if not any(finding.method == method and finding.is_error for finding in self._findings):
                message = _raised(variation, what, report.failure)
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
            f"{_begun(variation, what)}, step [{difference.step - 1}, {difference.step}) comes to something else: "
            f"{_listed(difference.paths)}."
        )
        if not culprits:
            self._found(step, "", "", f"{head} {_unknown(variation)}")
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
        if nothing:  # in one process there is no difference: it is kept by classes, modules, or the process
            return out_of_reach
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


def _unknown(variation: RunVariation) -> str:
    if variation is RunVariation.LOADER_WORKERS:
        return (
            "A sample depends on more than its index and the global generators: a counter or a generator that the "
            "data set keeps, which each loader worker has a copy of."
        )
    nothing = "Nothing that the trainer, its classes and modules or the process hold tells the two apart before it: "
    if variation in (RunVariation.AGAIN, RunVariation.ELSEWHERE, RunVariation.HASH_SEED):
        return (
            f"{nothing}it depends on the time, on a number of the process, on a file, or on a generator that nobody "
            "seeds (os.urandom, secrets, a library's own). A measured time among the metrics is no function of the "
            "state: leave it out."
        )
    return f"{nothing}it is kept by a library, by another process, or in a file."


def _is_same(reference: RunReport, report: RunReport | Problem) -> bool:
    if not isinstance(report, RunReport) or report.failure is not None:
        return False
    return first_difference(reference, report) is None


def _begun(variation: RunVariation, what: str) -> str:
    return {
        RunVariation.UNDISTURBED: "without evaluations and state_dict() in between",
        RunVariation.AFTER_ANOTHER: "in a worker that has trained another config",
        RunVariation.AGAIN: "trained again in a second process",
        RunVariation.HASH_SEED: "under another PYTHONHASHSEED",
        RunVariation.ELSEWHERE: "in another folder, with other environment variables",
        RunVariation.LOADER_WORKERS: f"with {what}",
        RunVariation.RESUMED: f"in {what}",
        RunVariation.RESUMED_TWICE: f"in {what}",
        RunVariation.STEP_BY_STEP: "trained alone, from the state before it",
    }.get(variation, what)


def _raised(variation: RunVariation, what: str, failure: Failure) -> str:
    advice = (
        " A state is loaded into a trainer that was only built: make there, before loading, all that the state has."
        if failure.method == "load_state_dict"
        else ""
    )
    return (
        f"{_begun(variation, what)}, {failure.method}() raises {' '.join(failure.error.split())}, which it does not "
        f"where the same steps are trained in one go.{advice}\n{_users_lines(failure.traceback)}"
    )


def _users_lines(traceback: str) -> str:
    """Return a traceback without the frames that lead to the user's code, indented."""
    head, *frames = re.split(r'^(?=  File ")', traceback.rstrip(), flags=re.MULTILINE)
    own = [frame for frame in frames if f'File "{_PACKAGE}{os.sep}training' not in frame]
    return "\n".join(f"   {line}" for line in "".join((head, *own)).splitlines())


def _unusable(name: str, failure: Failure, config: Config) -> Exception:
    """Return the error for a trainer that does not even train once."""
    said = failure.error.splitlines()[0] if failure.error else ""
    kind, _, message = said.partition(": ")
    known = kind.rpartition(".")[2]
    if known == "UnknownHparamError":
        return UnknownHparamError(f"{message.strip(chr(34))} Give it: config={{...}}, or --hparam NAME=VALUE.")
    if known == "HparamError":
        return HparamError(message)
    return TrainerError(
        f"{name} cannot be checked, since its {failure.method}() raised {said}\n{failure.traceback.rstrip()}"
    )


def _listed(paths: Sequence[str]) -> str:
    more = len(paths) - _MOST_PATHS
    return ", ".join(paths[:_MOST_PATHS]) + (f" and {more} more" if more > 0 else "")


def _count(steps: int) -> str:
    return f"{steps} step{'s' if steps > 1 else ''}"


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
