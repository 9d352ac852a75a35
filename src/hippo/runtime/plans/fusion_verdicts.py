"""How lanes of a shape are walked, as their workers found out: recorded once for each shape of a plan."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from hippo.events import FusionChecked, LanesDiffer, LanesLimited
from hippo.plan import Shape
from hippo.records import FUSED, Fusion
from hippo.runtime.plans.formations import COMPANY
from hippo.runtime.plans.leases import RunningLease
from hippo.runtime.plans.outcomes import Outcome

if TYPE_CHECKING:
    from hippo.runtime.plans.plan_run import PlanRun


def absorb_fusion(
    run: PlanRun, event: FusionChecked | LanesDiffer | LanesLimited, lease: RunningLease, outcome: Outcome
) -> None:
    """Take in what the workers of a lease found out about the shape of its lanes."""
    facts, shape = run.plan.fusion_facts, run.formations.shape_of_lease(lease)
    match event:
        case FusionChecked(fusion=fusion):
            if shape not in facts.verdicts:  # else it was said before
                payer = lease.accounts[0].payer
                payer.counters.fusion_check_seconds += event.seconds
                run.plan.set_fusion_facts(facts.checked(payer.row.study, event.seconds))
            decide(run, shape, fusion, outcome)
        case LanesDiffer(names=names):
            run.plan.set_fusion_facts(facts.split(names))
            listed_names = ", ".join(map(repr, sorted(names)))
            if run.is_news(f"parted by {listed_names}"):
                outcome.news.append(
                    f"trials of {run.spec.reference or 'this trainer'} that differ in {listed_names} are not walked as "
                    "one with each other: other methods than make_optimizer() look at it, and come to other things"
                )
        case LanesLimited(lanes=lanes, reason=reason):
            limited = facts.limited(shape, lanes)
            if limited != facts:
                run.plan.set_fusion_facts(limited)
                outcome.news.append(
                    f"no more than {limited.most_lanes[shape]} lanes of {run.spec.reference or 'this trainer'} are "
                    f"walked at once from now on: {reason}"
                )


def decide(run: PlanRun, shape: Shape, fusion: Fusion, outcome: Outcome) -> None:
    """Record how lanes of a shape are walked from now on, unless that is known, and tell what users should hear."""
    known = run.plan.fusion_facts.verdicts
    run.plan.set_fusion_facts(run.plan.fusion_facts.decided(shape, fusion))
    name = _parting_number(shape, known) if fusion.is_fused else None
    if name is not None and run.is_news(f"parted by {name!r}"):
        outcome.news.append(
            f"trials of {run.spec.reference or 'this trainer'} that differ in {name!r} are not walked as one with each "
            "other: of whole numbers, True and False nobody knows whether shapes follow from them. Write 1.0 for 1 "
            "where it is a factor"
        )
    trainer = run.spec.reference or "this trainer"
    if not fusion.is_fused and run.is_news("walked one by one"):
        outcome.warnings.append(
            f"lanes of {trainer} are walked one by one, although numerics={run.spec.numerics!r} allows more: "
            f"{fusion.detail or 'its worker did not say why'}"
        )
    if not fusion.keeps_bits and run.spec.numerics == FUSED and run.is_news(COMPANY):
        outcome.news.append(
            f"numerics='fused', and it was seen in {trainer} that the last bits of a trial's results may depend on "
            "the trials that are walked beside it, whatever is done against that; numerics='fused-fast' says that it "
            "does not matter"
        )


def _parting_number(shape: Shape, known: Iterable[Shape]) -> str | None:
    """Return the name of the whole number, or truth value, in which alone a shape differs from a known one, if any.

    Of batch sizes everybody expects it.
    """
    for other in map(dict, known):
        here = dict(shape)
        names = [name for name in {*here, *other} if here.get(name) != other.get(name)]
        if len(names) == 1 and names != ["batch_size"] and _is_number(here.get(names[0]) or other[names[0]]):
            return names[0]
    return None


def _is_number(text: str) -> bool:
    return text in ("True", "False") or text.lstrip("-").isdecimal()
