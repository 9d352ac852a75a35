"""Whether the class that a study trains is still what its user has before him.

A class that cannot be imported travels by value, as it was when the study was made. In a notebook a cell that defines
it, or something that it reads, may be run again; a study that was made before trains with the old one, and says so.
"""

from __future__ import annotations

import sys
from typing import Any

from hippo.errors import HippoError
from hippo.runtime.studies.warnings import say
from hippo.training.code.fingerprint import fingerprint
from hippo.training.process.script_floats import floats_of_script, said_floats


class CodeOfStudy:
    """The code that a study was made with.

    Args:
      study: its name.
      trainer: the class that was given.
      made_with: its fingerprint when the study was made.
    """

    def __init__(self, study: str, trainer: type, made_with: str) -> None:
        self._study = study
        self._trainer = trainer
        self._said = self._made_with = made_with
        # not where `type(name, bases, ...)` made it, or another class has taken its name before
        self._is_named = self._named() is trainer

    def say_changes(self) -> None:
        """Say once that the class has changed, and again where it changes further."""
        try:
            now = fingerprint(self._now())
        except HippoError:  # its file was edited while this process runs: create_study refuses that, in its own words
            return
        if now not in (self._made_with, self._said):
            say(
                f"study {self._study!r}: {self._trainer.__name__}, or what it reads, has changed since create_study; "
                "this study trains with what it was made with. Call create_study again to train with the new one."
            )
        self._said = now

    def _now(self) -> type:
        """Return the class that goes by the trainer's name now: a cell that is run again makes another one."""
        found = self._named() if self._is_named else None
        return found if isinstance(found, type) else self._trainer

    def _named(self) -> Any:
        found: Any = sys.modules.get(self._trainer.__module__)
        for part in self._trainer.__qualname__.split("."):
            found = getattr(found, part, None)
        return found


class FloatsOfStudy:
    """How torch computed with floats in the script when the study was made.

    Args:
      study: its name.
      made_with: as `floats_of_script` said it.
    """

    def __init__(self, study: str, made_with: str) -> None:
        self._study = study
        self._said = self._made_with = made_with

    def say_changes(self) -> None:
        """Say once that the script computes otherwise now, and again where it changes further."""
        now = floats_of_script()
        if now not in (self._made_with, self._said):
            before, after = said_floats(self._made_with), said_floats(now)
            changed = [name for name in before | after if before.get(name) != after.get(name)]
            say(
                f"study {self._study!r}: {' and '.join(changed)} has changed since create_study; this study trains "
                "with what it was made with. Say it before create_study, or call that again."
            )
        self._said = now
