"""A newcomer's first cluster: three processes of Ray on one machine, as docs/clusters.md has it."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

pytest.importorskip("ray")

from hippo.testing.ports import free_port

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]

PAGE = Path(__file__).parents[2] / "docs" / "clusters.md"
TRAINER = """
from hippo.testing.trainers import ToyTrainer

class MyTrainer(ToyTrainer):
    def evaluate(self):
        return {"val_accuracy": 1 / (1 + super().evaluate()["loss"])}
"""
REST = """
space = hippo.GridSearchSpace({"lr": [0.1, hippo.Piecewise([0.1, 0.2], [2]), 0.3]})
study.optimize(hippo.GridSearch(space, until=4))
print("best", study.best_value, study.statistics().steps_executed)
"""


def blocks(language: str) -> list[str]:
    section = PAGE.read_text(encoding="utf-8").partition("## Ray\n")[2]
    return re.findall(rf"^```{language}\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)


@pytest.fixture
def short_folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="r", dir="/tmp") as folder:  # sockets' names may have 107 characters
        yield Path(folder)


def test_three_processes_stand_for_three_nodes(tmp_path: Path, short_folder: Path) -> None:
    port = free_port()
    here = {
        **{name: value for name, value in os.environ.items() if not name.startswith("RAY_")},
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "RAY_TMPDIR": str(short_folder),
        "RAY_ADDRESS": f"127.0.0.1:{port}",  # of all that there may be on this machine
        "RAY_AUTH_MODE": "disabled",
    }
    written = blocks("")[0]
    assert "export RAY_worker_niceness=0" in written
    here["RAY_worker_niceness"] = "0"
    starts = [line.partition("#")[0] for line in written.splitlines() if line.startswith("ray start")]
    assert len(starts) == 3
    (tmp_path / "my_package").mkdir()
    (tmp_path / "my_package" / "training.py").write_text(TRAINER, encoding="utf-8")
    study = blocks("py")[0].replace("/shared/", f"{tmp_path}/") + REST
    (tmp_path / "study.py").write_text(study, encoding="utf-8")
    nodes: list[psutil.Popen] = []
    try:
        for number, line in enumerate(starts, 1):  # they end with this test, and no other node of this machine does
            words = [*shlex.split(line.replace("6379", str(port))), "--block"]
            nodes.append(psutil.Popen(words, env=here, cwd=tmp_path, stdout=subprocess.DEVNULL))
            deadline = time.monotonic() + 90
            while count_of_nodes(port) < number:
                assert time.monotonic() < deadline, f"node {number} does not come"
                time.sleep(0.1)
        result = subprocess.run([sys.executable, "study.py"], cwd=tmp_path, env=here, capture_output=True, text=True)
    finally:
        for process in [each for node in nodes for each in [*node.children(recursive=True), node]]:
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()
    assert result.returncode == 0, result.stdout + result.stderr
    assert re.search(r"^best 0\.\d+ 10$", result.stdout, re.MULTILINE), result.stdout


def count_of_nodes(port: int) -> int:
    """Ask for what `ray status` tells, which takes two seconds of a core each time."""
    from ray._raylet import GcsClient

    with socket.socket() as tried:
        if tried.connect_ex(("127.0.0.1", port)):
            return 0
    return sum(node.state == 0 for node in GcsClient(address=f"127.0.0.1:{port}").get_all_node_info().values())
