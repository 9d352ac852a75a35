"""Databases that real studies have left, for commands that read them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import hippo


@pytest.fixture(scope="session", autouse=True)
def _no_signs_of_life() -> Iterator[None]:
    """On a machine that stands still for some seconds, anything takes so long that a sign of life is given."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("hippo.cli.output._SIGN_OF_LIFE_S", 600.0)
        yield


@pytest.fixture(scope="session")
def left(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with hippo.db: "toy" (trial 1 failed), "[bold]x[/]", "empty" without a trial, "two" objectives."""
    folder = tmp_path_factory.mktemp("left")

    def study(name: str, **options: object) -> hippo.Study:
        options = {"trainer_args": {}, "metric": "loss", "mode": "min", "keep": "leaves", **options}
        return hippo.create_study(
            name,
            trainer="hippo.testing.trainers:ToyTrainer",
            storage=f"sqlite:///{folder}/hippo.db",
            checkpoints=str(folder / "states"),
            engine=hippo.InlineEngine(),
            **options,  # type: ignore[arg-type]
        )

    fails = {"raise_in": "train", "raise_at": 2, "raise_if": {"lr": 0.2}}
    toy = study("toy", trainer_args=fails)
    toy.optimize(
        hippo.GridSearch([{"lr": 0.010000000000000002, "batch_size": 8}, {"lr": 0.2, "batch_size": 8}], until=4)
    )
    study("[bold]x[/]").optimize(hippo.GridSearch([{"k[red]": "[green]g[/]"}], until=1))
    study("empty")
    two = study("two", metric=["loss", "luck"], mode=["min", "max"])
    two.optimize(hippo.GridSearch([{"lr": 0.1}, {"lr": 0.3}], until=3))
    for made in (toy, two):
        made.close()
    return folder
