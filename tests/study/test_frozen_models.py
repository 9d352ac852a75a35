"""Studies of models of which most is not trained: from the first trial to a copy on another machine."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

import hippo
from hippo.errors import ExactnessError
from hippo.testing.frozen_body import WIDTH, FrozenBody
from hippo.testing.warm_scripts import study_scripts
from hippo.training.codec import difference

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("warm_programs")]

SPACE = [
    {"lr": 0.1},
    {"lr": hippo.MultiStep(0.1, [2], 0.1)},
    {"lr": 0.1, "unfreeze": hippo.Piecewise([False, True], [2])},
]
TRAINER = "hippo.testing.frozen_body:FrozenBody"


def made(folder: Path, **options: Any) -> hippo.Study:
    where: dict[str, Any] = {
        "trainer": TRAINER,
        "storage": f"sqlite:///{folder / 'hippo.db'}",
        "checkpoints": str(folder / "states"),
        "engine": hippo.InlineEngine(),
        "keep": "leaves",
        "metric": "loss",
        "mode": "min",
    }
    return hippo.create_study("frozen", **{**where, **options})


def bases(folder: Path) -> list[Path]:
    return [path for path in sorted(folder.rglob("base-*")) if path.is_file()]


def states_of(study: hippo.Study) -> list[Mapping[str, Any]]:
    return [trial.load_state() for trial in study.trials]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> list[Mapping[str, Any]]:
    """The last states of all trials, from a study in which nothing was left out."""
    study = made(tmp_path_factory.mktemp("whole"), sharing=False)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("hippo.training.bases.Bases.of_fresh", lambda *_: None)
        study.optimize(hippo.GridSearch(SPACE, until=4))
    found = states_of(study)
    study.close()
    return found


@pytest.mark.parametrize("keep_base", [True, False])
@pytest.mark.parametrize("engine", ["inline", "local"])
def test_states_are_those_of_a_study_that_leaves_nothing_out(
    tmp_path: Path, whole: list[Mapping[str, Any]], engine: str, keep_base: bool
) -> None:
    study = made(
        tmp_path,
        engine=hippo.InlineEngine() if engine == "inline" else hippo.LocalEngine(2),
        keep_base=keep_base,
    )
    study.optimize(hippo.GridSearch(SPACE, until=4))
    assert [difference(found, other) for found, other in zip(states_of(study), whole, strict=True)] == [[], [], []]
    assert study.statistics().steps_repeated == 0
    assert len(bases(tmp_path)) == keep_base
    study.close()
    again = hippo.load_study("frozen", f"sqlite:///{tmp_path / 'hippo.db'}")
    assert again._opened.settings.keep_base is keep_base
    again.close()


def test_a_study_goes_on_from_states_that_left_things_out(tmp_path: Path, whole: list[Mapping[str, Any]]) -> None:
    first = made(tmp_path)
    first.optimize(hippo.GridSearch(SPACE, until=2))
    first.close()
    second = made(tmp_path)
    second.optimize(hippo.GridSearch(SPACE, until=4))
    assert [difference(found, other) for found, other in zip(states_of(second)[-3:], whole, strict=True)] == [
        [],
        [],
        [],
    ]
    assert second.statistics().steps_repeated == 0
    second.close()


def test_a_copy_elsewhere_is_loaded_and_reproduced(tmp_path: Path) -> None:
    (tmp_path / "here").mkdir()
    study = made(tmp_path / "here")
    study.optimize(hippo.GridSearch(SPACE, until=3))
    expected = study.load_model(study.trials[1]).state_dict()
    study.close()
    shutil.move(tmp_path / "here", tmp_path / "there")
    copied = made(tmp_path / "there")
    found = copied.load_model(copied.trials[1]).state_dict()
    assert all(torch.equal(found[name], tensor) for name, tensor in expected.items())
    assert copied.reproduce(1, checkpoints=str(tmp_path / "there" / "states")).is_equal
    copied.close()


class Pretrained(FrozenBody):
    """Loads its body from a file."""


def weights(file: Path, seed: int) -> str:
    torch.manual_seed(seed)
    torch.save(nn.Linear(WIDTH, WIDTH).state_dict(), file)
    return str(file)


@pytest.mark.parametrize("keep_base", [True, False])
def test_a_pretrained_file_that_changed_is_named_where_it_matters(tmp_path: Path, keep_base: bool) -> None:
    file = weights(tmp_path / "body.pt", seed=1)
    study = made(tmp_path, trainer_args={"pretrained": file}, keep_base=keep_base)
    study.optimize(hippo.GridSearch(SPACE[:1], until=2))
    state = study.trials[0].load_state()
    weights(tmp_path / "body.pt", seed=2)
    if keep_base:
        assert difference(study.trials[0].load_state(), state) == []
    else:
        changed = r"base-.*build\(\) makes something else of state\['model'\]\['body"
        with pytest.warns(UserWarning, match=changed), pytest.raises(ExactnessError, match="after step 1"):
            study.trials[0].load_state()  # its steps run again, and come to something else, too
    with contextlib.suppress(ExactnessError):
        study.close()


#: goes on with a study in a process of its own, in which nobody was told of anything yet
AGAIN = """
import hippo

study = hippo.create_study("frozen", trainer="hippo.testing.frozen_body:FrozenBody", metric="loss", mode="min",
    trainer_args={arguments}, storage="sqlite:///{folder}/hippo.db", checkpoints="{folder}/states", keep="leaves",
    engine=hippo.LocalEngine(1))
study.optimize(hippo.GridSearch({space}, until={until}))
"""


@pytest.mark.parametrize(("space", "until"), [([{"lr": 0.1}], 4), ([{"lr": 0.3}], 2)])
def test_trials_beside_a_pretrained_file_that_changed_are_told_of(tmp_path: Path, space: Any, until: int) -> None:
    file = weights(tmp_path / "body.pt", seed=1)

    def told(space: Any, until: int) -> str:
        (script := tmp_path / "again.py").write_text(
            AGAIN.format(folder=tmp_path, arguments={"pretrained": file}, space=space, until=until)
        )
        running = study_scripts(with_torch=True).start(script)
        output = running.wait(120)
        assert running.returncode == 0, output
        return output

    changed = "build() makes something else of state['model']['body"
    assert changed not in told([{"lr": 0.1}], 2)
    assert changed not in told([{"lr": 0.2}], 3)
    weights(tmp_path / "body.pt", seed=2)
    assert changed in told(space, until)


def test_without_its_base_a_state_is_loaded_by_the_trainer_or_said_to_need_one(tmp_path: Path) -> None:
    study = made(tmp_path)
    study.optimize(hippo.GridSearch(SPACE[:1], until=2))
    state = study.trials[0].load_state()
    study.close()
    (base,) = bases(tmp_path)
    base.unlink()
    again = made(tmp_path)
    assert difference(again.trials[0].load_state(), state) == []
    assert again.statistics().steps_repeated == 0
    again.close()


SCRIPT = """
import time
import hippo

study = hippo.create_study("frozen", trainer="hippo.testing.frozen_body:FrozenBody", metric="loss", mode="min",
    storage="sqlite:///{folder}/hippo.db", checkpoints="{folder}/states", engine=hippo.LocalEngine(2), keep="leaves",
    checkpoint_every_s=0.001)
study.optimize(hippo.GridSearch({space}, until=40))
time.sleep(600)  # until it is killed, should that come late
"""
TWO = [{"lr": 0.1}, {"lr": 0.2}]


def test_a_study_that_is_killed_while_states_are_written_comes_to_the_same(tmp_path: Path) -> None:
    script = SCRIPT.format(folder=tmp_path, space=TWO)
    killed = subprocess.Popen([sys.executable, "-c", script], start_new_session=True)
    while not any(path.is_file() for path in (tmp_path / "states").rglob("*")) and killed.poll() is None:
        time.sleep(0.001)  # until the first write begins
    os.killpg(killed.pid, signal.SIGKILL)
    assert killed.wait() == -signal.SIGKILL
    again, other = made(tmp_path), made(tmp_path, storage="memory://", checkpoints="memory://")
    for study in (again, other):
        study.optimize(hippo.GridSearch(TWO, until=40))
    assert [trial.history for trial in again.trials] == [trial.history for trial in other.trials]
    assert [difference(a, b) for a, b in zip(states_of(again), states_of(other), strict=True)] == [[], []]
    again.close()
    other.close()
