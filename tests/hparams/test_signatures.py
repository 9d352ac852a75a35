"""What `help`, editors and `inspect` show of a class is how it is called, whatever takes it first."""

from __future__ import annotations

import inspect
import pydoc
from dataclasses import dataclass

import pytest

import hippo
from hippo.hparams import Sequence

SEQUENCES = sorted(name for name in hippo.hparams.__all__ if isinstance(getattr(hippo.hparams, name), type(Sequence)))


@pytest.mark.parametrize("name", SEQUENCES)
def test_a_sequence_shows_its_own_parameters(name: str) -> None:
    cls = getattr(hippo.hparams, name)
    shown = [*inspect.signature(cls).parameters]
    assert shown == ([] if name == "Sequence" else [*inspect.signature(cls.__init__).parameters][1:])


def test_help_says_how_a_sequence_is_called() -> None:
    text = pydoc.plain(pydoc.render_doc(hippo.MultiStep))
    assert "MultiStep(initial: 'float', milestones: 'Listed[int]', gamma: 'float')" in text


def test_a_sequence_of_a_users_own_shows_its_fields() -> None:
    @dataclass(frozen=True)
    class Wave(Sequence):
        height: float

        def value(self, t: float) -> float:
            return self.height

    assert [*inspect.signature(Wave).parameters] == ["height"]
    assert (Wave.__doc__ or "").startswith("Wave(height: ")
