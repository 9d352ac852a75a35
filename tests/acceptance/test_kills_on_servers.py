"""A study whose plan is in a server ends as if nothing had happened, though it is killed, and the server with it."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from hippo.plan import NodeRow, StepRow, open_store
from hippo.testing.servers import KINDS, DatabaseServer, wanted_server

sys.path.insert(0, str(Path(__file__).parent))
from killing import Killed

SCRIPT = Path(__file__).with_name("killed_study.py")
KILLS = 4

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Killed:
    """The same study in a file, run to its end at once."""
    study = Killed(tmp_path_factory.mktemp("undisturbed"), SCRIPT, "wide")
    study.finish()
    store = open_store(study.storage)
    assert len(store.rows(NodeRow)) >= 200  # each with a stage of its own
    store.close()
    return study


@pytest.mark.timeout(600)
@pytest.mark.parametrize("kind", KINDS)
def test_a_study_of_two_hundred_stages_is_killed_and_its_server_too_and_nothing_held_runs_again(
    tmp_path: Path, kind: str, undisturbed: Killed
) -> None:
    steps, rng = len(undisturbed.lines()), random.Random(kind)
    with wanted_server(kind) as server:
        study = Killed(tmp_path / "study", SCRIPT, "wide", server.new_database())
        for kill in range(KILLS):
            held = passed(study) if kill else set()
            before = len(study.lines())
            meanwhile = restarting(server) if kill == KILLS // 2 else None
            lines, pause_s = rng.randrange(steps // 20, steps // 8), rng.uniform(0.0, 0.01)
            assert study.kill_after(lines, pause_s, meanwhile, most=100)
            assert ran_again(study, before, held) == []
        held, before = passed(study), len(study.lines())
        assert len(held) > steps // 20  # of which nothing is to run again
        study.finish()
        assert ran_again(study, before, held) == []
        assert study.results() == undisturbed.results()
        facts = [(row.node, row.step) for row in rows_of(study) if row.cause == "first"]
        assert len(facts) == len(set(facts)) == len({(row.node, row.step) for row in rows_of(undisturbed)})


def restarting(server: DatabaseServer) -> Callable[[], None]:
    def restart() -> None:
        server.kill()
        server.start()

    return restart


def passed(study: Killed) -> set[str]:
    """Return the paths below states that are recorded and held: none of their steps has to run again."""
    return {path for way in study.held() for path in way}


def ran_again(study: Killed, before: int, held: set[str]) -> list[str]:
    return [line for line in study.lines()[before:] if line.split()[0] in held]


def rows_of(study: Killed) -> list[StepRow]:
    store = open_store(study.storage)
    rows = store.rows(StepRow)
    store.close()
    return rows
