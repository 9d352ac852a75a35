"""The dashboard's web front: a page, its data as JSON, and a stream of changes.

By itself it reads, and changes nothing. Mounted by a service it asks for that one's tokens, and passes on what people
want done there. A token comes in a header alone: pages of others cannot send it, and no address shows it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from hippo.clock import Clock, SystemClock
from hippo.dashboard.acting_front import ActingFront
from hippo.dashboard.beside_optuna import has_optunas_dashboard, optuna_routes
from hippo.dashboard.comparing_front import ComparingFront
from hippo.dashboard.front import PAGE, DashboardFront
from hippo.dashboard.guarding import GuardedFiles, guarded, in_thread, refusal
from hippo.dashboard.read_studies import ReadStudies
from hippo.plan import AbstractPlanStore
from hippo.server.acting import ServiceActs
from hippo.server.guard import Guard
from hippo.server.tokens import Right


def make_dashboard(
    store: AbstractPlanStore,
    clock: Clock | None = None,
    *,
    guard: Guard | None = None,
    acts: ServiceActs | None = None,
    optuna_storage: str | None = None,
    price: float | None = None,
) -> Any:
    """Return the ASGI application that shows the studies of a database.

    Args:
      store: of which rows are read, and none is written.
      clock: by default the machine's.
      guard: knows who may look, and act; by default whoever sits at this machine may look.
      acts: does what people want done to studies; None: nothing can be done from the page.
      optuna_storage: URL of the same database, for Optuna's dashboard beside this one, if it is installed; None:
        without it. Only at the root of a server, where its page asks for what it needs.
      price: of a device-hour, in whatever money; None: whoever looks may give one.
    """
    guard = guard or Guard(None)
    has_optunas = optuna_storage is not None and has_optunas_dashboard()
    clock = clock or SystemClock()
    reads = ReadStudies(store, clock)
    front, comparing = DashboardFront(store, clock, guard, reads), ComparingFront(reads, price)
    acting = ActingFront(store, guard, acts, has_optunas=has_optunas)
    answers: dict[str, Callable[[Request], Any]] = {
        "overview": front.studies,
        "tree": front.tree,
        "curves": front.curves,
        "schedules": front.schedules,
        "savings": comparing.savings,
        "rungs": front.rungs,
        "slots": front.slots,
        "lineage": front.lineage,
        "history": comparing.history,
        "parallel": comparing.parallel,
        "importance": comparing.importance,
        "pareto": comparing.pareto,
        "together": comparing.together,
        "storage": front.storage,
        "trials": front.trials,
        "trials-file": front.trials_file,
        "trial": front.trial,
        "node": front.node,
    }
    reading = {**answers, "rights": acting.rights, "acts": acting.acts}
    routes: list[BaseRoute] = [
        Route("/", guarded(guard, None, front.page)),
        Route("/api/acts", guarded(guard, Right.READ, acting.act), methods=["POST"]),
        *[Route(f"/api/{name}", guarded(guard, Right.READ, in_thread(answer))) for name, answer in reading.items()],
        Route("/api/changes", guarded(guard, Right.READ, front.changes)),
        Mount("/page", GuardedFiles(guard, StaticFiles(directory=PAGE))),
    ]
    if optuna_storage is not None and has_optunas:
        routes += optuna_routes(optuna_storage, lambda request: refusal(guard, request.headers, Right.READ))
    return Starlette(routes=routes)
