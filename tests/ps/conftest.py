"""Studies on a parameter server."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import hippo
from hippo.testing.ps_trainers import NoisyServer

MakeStudy = Callable[..., hippo.Study]


@pytest.fixture
def make_study(tmp_path: Path) -> Iterator[MakeStudy]:
    """Make studies of a `NoisyServer` below one folder, and close them."""
    made: list[hippo.Study] = []

    def make(name: str = "bowl", trainer: Any = NoisyServer, **options: Any) -> hippo.Study:
        given: dict[str, Any] = {
            "storage": f"sqlite:///{tmp_path / 'hippo.db'}",
            "checkpoints": str(tmp_path / "checkpoints"),
            "engine": hippo.InlineEngine(),
            "metric": "loss",
            "mode": "min",
        }
        study = hippo.create_study(name, trainer=trainer, **{**given, **options})
        made.append(study)
        return study

    yield make
    for study in made:
        study.close()
