"""Behind a pooler that hands out transactions a plan is not written, and behind one that hands out sessions it is."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from hippo.errors import StorageError
from hippo.plan import Insert, NodeRow, open_store
from hippo.plan.poolers import check_session
from hippo.testing.pooler import pooler_program, running_pooler
from hippo.testing.servers import PASSWORD, wanted_server
from hippo.testing.store_contract import NODE, PLAN


class Connected:
    """A connection of which only its session's number is asked, one after another from a list."""

    def __init__(self, told: int, sessions: Sequence[int]) -> None:
        self.connection = SimpleNamespace(dbapi_connection=SimpleNamespace(info=SimpleNamespace(backend_pid=told)))
        self.left = list(sessions)

    def execute(self, _: Any) -> Any:
        return SimpleNamespace(scalar_one=lambda: self.left.pop(0))

    def commit(self) -> None:
        pass

    def __enter__(self) -> Connected:
        return self

    def __exit__(self, *_: object) -> None:
        pass


def look(told: int, mine: Sequence[int], others: Sequence[int] = ()) -> None:
    check_session(Connected(told, mine), lambda: Connected(99, others), "postgresql://u:***@h/d")  # type: ignore[arg-type, return-value]


def test_without_a_pooler_no_second_connection_is_made() -> None:
    look(7, [7])


def test_a_pooler_that_hands_out_sessions_is_no_trouble() -> None:
    look(99, [7, 7], [8])


@pytest.mark.parametrize(("mine", "others"), [([7, 8], [7]), ([7, 7], [7]), ([7, 9], [8])])
def test_a_pooler_that_hands_out_transactions_is_refused_with_the_ways_out(mine: list[int], others: list[int]) -> None:
    with pytest.raises(StorageError, match=r"(?s)u:\*\*\*@h/d is reached through a pooler.*own port.*pool_mode = ses"):
        look(99, mine, others)


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["session", "transaction"])
def test_pgbouncer_is_told_by_its_mode(mode: str) -> None:
    if pooler_program() is None:
        pytest.skip("no pgbouncer here (apt-get install pgbouncer)")
    with wanted_server("postgresql") as server:
        direct = server.new_database()
        open_store(direct).close()
        with running_pooler(server, mode) as port:
            store = open_store(direct.replace(f":{server.port}/", f":{port}/"))
            if mode == "session":
                store.add_plan(PLAN)
                store.lock(1).acquire()
                store.commit([Insert(NODE)])
            else:
                for _ in range(2):
                    with pytest.raises(StorageError, match="pool_mode = session") as told:
                        store.commit([Insert(NODE)])
                    assert PASSWORD not in str(told.value)
            store.close()
        store = open_store(direct)
        assert len(store.rows(NodeRow)) == (mode == "session")
        store.close()
