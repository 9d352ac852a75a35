"""What a question of the page says, and what all answers to questions about a study have in common."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from starlette.requests import Request

from hippo.dashboard.read_studies import ReadStudies, ReadStudy
from hippo.errors import OptionError
from hippo.study import Study
from hippo.study.results.walked_tree import WalkedTree

#: digits of a number in a question
MOST_DIGITS = 9


def study_of(request: Request) -> str:
    """Return the name of the study that a question is about.

    Raises:
      OptionError: it names none.
    """
    name = request.query_params.get("study")
    if not name:
        raise OptionError("which study? Name it: ?study=NAME")
    return name


def number_in(text: str, what: str) -> int:
    """Return the number that a text of a question is.

    Args:
      text: it.
      what: what it is the number of.

    Raises:
      OptionError: it is none.
    """
    if not text.isdecimal() or len(text) > MOST_DIGITS:
        raise OptionError(f"{what}={text[:50]!r} is no number")
    return int(text)


def made_once(
    reads: ReadStudies,
    request: Request,
    answer: Callable[[ReadStudy], dict[str, Any]],
    keeps: Callable[[dict[str, Any]], bool] = lambda made: True,
) -> dict[str, Any]:
    """Return what is answered of the study that a question names, made once for as long as nothing is written.

    Args:
      reads: the studies.
      request: the question.
      answer: makes it.
      keeps: tells whether what was made holds until something is written.
    """
    read = reads.named(study_of(request))
    # however it was written; of what is given twice the order matters
    asked = sorted(request.query_params.multi_items(), key=lambda pair: pair[0])
    return read.once(f"{request.url.path} {asked}", lambda: answer(read), keeps)


def of_tree(answer: Callable[[Study, WalkedTree], dict[str, Any]]) -> Callable[[ReadStudy], dict[str, Any]]:
    """Return what answers of a study as it is read what is answered of its tree."""

    def answered(read: ReadStudy) -> dict[str, Any]:
        with read.tree() as tree:
            return answer(read.study, tree)

    return answered
