"""Scripts that make one study at the same moment each get the generation that is theirs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import hippo
from hippo.errors import StudyExistsError
from hippo.study.identity import generations

MakeStudy = Callable[..., hippo.Study]


@pytest.fixture
def race(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Have something done once, between a script's look and its row."""

    def race(do: Callable[[], object]) -> None:
        usual, left = generations._add, [do]

        def add(*given: Any) -> Any:
            if left:
                left.pop()()
            return usual(*given)

        monkeypatch.setattr(generations, "_add", add)

    return race


@pytest.fixture
def stored(tmp_path: Path) -> dict[str, Any]:
    return {"storage": f"sqlite:///{tmp_path}/hippo.db", "checkpoints": str(tmp_path / "states")}


def test_the_slower_of_two_scripts_goes_on_with_the_study_that_the_other_has_made(
    make_study: MakeStudy, race: Callable[..., None], stored: dict[str, Any]
) -> None:
    made: list[hippo.Study] = []
    race(lambda: made.append(make_study(**stored)))
    study = make_study(**stored)
    assert (study.generation, made[0].generation) == (1, 1)
    made[0].evaluate({"lr": 0.1}, until=1)
    assert [trial.step for trial in study.trials] == [1]


def test_of_two_scripts_with_changes_of_their_own_each_begins_a_generation(
    make_study: MakeStudy, race: Callable[..., None], stored: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    make_study(**stored)
    race(lambda: make_study(trainer_args={"size": 4}, **stored))
    capsys.readouterr()
    assert make_study(trainer_args={"size": 5}, **stored).generation == 3
    said = capsys.readouterr().err
    assert [said.count(f"Generation {number} begins") for number in (2, 3)] == [1, 1]


def test_who_wants_a_new_study_is_told_that_another_script_was_faster(
    make_study: MakeStudy, race: Callable[..., None], stored: dict[str, Any]
) -> None:
    race(lambda: make_study(**stored))
    with pytest.raises(StudyExistsError, match="there is a study 'toy' already"):
        make_study(load_if_exists=False, **stored)


def test_what_changed_is_told_since_the_generation_that_was_opened_last(
    make_study: MakeStudy, stored: dict[str, Any], capsys: pytest.CaptureFixture[str]
) -> None:
    for size in (3, 4, 3):
        make_study(trainer_args={"size": size}, **stored)
    capsys.readouterr()
    assert make_study(trainer_args={"size": 5}, **stored).generation == 3
    said = capsys.readouterr().err
    assert "arguments changed since generation 1. Generation 3 begins" in said
    assert "generation=1) or" in said
