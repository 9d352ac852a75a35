"""How study tests make studies, and close them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import hippo
from hippo.testing.trainers import ToyTrainer


@pytest.fixture
def make_study(tmp_path: Path) -> Iterator[Callable[..., hippo.Study]]:
    """Return what makes a study of a toy trainer in this process, in memory; any option may be given."""
    studies: list[hippo.Study] = []

    def make(name: str = "toy", **options: Any) -> hippo.Study:
        defaults: dict[str, Any] = {
            "trainer": ToyTrainer,
            "storage": "memory://",
            "metric": "loss",
            "mode": "min",
        }
        options = {**defaults, **options}
        options.setdefault("engine", hippo.InlineEngine())
        if not str(options["storage"]).startswith("memory://"):
            options.setdefault("checkpoints", str(tmp_path / "checkpoints"))  # and not where the tests are run
        studies.append(hippo.create_study(name, **options))
        return studies[-1]

    yield make
    for study in studies:
        study.close()
