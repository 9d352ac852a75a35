"""What cannot be walked as one program, and why: each reason is one line that says what to do instead.

It looks at classes and attributes, before anything runs. It refuses to know models and batches.
"""

from __future__ import annotations

from collections.abc import Iterable


class NotFusible(Exception):
    """Lanes of this workload cannot be walked as one program; the message says why, and what to do instead."""


class LanesDifferIn(Exception):
    """These lanes cannot be walked as one program, since they differ in values on which the program depends.

    Args:
      names: of the hyper-parameters; lanes that agree in them can be walked together.
    """

    def __init__(self, names: Iterable[str]) -> None:
        self.names = tuple(sorted(names))
        super().__init__(f"lanes differ in {', '.join(map(repr, self.names))}, on which what is computed depends")
