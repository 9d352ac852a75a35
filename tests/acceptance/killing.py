"""A study in a process of its own that is killed with SIGKILL: what the tests of kills have in common."""

from __future__ import annotations

import signal
import time
import uuid
from collections.abc import Callable, Mapping
from pathlib import Path

import psutil
from killed_study import STEP_LIMIT, longer_path

import hippo
from hippo.plan import CheckpointRow, NodeRow, open_store, pieces_from_text
from hippo.testing.warm_scripts import RunningScript, study_scripts

MARK = "HIPPO_TEST_MARK"


class Killed:
    """One study in one folder, started and killed at will.

    Args:
      folder: where it keeps everything.
      script: what runs it, called with the folder, `which`, and the storage if it is none in the folder; its trainer
        logs each step to `steps.log`.
      which: what the script is told to run.
      storage: where its plan is; None: in the folder.
      with_torch: whether the script is sure to import torch.
    """

    def __init__(
        self, folder: Path, script: Path, which: str, storage: str | None = None, *, with_torch: bool = False
    ) -> None:
        self.folder = folder
        self.script = script
        self.log = folder / "steps.log"
        self.storage = storage or f"sqlite:///{folder}/hippo.db"
        self._scripts = study_scripts(with_torch=with_torch)
        self._said = [which, *([storage] if storage else [])]
        folder.mkdir(parents=True, exist_ok=True)

    def start(self, most_lines: int | None = None) -> tuple[RunningScript, str]:
        variables = {MARK: uuid.uuid4().hex, STEP_LIMIT: "" if most_lines is None else str(most_lines)}
        return self._scripts.start(self.script, str(self.folder), *self._said, variables=variables), variables[MARK]

    def finish(self) -> None:
        process, _ = self.start()
        output = process.wait(120)
        assert process.returncode == 0, output

    def kill_after(
        self, lines: int, pause_s: float, meanwhile: Callable[[], None] | None = None, *, most: int | None = None
    ) -> bool:
        """Start it, kill it when so many more steps have begun, and see that nothing of it is left a second later.

        Args:
          lines: how many steps.
          pause_s: how long after the last of them.
          meanwhile: what happens when these steps have begun; then as many more begin before it is killed.
          most: how many more steps begin until it is killed, however late this process comes to that; None: any number,
            and it may be over before.

        Returns:
          Whether it was still running when it was killed.
        """
        limit = None if most is None else len(self.lines()) + lines * (1 if meanwhile is None else 2) + most
        process, mark = self.start(limit)
        self._wait_for(lines, process, limit)
        if meanwhile is not None:
            meanwhile()
            self._wait_for(lines, process, limit)
        time.sleep(pause_s)  # any moment within a step is as good as another
        process.send_signal(signal.SIGKILL)
        output = process.wait(60)
        assert process.returncode is not None
        assert process.returncode <= 0, output  # it ended by itself with an error
        wait_until(lambda: not marked(mark), 30.0)  # a second, alone on a machine
        return process.returncode != 0

    def _wait_for(self, lines: int, process: RunningScript, limit: int | None) -> None:
        goal = len(self.lines()) + lines
        goal = goal if limit is None else min(goal, limit)
        wait_until(lambda: len(self.lines()) >= goal or process.returncode is not None, 60)

    def lines(self) -> list[str]:
        return self.log.read_text().splitlines() if self.log.exists() else []

    def held(self) -> list[list[str]]:
        """Return the way to each state that is recorded and still held: the paths that lead there, its own the last."""
        if self.storage.startswith("sqlite:") and not (self.folder / "hippo.db").exists():
            return []
        store = open_store(self.storage)
        nodes = {row.node: row for row in store.rows(NodeRow)}
        held = [way_to(nodes, checkpoint.node, checkpoint.step) for checkpoint in store.rows(CheckpointRow, gone="")]
        store.close()
        return held

    def study(self) -> hippo.Study:
        return hippo.load_study("killed", storage=self.storage)

    def results(self) -> list[object]:
        return [
            (trial.number, trial.call, trial.state, repr(trial.config), trial.history) for trial in self.study().trials
        ]


def way_to(nodes: Mapping[int, NodeRow], node: int, step: int) -> list[str]:
    """Return the paths that lead to a state, one for each of its steps."""
    lineage: list[NodeRow] = []
    above: int | None = node
    while above is not None:
        lineage.insert(0, nodes[above])
        above = nodes[above].parent
    names, path = [], ""
    for t in range(step):
        row = [row for row in lineage if row.start <= t][-1]
        path = longer_path(path, {name: piece.at(t) for name, piece in pieces_from_text(row.pieces).items()})
        names.append(path)
    return names


def way_of(config: hippo.Config, until: int) -> list[str]:
    """Return the paths that a config takes, one for each of its steps."""
    names, path = [], ""
    for t in range(until):
        path = longer_path(path, config.values_at(t))
        names.append(path)
    return names


def wait_until(condition: Callable[[], bool], timeout_s: float) -> None:
    deadline = time.monotonic() + timeout_s
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(f"not so within {timeout_s} s")
        time.sleep(0.002)


def marked(mark: str) -> list[psutil.Process]:
    """Return the processes that live with this mark in their environment."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.environ().get(MARK) == mark and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
        except psutil.Error:
            continue
    return found
