"""A study killed at random moments ends, when it is run again, as if nothing had happened."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

import hippo
from hippo.plan import CheckpointRow, NodeRow, StudyRow, TrialRow, open_store, pieces_from_text

sys.path.insert(0, str(Path(__file__).parent))
from killed_study import longer_path

SCRIPT = Path(__file__).with_name("killed_study.py")
MARK = "HIPPO_TEST_MARK"

pytestmark = pytest.mark.slow


class Killed:
    """One study in one folder, started and killed at will."""

    def __init__(self, folder: Path, which: str) -> None:
        self.folder = folder
        self.which = which
        self.log = folder / "steps.log"
        folder.mkdir(parents=True, exist_ok=True)

    def start(self) -> tuple[subprocess.Popen[str], str]:
        mark = uuid.uuid4().hex
        process = subprocess.Popen(
            [sys.executable, str(SCRIPT), str(self.folder), self.which],
            env={**os.environ, MARK: mark},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        return process, mark

    def finish(self) -> None:
        process, _ = self.start()
        output, _ = process.communicate(timeout=120)
        assert process.returncode == 0, output

    def kill_after(self, lines: int, pause_s: float) -> None:
        """Start it, kill it when so many more steps have begun, and see that nothing of it is left a second later."""
        process, mark = self.start()
        goal = len(self.lines()) + lines
        wait_until(lambda: len(self.lines()) >= goal or process.poll() is not None, 60)
        time.sleep(pause_s)  # any moment within a step is as good as another
        process.kill()
        process.communicate()
        wait_until(lambda: not marked(mark), 1.0)

    def lines(self) -> list[str]:
        return self.log.read_text().splitlines() if self.log.exists() else []

    def held(self) -> set[str]:
        """Return every path that leads to, or through, a state that is recorded and still held."""
        if not (self.folder / "hippo.db").exists():
            return set()
        store = open_store(f"sqlite:///{self.folder}/hippo.db")
        nodes = {row.node: row for row in store.rows(NodeRow)}
        names: set[str] = set()
        for checkpoint in store.rows(CheckpointRow, gone=""):
            names |= paths_to(nodes, checkpoint.node, checkpoint.step)
        store.close()
        return names

    def results(self) -> list[object]:
        study = hippo.load_study("killed", storage=f"sqlite:///{self.folder}/hippo.db")
        return [(trial.number, trial.call, trial.state, repr(trial.config), trial.history) for trial in study.trials]


def paths_to(nodes: dict[int, NodeRow], node: int, step: int) -> set[str]:
    lineage: list[NodeRow] = []
    above: int | None = node
    while above is not None:
        lineage.insert(0, nodes[above])
        above = nodes[above].parent
    names, path = set(), ""
    for t in range(step):
        row = [row for row in lineage if row.start <= t][-1]
        path = longer_path(path, {name: piece.at(t) for name, piece in pieces_from_text(row.pieces).items()})
        names.add(path)
    return names


def wait_until(condition: Callable[[], bool], timeout_s: float) -> None:
    deadline = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < deadline, f"not so within {timeout_s} s"
        time.sleep(0.002)


def marked(mark: str) -> Iterator[psutil.Process] | list[psutil.Process]:
    found = []
    for process in psutil.process_iter():
        try:
            if process.environ().get(MARK) == mark and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
        except psutil.Error:
            continue
    return found


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], tuple[list[object], int]]:
    known: dict[str, tuple[list[object], int]] = {}

    def results(which: str) -> tuple[list[object], int]:
        if which not in known:
            study = Killed(tmp_path_factory.mktemp(which), which)
            study.finish()
            known[which] = (study.results(), len(study.lines()))
        return known[which]

    return results


@pytest.mark.parametrize(("which", "seed"), [*(("toy", seed) for seed in range(18)), ("torch", 0), ("torch", 1)])
def test_a_killed_study_ends_as_if_nothing_had_happened(
    tmp_path: Path, which: str, seed: int, undisturbed: Callable[[str], tuple[list[object], int]]
) -> None:
    expected, steps = undisturbed(which)
    rng = random.Random(f"{which} {seed}")
    study = Killed(tmp_path / "study", which)
    for _ in range(rng.randint(1, 2)):
        study.kill_after(rng.randrange(1, steps // 2), rng.uniform(0.0, 0.01))
        before, held = len(study.lines()), study.held()
    study.finish()
    assert study.results() == expected
    again = [line for line in study.lines()[before:] if line.split()[0] in held]
    assert again == []  # no step below a state that was held ran again


def test_a_finished_study_runs_nothing_when_it_is_run_again(tmp_path: Path) -> None:
    study = Killed(tmp_path / "study", "toy")
    study.finish()
    steps = len(study.lines())
    results = study.results()
    study.finish()
    assert len(study.lines()) == steps
    assert study.results() == results
    store = open_store(f"sqlite:///{tmp_path}/study/hippo.db")
    assert len(store.rows(StudyRow)) == 1
    assert len(store.rows(TrialRow)) == len(results)
