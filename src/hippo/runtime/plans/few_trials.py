"""Trials of which there are too few to be walked as one: nobody spends seconds on finding out how they would be.

A surrogate's target is trained once, or twice, and by itself. To find out how its lanes are walked takes seconds; and
where that comes to one program, a lane alone in it takes longer than by itself. So the first word on such a shape is
that its lanes are walked one by one. It stays, as any does, since bits depend on it: who asks for more of the shape
later is told. This module refuses to know who asks for few, and why.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hippo.records import Fusion, Stage

if TYPE_CHECKING:
    from hippo.runtime.plans.plan_run import PlanRun
    from hippo.runtime.studies.requests import Request

#: how lanes are walked of a shape of which only so few were asked for
FEW = Fusion(is_fused=False, detail="the first of them were few, such as the target of surrogates, and walked so")


def settle_few(run: PlanRun, first: Stage, served: Sequence[Request]) -> str | None:
    """Settle how a lane is walked that is to be given out, where it is one of few; return what users should hear.

    Args:
      run: the plan.
      first: where the lane begins.
      served: the requests that it answers. A lane that answers none may be the beginning of anything.
    """
    if not run.formations.may_fuse or not served:
        return None
    decided = run.formations.fusion_of(first)
    has_company = any(request.has_company for request in served)
    if decided is None and not any(request.has_company for request in run.waiting.requests.values()):
        run.formations.settle(first, FEW)
    elif decided == FEW and has_company and run.is_news("walked one by one"):
        return (
            f"lanes of {run.spec.reference or 'this trainer'} are walked one by one, although "
            f"numerics={run.spec.numerics!r} allows more: {FEW.detail}. Another database, or other numerics, begin "
            "a plan in which that is open"
        )
    return None
