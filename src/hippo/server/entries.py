"""What clients say in a call, read from JSON: each entry is checked, and a config is refused by itself."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from hippo.errors import BudgetError, HippoError, RefusedError
from hippo.server.sessions import SaidEntry
from hippo.server.wire import MOST_ENTRIES, MOST_NUMBER, check_text, proposal_from_json
from hippo.tuners.ask import Proposal
from hippo.tuners.budgets import check_steps

#: kind -> its fields with their types; the first three hold a proposal, too
_FIELDS: Mapping[str, Mapping[str, tuple[type, ...]]] = {
    "ask": {"stream": (int, type(None))},
    "release": {},
    "pin": {"last": (bool,)},
    "withdraw": {"entries": (list,)},
    "unpin": {"entry": (int,)},
    "stream": {},
    "pulled": {"stream": (int,), "exhausted": (bool,), "seen": (int,)},
    "leave": {"stream": (int,)},
    "limit": {"seconds": (int, float, type(None)), "device_seconds": (int, float, type(None))},
    "unlimit": {"entry": (int,)},
    "queries": {"member": (str, type(None)), "told": (list,)},
    "show": {"text": (str,)},
}
_WITH_PROPOSAL = ("ask", "release", "pin")
_MOST_SHOWN = 200
#: beyond it a whole number is no float any more, as which seconds are reckoned with
_MOST_SECONDS = 1e308


class EntryReader:
    """Reads entries as one service takes them.

    Args:
      custom: take sequences of users' own.
      most_steps: the largest `until`.
    """

    def __init__(self, *, custom: bool, most_steps: int) -> None:
        self._custom = custom
        self._most_steps = most_steps

    def read(self, data: Any) -> list[SaidEntry]:
        """Return the entries of one request.

        Raises:
          RefusedError: they are too many, or one of them is none.
        """
        if not isinstance(data, list) or len(data) > MOST_ENTRIES:
            raise RefusedError(f"a request holds a list of {MOST_ENTRIES} entries at most; send less at once")
        return [self._read(entry) for entry in data]

    def _read(self, data: Any) -> SaidEntry:
        kind: Any = data.get("kind") if isinstance(data, dict) else None
        fields = _FIELDS.get(kind) if isinstance(kind, str) else None
        if fields is None:
            raise RefusedError(f"an entry is of one of the kinds {sorted(_FIELDS)}, not {str(data)[:100]!r}")
        given = {name: data.get(name) for name in fields}
        for name, value in given.items():
            if type(value) not in fields[name]:
                raise RefusedError(f"{name!r} of an entry {kind!r} cannot be {str(value)[:100]!r}")
        if kind == "withdraw" and not all(type(number) is int for number in given["entries"]):
            raise RefusedError("an entry 'withdraw' names entries by their numbers")
        if kind == "queries" and not all(type(steps) is int and 0 <= steps <= MOST_NUMBER for steps in given["told"]):
            raise RefusedError("an entry 'queries' tells how many steps were missing, query by query")
        if kind == "limit" and any(value is not None and abs(value) > _MOST_SECONDS for value in given.values()):
            raise RefusedError(f"a limit is {_MOST_SECONDS:g} seconds at most; null is none at all")
        if kind == "show":
            given["text"] = given["text"][:_MOST_SHOWN]
            check_text("what is shown", given["text"])
        if kind not in _WITH_PROPOSAL:
            return SaidEntry(kind=kind, fields=given)
        try:
            return SaidEntry(kind=kind, fields=given, proposal=self.proposal(data.get("proposal")))
        except HippoError as error:
            return SaidEntry(kind=kind, fields=given, refused=error)

    def proposal(self, data: Any) -> Proposal:
        """Return what is asked.

        Raises:
          HippoError: it cannot be.
        """
        proposal = proposal_from_json(data, custom=self._custom)
        check_steps("until", proposal.until)
        if proposal.until > self._most_steps:
            raise BudgetError(
                f"until={proposal.until} is more than the {self._most_steps} steps that this service takes; whoever "
                "runs it says how many: hippo serve --max-steps"
            )
        return proposal
