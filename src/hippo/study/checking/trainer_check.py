"""Whether a trainer resumes exactly: `hippo.check_trainer`, which no database hears of.

The same few steps are trained in several ways, each in a process of its own, that must come to the same bits. Where two
of them part, both are run once more and watched, to name what one of them held and the other did not.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hippo.arguments import explain_calls
from hippo.errors import BudgetError, OptionError, TrialFailedError
from hippo.hparams import Config, as_config
from hippo.plan import PlanRow
from hippo.records import ASYNC, ELASTIC, Workload
from hippo.runtime import check_config
from hippo.study.checking.check_results import (
    CheckFinding,
    ComparisonVerdict,
    TrainerCheck,
    TrainerComparison,
    TrainerCosts,
)
from hippo.study.checking.trainer_check_run import TrainerCheckRun
from hippo.study.identity.describing import check_trainer_args
from hippo.study.identity.workloads import trainer_name
from hippo.study.options import check_numerics, check_seed
from hippo.study.study import Study
from hippo.training import resolve, ship
from hippo.tuners.budgets import checked_steps

__all__ = [
    "CheckFinding",
    "ComparisonVerdict",
    "TrainerCheck",
    "TrainerComparison",
    "TrainerCosts",
    "check_trainer",
    "what_a_study_trains",
]

#: steps that are trained unless somebody says how many
DEFAULT_STEPS = 8


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
      numerics: as for `hippo.create_study`; with "fused", it is also said whether trials are walked as one program, and
        if not, why.
      by_value: send the class itself to the worker processes, even if they could import it: where its module is a
        script that runs something when it is imported.

    Raises:
      TrainerError: it is no trainer, cannot travel to worker processes, or raises by itself.
      HparamError: the config cannot be trained, or lacks a hyper-parameter that the trainer reads.
      BudgetError: fewer than 2 steps.
      OptionError: nothing is promised that could be checked.
    """
    if check_numerics(numerics) == ASYNC:
        raise OptionError(
            f"numerics={ASYNC!r} promises nothing that could be checked: two runs of a step differ. Check the trainer "
            "with order='pinned' and numerics='exact'"
        )
    if numerics == ELASTIC:
        raise OptionError(
            f"numerics={ELASTIC!r} promises nothing that could be checked: bits depend on the number of processes. "
            "Check the trainer with numerics='exact'"
        )
    steps = checked_steps("steps", steps)
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
        check = TrainerCheckRun(spec, trainer_name(cls), asked, steps, Path(folder))
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
