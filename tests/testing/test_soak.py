"""The soak: real processes are killed, real files damaged, and studies come to what they would have come to."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from hippo.engines.lifeline import marked
from hippo.testing.fault_plans import Fault, FaultKind
from hippo.testing.soak import draw_round, main, parsed
from hippo.testing.soak_life import SoakTask
from hippo.testing.soak_round import run_round

TOY = "hippo.testing.trainers:ToyTrainer"


def soak(*arguments: str) -> subprocess.CompletedProcess[str]:
    here = str(Path(__file__).parent)
    path = os.pathsep.join([here, *filter(None, [os.environ.get("PYTHONPATH")])])
    return subprocess.run(
        [sys.executable, "-m", "hippo.testing.soak", *arguments],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        timeout=280,
    )


@pytest.mark.slow
def test_thirty_faults_change_nothing() -> None:
    ended = soak("--faults", "30", "--seed", "5")
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert "0  rounds with a difference" in ended.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    "kind",
    [
        FaultKind.KILL_WORKER,
        FaultKind.KILL_LAUNCHER,
        FaultKind.KILL_IN_WRITE,
        FaultKind.KILL_STUDY,
        FaultKind.KILL_STUDY_BEFORE_COMMIT,
        FaultKind.KILL_STUDY_AFTER_COMMIT,
    ],
)
def test_what_is_killed_is_really_killed_and_nothing_is_left_of_it(tmp_path: Path, kind: FaultKind) -> None:
    task = SoakTask(study="grid", trainer=TOY, engine="local")
    came = run_round(task, (Fault(kind=kind, at=2),), tmp_path / "round", None)
    assert came.wrong == []
    assert [fault.kind for fault in came.fired] == [kind]
    assert came.lives == 1 + kind.value.startswith("kill study")


@pytest.mark.slow
def test_results_that_depend_on_the_process_are_a_difference_and_can_be_replayed() -> None:
    space = '{"lr": [0.1, 0.2]}'
    ended = soak("--faults", "8", "--trainer", "lucky_trainer:LuckyTrainer", "--space", space, "--until", "4")
    assert ended.returncode == 1, ended.stdout + ended.stderr
    assert "WRONG" in ended.stderr
    assert "--only 0" in ended.stderr


@pytest.mark.slow
def test_a_trainer_that_cannot_be_imported_is_told_before_anything_is_disturbed() -> None:
    ended = soak("--trainer", "no_such_module:Net", "--space", '{"lr": [0.1]}')
    assert ended.returncode == 1
    assert "no_such_module" in ended.stderr


def test_a_round_is_drawn_from_the_seed_and_its_number_alone() -> None:
    options = parsed(["--seed", "3"])
    assert draw_round(3, 7, options) == draw_round(3, 7, options)
    assert draw_round(3, 7, options)[1] != draw_round(3, 8, options)[1]


@pytest.mark.parametrize("bad", [["--jobs", "0"], ["--faults", "-1"], ["--space", "{"], ["--engine", "ray"]])
def test_bad_arguments_are_refused(bad: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main(bad)
    assert ended.value.code == 2
    assert bad[0] in capsys.readouterr().err


def test_a_folder_that_is_there_is_not_written_into(tmp_path: Path) -> None:
    with pytest.raises(SystemExit):
        main(["--keep-folder", str(tmp_path)])


def test_processes_are_found_by_a_mark_in_their_environment() -> None:
    mark = f"HIPPO_TEST_OF_MARKS={os.getpid()}"
    name, _, value = mark.partition("=")
    program, pipe = "print(flush=True); input()", subprocess.PIPE
    with subprocess.Popen(
        [sys.executable, "-c", program], stdin=pipe, stdout=pipe, env={**os.environ, name: value}
    ) as one:
        assert one.stdout is not None
        one.stdout.readline()  # while it is being started, it has no environment for a moment
        assert marked(mark) == [one.pid]
        assert marked(f"{mark}0") == []
        one.kill()
