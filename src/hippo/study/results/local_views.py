"""What holds connections to where it comes from, and so can be neither copied nor sent to other processes."""

from __future__ import annotations

from typing import ClassVar, NoReturn


class LocalView:
    """Says, when it is pickled or copied, what to do instead."""

    _instead: ClassVar[str]

    def __reduce__(self) -> NoReturn:
        raise TypeError(f"{str(self)[:200]} is neither copied nor sent to other processes: {self._instead}")
