"""What tests of engines start from."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

import hippo


@pytest.fixture
def study_of() -> Iterator[Callable[..., hippo.Study]]:
    """Make studies in a folder, and close them: launchers that a test leaves behind are others' as well to the next."""
    with ExitStack() as stack:

        def make(folder: Path, trainer: type, engine: Any, *, numerics: str = "exact", **args: Any) -> hippo.Study:
            folder.mkdir(exist_ok=True)
            study = hippo.create_study(
                "ranks",
                trainer=trainer,
                trainer_args=args,
                storage=f"sqlite:///{folder}/hippo.db",
                checkpoints=str(folder / "states"),
                engine=engine,
                metric="loss",
                mode="min",
                numerics=numerics,
            )
            stack.callback(study.close)
            return study

        yield make
