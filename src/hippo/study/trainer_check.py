"""Whether a trainer resumes exactly: `hippo.check_trainer`, which no database hears of.

The same few steps are trained in several ways, each in a process of its own, that must come to the same bits. Where two
of them part, both are run once more and watched, to name what one of them held and the other did not.
"""

from __future__ import annotations

import json
import statistics
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path
from typing import Any

from hippo.arguments import explain_calls
from hippo.engines.check_processes import CheckProcesses
from hippo.engines.check_program import CheckSetup, Problem
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
from hippo.training.check_runs import Moment, RunOrder, RunReport, pieces_at
from hippo.training.culprits import MOST_NAMED, StepDifference, Way, explain, find_culprits, first_difference
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


@dataclass(frozen=True, slots=True, kw_only=True)
class StepCosts:
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
    costs: StepCosts

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
        self._through: list[Moment] | None = None
        setup = CheckSetup(spec=spec, threads=1, parallel=_PARALLEL)
        self._open: list[CheckProcesses] = []
        self._processes, self._others = (self._started(setup, hash_seed) for hash_seed in (0, 1))

    def _started(self, setup: CheckSetup, hash_seed: int) -> CheckProcesses:
        processes = CheckProcesses(setup, hash_seed=hash_seed)
        self._open.append(processes)
        return processes

    def close(self) -> None:
        for processes in self._open:
            processes.close()

    def run(self) -> TrainerCheck:
        reference = self._reference()
        self._check_evaluations(reference)
        orders = self._orders(reference)
        self._others.order([replace(self._order, folder=str(self._elsewhere), variables=_VARIABLES)])
        reports = dict(zip(orders, self._processes.run(list(orders.values())), strict=True))
        is_repeatable = self._check_elsewhere(reference, self._others.reports()[0])
        for (way, what), report in reports.items():
            if is_repeatable:
                self._compare(way, what, reference, report, orders[way, what])
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

    def _orders(self, reference: RunReport) -> dict[tuple[Way, str], RunOrder]:
        order, steps = self._order, self._steps
        middle = max(1, steps // 2)
        orders = {
            (Way.UNDISTURBED, "no evaluation and no state_dict() in between"): replace(order, evaluates=False),
            (Way.AFTER_ANOTHER, "a worker that has trained another config before"): replace(
                order, before=_pieces(_other(self._config), min(2, steps))
            ),
        }
        for start in sorted({middle, steps - 1}):
            orders[Way.RESUMED, f"a fresh worker, from the state after {_count(start)}"] = replace(order, start=start)
        if steps > 2:
            cut = max(2, middle)
            what = f"a fresh worker, resumed after 1 step and once more after {_count(cut)}"
            orders[Way.RESUMED_TWICE, what] = replace(order, start=1, cut=cut)
        orders[Way.STEP_BY_STEP, "each step alone, from the state before it, the last one first"] = replace(
            order, one_by_one=True
        )
        if reference.num_workers is not None:
            workers = 0 if reference.num_workers else _LOADER_WORKERS
            what = f"{workers} loader workers instead of {reference.num_workers}"
            few = min(steps, _LOADER_STEPS)
            orders[Way.LOADER_WORKERS, what] = replace(order, num_workers=workers, stop=few)
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
        is_repeatable = self._compare(Way.AGAIN, again, reference, one, order)
        if not is_repeatable:
            for what in (hash_seed, elsewhere):
                self._skip(what, "another process is enough for a difference")
            return False
        (hashed,) = self._others.run([order])
        self._compare(Way.HASH_SEED, hash_seed, reference, hashed, order, self._others)
        if isinstance(moved, RunReport) and moved.failure is not None:
            raised = moved.failure.error.splitlines()[-1]
            self._skip(elsewhere, f"{moved.failure.method}() raised {raised}")
            self._notes.append(
                f"in another folder {moved.failure.method}() raised {raised}: a study that goes on from there, or on "
                "another machine, would fail. Say in trainer_args where the files are, with an absolute path."
            )
        else:
            there = replace(order, folder=str(self._elsewhere), variables=_VARIABLES)
            self._compare(Way.ELSEWHERE, elsewhere, reference, moved, there)
        return True

    def _compare(
        self,
        way: Way,
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
            self._found(0, "", "", f"{_begun(way, what)}: {report}.")
            return False
        if report.failure is not None:
            self._note(what, ComparisonVerdict.RAISED, steps)
            self._found(report.failure.step, f"{report.failure.method}()", "", _raised(way, what, report.failure))
            return False
        if report.is_bound:
            self._skip(what, "the trainer can go on from a state only where it was made")
            return True
        difference = first_difference(reference, report)
        self._note(what, ComparisonVerdict.DIFFERENT if difference else ComparisonVerdict.EQUAL, steps)
        if difference is not None:
            self._explain(way, what, difference, reference, order, processes or self._processes)
        return difference is None

    def _explain(
        self,
        way: Way,
        what: str,
        difference: StepDifference,
        reference: RunReport,
        order: RunOrder,
        processes: CheckProcesses,
    ) -> None:
        """Run both once more, watched, and say what they held differently before they parted."""
        (watched,) = processes.run([replace(order, watched=True, stop=min(order.stop, difference.step))])
        other = watched.moments if isinstance(watched, RunReport) else []
        culprits = find_culprits(self._moments(), other, difference)
        step = difference.step
        head = f"{_begun(way, what)}, step [{step - 1}, {step}) comes to something else: {_listed(difference.paths)}."
        if not culprits:
            self._found(step, "", "", f"{head} {_UNKNOWN[way in (Way.AGAIN, Way.ELSEWHERE, Way.HASH_SEED)]}")
            return
        known = {finding.name for finding in self._findings}
        fresh = [culprit for culprit in culprits if culprit.name not in known]
        for culprit in fresh[:MOST_NAMED]:
            message = f"{explain(culprit, way, reference.names)}\n   {head}"
            self._found(step, culprit.changed_by, culprit.name, message)

    def _moments(self) -> list[Moment]:
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


_UNKNOWN = {
    False: (
        "Nothing that the trainer, its classes and modules or the process hold tells the two apart: it is kept by a "
        "library, by another process, or in a file."
    ),
    True: (
        "Nothing that the trainer holds before that step tells the two apart: it depends on the time, on a number of "
        "the process, on a file, or on a generator that nobody seeds (os.urandom, secrets, a library's own)."
    ),
}


def _is_same(reference: RunReport, report: RunReport | Problem) -> bool:
    if not isinstance(report, RunReport) or report.failure is not None:
        return False
    return first_difference(reference, report) is None


def _begun(way: Way, what: str) -> str:
    return {
        Way.UNDISTURBED: "without evaluations and state_dict() in between",
        Way.AFTER_ANOTHER: "in a worker that has trained another config",
        Way.AGAIN: "trained again in a second process",
        Way.HASH_SEED: "under another PYTHONHASHSEED",
        Way.ELSEWHERE: "in another folder, with other environment variables",
        Way.LOADER_WORKERS: f"with {what}",
        Way.RESUMED: f"in {what}",
        Way.STEP_BY_STEP: "trained alone, from the state before it",
    }.get(way, what)


def _raised(way: Way, what: str, failure: Failure) -> str:
    return (
        f"{_begun(way, what)}, {failure.method}() raises {failure.error.splitlines()[-1]}, which it does not where the "
        f"same steps are trained in one go.\n{_indented(failure.traceback)}"
    )


def _indented(text: str) -> str:
    return "\n".join(f"   {line}" for line in text.rstrip().splitlines())


def _unusable(name: str, failure: Failure, config: Config) -> Exception:
    """Return the error for a trainer that does not even train once."""
    said = failure.error.splitlines()[-1] if failure.error else ""
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


def _costs(reference: RunReport) -> StepCosts:
    later = reference.steps[1:] or reference.steps
    return StepCosts(
        step_s=statistics.median(report.seconds for report in later),
        evaluation_s=statistics.median(report.evaluation_s for report in later),
        saving_s=statistics.median(report.saving_s for report in later),
        state_bytes=reference.steps[-1].size_bytes,
        own_s=reference.own_s,
    )
