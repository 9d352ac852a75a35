"""Answers the page's questions that compare: trials, studies by their best values, steps by a price."""

from __future__ import annotations

from typing import Any

from starlette.requests import Request

from hippo.dashboard.answers import savings_answer
from hippo.dashboard.comparing import history_answer, importance_answer, parallel_answer
from hippo.dashboard.questions import made_once, of_tree, study_of
from hippo.dashboard.read_studies import ReadStudies, ReadStudy
from hippo.dashboard.weighing import best_answer, check_several, pareto_answer, together_answer
from hippo.errors import OptionError
from hippo.records import Mode
from hippo.views import common_objective
from hippo.views.pareto import mode_in


class ComparingFront:
    """Answers questions on threads of their own.

    Args:
      reads: the studies.
      price: of a device-hour, as whoever started this said; None: nobody did.
    """

    def __init__(self, reads: ReadStudies, price: float | None) -> None:
        self._reads = reads
        self._price = price

    def savings(self, request: Request) -> dict[str, Any]:
        """Tell what sharing was worth, in money at the price that is asked for, or that this was started with."""
        text = request.query_params.get("price")
        price = self._price if text is None else _price(text)
        answer = of_tree(lambda study, tree: savings_answer(study, tree, price))
        return made_once(self._reads, request, answer)

    def history(self, request: Request) -> dict[str, Any]:
        """Tell what trials came to."""
        return made_once(self._reads, request, lambda read: history_answer(read.study))

    def parallel(self, request: Request) -> dict[str, Any]:
        """Tell trials as lines through their hyper-parameters."""
        return made_once(self._reads, request, lambda read: parallel_answer(read.study))

    def importance(self, request: Request) -> dict[str, Any]:
        """Tell which hyper-parameters matter, as it was a moment ago where finding out takes long."""
        read = self._reads.named(study_of(request))
        return read.now_and_then("importance", lambda: importance_answer(read.study))

    def pareto(self, request: Request) -> dict[str, Any]:
        """Tell trials by two things at once."""
        asked = request.query_params
        metric, against, modes = asked.get("metric"), asked.get("against"), dict(map(_mode, asked.getlist("mode")))
        return made_once(self._reads, request, lambda read: pareto_answer(read.study, metric, against, modes))

    def together(self, request: Request) -> dict[str, Any]:
        """Tell the best value over what was spent, of a study and those beside it."""
        metric = request.query_params.get("metric")
        names = [study_of(request), *request.query_params.getlist("with")]
        check_several(names)
        reads = [self._reads.named(name) for name in names]
        # refused before anything is read for it
        objective = common_objective([(read.study.name, read.study.objectives) for read in reads], metric)
        return together_answer(objective, [_best_of(read, objective.metric) for read in reads], self._reads.names())


def _best_of(read: ReadStudy, metric: str) -> dict[str, Any]:
    return read.once(f"best {metric}", lambda: best_answer(read.study, read.costs, metric))


def _price(text: str) -> float:
    """Return what a price in a question is; one that is none is refused by who uses it."""
    try:
        return float(text)
    except ValueError:
        raise OptionError(f"price={text[:50]!r} is no number") from None


def _mode(text: str) -> tuple[str, Mode]:
    """Return which values of a metric are better, of METRIC=min or METRIC=max."""
    found = mode_in(text)
    if found is None:
        raise OptionError(f"mode={text[:50]!r} is not METRIC=min or METRIC=max")
    return found
