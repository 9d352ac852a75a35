"""Which last states of its trials a study keeps."""

from __future__ import annotations

import re

from hippo.frozen import frozen_tuple

_TOP = re.compile(r"top:([1-9][0-9]*)")


@frozen_tuple
class KeepRule:
    """What a study keeps when its trials are over, as text: "best", "top:K", "leaves" or "all"."""

    text: str = "leaves"

    @property
    def top(self) -> int | None:
        """Of how many of the best trials the last state is kept; None: of all."""
        if self.text in ("leaves", "all"):  # asked for each answer, and for each end of a lane
            return None
        if self.text == "best":
            return 1
        found = _TOP.fullmatch(self.text)
        return None if found is None else int(found.group(1))

    @property
    def keeps_passed(self) -> bool:
        """Whether every state at the end of a stage is kept, and not only the last ones."""
        return self.text == "all"

    @classmethod
    def known(cls, text: object) -> bool:
        """Tell whether there is such a rule."""
        return isinstance(text, str) and (text in ("best", "leaves", "all") or _TOP.fullmatch(text) is not None)
