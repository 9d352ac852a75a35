"""Answers the page's questions about studies, and tells it of changes: it reads, and changes nothing."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from starlette.requests import Request
from starlette.responses import FileResponse, Response, StreamingResponse

from hippo.clock import Clock
from hippo.dashboard.answers import lineage_answer, metric_of, rungs_answer, schedules_answer, storage_answer
from hippo.dashboard.drawn_curves import curves_answer
from hippo.dashboard.drawn_slots import slots_answer
from hippo.dashboard.drawn_tree import TreeMoment, drawn_tree, tree_answer
from hippo.dashboard.guarding import refusal
from hippo.dashboard.nodes import node_answer
from hippo.dashboard.questions import MOST_DIGITS, made_once, number_in, of_tree, study_of
from hippo.dashboard.read_studies import ReadStudies, ReadStudy
from hippo.dashboard.study_list import study_answer
from hippo.dashboard.trial_answers import trial_answer
from hippo.dashboard.trial_tables import TrialChoice, trials_answer, trials_file
from hippo.dashboard.watching import ChangeWatcher
from hippo.plan import AbstractPlanStore, PlanRow
from hippo.server.guard import Guard
from hippo.server.tokens import Right

PAGE = Path(__file__).parent / "page"
#: silence after which the stream of changes says that it is still there
_HEARTBEAT_S = 15.0
#: characters of a study's name in that of a file
_MOST_NAME = 100


class DashboardFront:
    """Answers the page's questions.

    Args:
      store: to be read.
      clock: says until when what runs is shown.
      guard: knows who may go on listening.
      reads: the store's studies.
    """

    def __init__(self, store: AbstractPlanStore, clock: Clock, guard: Guard, reads: ReadStudies) -> None:
        self._store = store
        self._clock = clock
        self._guard = guard
        self._watcher = ChangeWatcher(store.changes)
        self._read = reads

    async def page(self, request: Request) -> Response:
        """Return the page."""
        return FileResponse(PAGE / "index.html")

    async def changes(self, request: Request) -> Response:
        """Tell the number of the database's state, now and whenever it changes, as server-sent events."""
        given = request.headers.get("last-event-id", "")
        known = int(given) if given.isdecimal() and len(given) <= MOST_DIGITS else -1
        return StreamingResponse(self._told(known, request.headers), media_type="text/event-stream")

    async def _told(self, known: int, headers: Mapping[str, str]) -> AsyncIterator[str]:
        while refusal(self._guard, headers, Right.READ) is None:  # a token that was revoked meanwhile hears no more
            number = await self._watcher.next_after(known, timeout_s=_HEARTBEAT_S)
            yield ": still here\n\n" if number == known else f"id: {number}\ndata: {number}\n\n"
            known = number

    # --- on threads of their own

    def studies(self, request: Request) -> dict[str, Any]:
        """List the studies, as they were a moment ago where looking takes long."""
        with self._store.reading() as rows:
            exactness = dict(rows.columns(PlanRow, ("plan", "exactness")))
        found = [_line(self._read.named(name), exactness) for name in self._read.names()]
        waits = [again_s for _, again_s in found if again_s is not None]
        return {
            "storage": self._store.url,
            "studies": [line for line, _ in found],
            "again_s": min(waits, default=None),
        }

    def tree(self, request: Request) -> dict[str, Any]:
        """Tell a study's tree, as it was a moment ago where looking takes long."""
        read, folds = self._read.named(study_of(request)), request.query_params.get("folded") != "0"
        drawn, again_s = read.rested(
            "tree" if folds else "tree, nothing folded",
            lambda: _drawn_tree(read, folds=folds),
            # who is killed writes nothing
            lambda made: not made.left.is_worked_on,
        )
        return {**tree_answer(drawn, request.query_params.get("metric") or metric_of(read.study)), "again_s": again_s}

    def curves(self, request: Request) -> dict[str, Any]:
        """Tell a metric over steps, or seconds."""
        asked = request.query_params
        metric, by, seeds = asked.get("metric"), asked.get("by", "steps"), asked.get("seeds", "")
        answer = of_tree(lambda study, tree: curves_answer(study, tree, metric, by=by, seeds=seeds))
        return made_once(self._read, request, answer)

    def schedules(self, request: Request) -> dict[str, Any]:
        """Tell hyper-parameters over steps."""
        chosen = request.query_params.get("trials", "")
        numbers = [number_in(each, "trials") for each in chosen.split(",")] if chosen else None
        return made_once(self._read, request, lambda read: schedules_answer(read.study, numbers))

    def rungs(self, request: Request) -> dict[str, Any]:
        """Tell who went on at each step to which a tuner asked."""
        return made_once(self._read, request, lambda read: rungs_answer(read.study))

    def lineage(self, request: Request) -> dict[str, Any]:
        """Tell which trial each one left."""
        return made_once(self._read, request, of_tree(lineage_answer))

    def storage(self, request: Request) -> dict[str, Any]:
        """Tell what states take in files."""
        read = self._read.named(study_of(request))
        return read.now_and_then("storage", lambda: storage_answer(read.study))

    def slots(self, request: Request) -> dict[str, Any]:
        """Tell what each slot did when."""
        answer = of_tree(lambda study, tree: slots_answer(study, tree, self._clock.now()))
        # what runs goes on while nothing is written
        return made_once(self._read, request, answer, lambda made: not made["runs"])

    def trials(self, request: Request) -> dict[str, Any]:
        """Tell a page of the trials."""
        asked = request.query_params
        offset, limit = number_in(asked.get("offset", "0"), "offset"), number_in(asked.get("limit", "100"), "limit")
        choice = _trial_choice(request)
        return made_once(
            self._read, request, lambda read: trials_answer(read.study, choice, offset=offset, limit=limit)
        )

    def trials_file(self, request: Request) -> Response:
        """Return all trials that a page shows a part of, as a file."""
        form, read = request.query_params.get("form", ""), self._read.named(study_of(request))
        # made for one who asks, and not kept: it may be large, and others should not wait for it
        text = trials_file(read.study, _trial_choice(request), form)
        name = re.sub(r"[^-.A-Za-z0-9]+", "_", read.study.name)[:_MOST_NAME]
        kind = "text/csv" if form == "csv" else "application/json"
        return Response(
            text, media_type=kind, headers={"Content-Disposition": f'attachment; filename="{name}-trials.{form}"'}
        )

    def trial(self, request: Request) -> dict[str, Any]:
        """Tell all about one trial."""
        number = number_in(request.query_params.get("number", ""), "number")
        return trial_answer(self._read.named(study_of(request)).study, number)

    def node(self, request: Request) -> dict[str, Any]:
        """Tell all about one stretch of the tree."""
        asked = request.query_params
        node, member = number_in(asked.get("node", ""), "node"), asked.get("member", "")
        answer = of_tree(lambda study, tree: node_answer(study, tree, self._store, node, member))
        return made_once(self._read, request, answer)


def _trial_choice(request: Request) -> TrialChoice:
    """Return which trials a question is about; names of columns are escaped once more, since commas part them."""
    asked = request.query_params
    return TrialChoice(
        state=asked.get("state", ""),
        text=asked.get("text", ""),
        filter=asked.get("filter", ""),
        order=asked.get("order", "number"),
        columns=tuple(unquote(each) for each in asked.get("columns", "").split(",") if each),
    )


def _drawn_tree(read: ReadStudy, *, folds: bool) -> TreeMoment:
    with read.tree() as tree:
        return drawn_tree(tree, folds=folds)


def _line(read: ReadStudy, exactness: Mapping[int, str]) -> tuple[dict[str, Any], float | None]:
    """Return what the list says of a study, and after how many seconds there is more to say."""
    # of what nobody works on nothing is left; else it is looked at again, since who is killed writes nothing
    return read.rested("line", lambda: study_answer(read.study, exactness), lambda line: line["left"] is None)
