"""The studies of a database of an older schema, and what makes one of them with a hippo that writes it:

    PYTHONPATH=<a checkout of commit 21089c3>/src python tests/migrations/studies.py  # schema 2
    PYTHONPATH=<a checkout of commit 6cb3bfe>/src python tests/migrations/studies.py  # schema 3
    PYTHONPATH=<a checkout of commit 0ab0ef8>/src python tests/migrations/studies.py  # schema 4
    PYTHONPATH=<a checkout of commit b0e1274>/src python tests/migrations/studies.py  # schema 6

It writes schema_2.sql, the database as SQL, and schema_2.json, what that hippo says of the studies in it; of later
schemas likewise. The tests upgrade the database and run the same calls again with the hippo of today: whatever
`STUDIES` says must stay as it is.
"""

from __future__ import annotations

import json
import sqlite3
import tempfile
import warnings
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import hippo
from hippo.testing.trainers import ToyTrainer

HERE = Path(__file__).parent
DUMP, EXPECTED = HERE / "schema_2.sql", HERE / "schema_2.json"


class BrokenOffError(Exception):
    pass


class Streaming(hippo.Tuner):
    """Pulls new configs, and trains every third on; decides by its answers alone, in the order in which they come."""

    def __init__(self, break_after: int | None = None) -> None:
        self._break_after = break_after
        self._came = 0

    def record(self) -> dict[str, str]:
        return {"tuner": "streaming"}

    async def tune(self, ask: hippo.Ask) -> None:
        left, promoted = [0.1 * n for n in range(1, 9)], []

        def propose() -> Any:
            from hippo.tuners.ask import Proposal

            if promoted:
                return Proposal(config=promoted.pop(), until=4)
            return Proposal(config={"lr": left.pop()}, until=2) if left else None

        stream: AsyncIterator[hippo.Answer] = ask.stream(propose)
        async for answer in stream:
            self._came += 1
            if answer.step == 2 and answer.trial % 3 == 0:
                promoted.append(answer.config)
            if self._came == self._break_after:
                raise BrokenOffError


class Querying(hippo.Tuner):
    """Asks for the config of which least is missing, which changes with every answer."""

    async def tune(self, ask: hippo.Ask) -> None:
        left = [hippo.Config({"lr": hippo.MultiStep(0.3, [m], 0.5)}) for m in (2, 5, 3, 4)]
        while left:
            left.sort(key=lambda config: (ask.uncovered(config, 6), config.key))
            await ask(left.pop(0), until=6)


GRID = [{"lr": 0.1 * n} for n in (3, 1, 2)]
SHARING = hippo.GridSearchSpace({"lr": [hippo.MultiStep(0.3, [m], 0.1) for m in (2, 4)] + [0.3]})
HALVING = hippo.SuccessiveHalving(SHARING, min_steps=2, max_steps=8, reduction=2)
FAILING = {"raise_in": "train", "raise_at": 1, "raise_if": {"lr": 0.2}}

#: name -> options, and calls: a tuner, or a config and until when it is evaluated
STUDIES: Mapping[str, tuple[Mapping[str, Any], list[Any]]] = {
    "plain": ({}, [HALVING, ({"lr": 0.25}, 3), hippo.GridSearch(GRID, until=4)]),
    "averaged": ({"seeds": [0, 1]}, [Streaming(), HALVING, ({"lr": 0.25}, 3)]),
    "median": ({"seeds": [10, 9, 2], "aggregate": "median"}, [Querying(), hippo.GridSearch(GRID, until=4)]),
    "private": ({"seeds": [0, 1], "sharing": False}, [Querying(), hippo.GridSearch(SHARING, until=6)]),
    "failing": ({"seeds": [0, 1], "trainer_args": FAILING}, [hippo.GridSearch(GRID, until=3)]),
    "broken": ({"seeds": [0, 1]}, [Streaming(break_after=5)]),
    # made one by one, with the names that the seeds of one study had
    "loop (seed 0)": ({"seed": 0}, [hippo.GridSearch(GRID, until=3)]),
    "loop (seed 1)": ({"seed": 1}, [hippo.GridSearch(GRID, until=3)]),
    "alone (seed 5)": ({"seed": 5}, [hippo.GridSearch(GRID, until=3)]),
    "changed": ({"version": "2"}, [hippo.GridSearch(GRID, until=3)]),
    "changed seeds": ({"seeds": [0, 1], "version": "2"}, [hippo.GridSearch(GRID, until=3)]),
}
#: name -> options and calls of an earlier generation
EARLIER = {
    name: ({**STUDIES[name][0], "version": "1"}, [hippo.GridSearch(GRID, until=2)])
    for name in ("changed", "changed seeds")
}
DELETED = {
    "gone": ({}, [hippo.GridSearch(GRID, until=2)]),
    "gone seeds (seed 0)": ({"seed": 0}, [hippo.GridSearch(GRID, until=2)]),
}


def make(name: str, storage: str, options: Mapping[str, Any]) -> hippo.Study:
    own = {"version": "1", **options}
    # in memory: states are no part of a database, and what was answered needs none
    engine = hippo.InlineEngine()
    return hippo.create_study(
        name, trainer=ToyTrainer, storage=storage, checkpoints="memory://", engine=engine, metric="loss", **own
    )


def run(study: hippo.Study, calls: list[Any]) -> None:
    for call in calls:
        with suppress(BrokenOffError):
            if isinstance(call, tuple):
                study.evaluate(*call)
            else:
                study.optimize(call)
    study.close()


def described(study: Any) -> dict[str, Any]:
    """Return what is said of a study, by the hippo of then and by that of today."""
    statistics = study.statistics()
    return {
        "trials": [
            [trial.number, dict(trial.params), trial.state.value, trial.step, trial.value, dict(trial.metrics)]
            for trial in study.trials
        ],
        "steps": [statistics.steps_asked, statistics.steps_executed, statistics.steps_repeated],
        "device_seconds": statistics.device_seconds,
    }


def run_again(name: str, storage: str) -> dict[str, Any]:
    """Run the calls of a study that is there, and return what is then said of it, as JSON has it, but for seconds."""
    options, calls = STUDIES[name]
    study = make(name, storage, options)
    run(study, calls)
    return {**json.loads(json.dumps(described(study))), "device_seconds": None}


def made_from(dump: Path, folder: Path) -> str:
    """Return the URL of a database in a folder that holds what was written down as SQL."""
    path = folder / "hippo.db"
    with closing(sqlite3.connect(path)) as database:
        database.executescript(dump.read_text())
    return f"sqlite:///{path}"


def _make_all(storage: str) -> Iterator[tuple[str, dict[str, Any]]]:
    for name, (options, calls) in {**EARLIER, **DELETED}.items():
        run(make(name, storage, options), calls)
        if name in DELETED:
            hippo.delete_study(name, storage)
    for name, (options, calls) in STUDIES.items():
        study = make(name, storage, options)
        run(study, calls)
        yield name, described(study)


def main() -> None:
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "hippo.db"
        expected = dict(_make_all(f"sqlite:///{path}"))
        with closing(sqlite3.connect(path)) as database:
            (version,) = database.execute("select schema_version from hippo_database").fetchone()
            # the tests run on other machines, and with other versions of Python and torch
            database.execute("update hippo_plan set environment = '', writer = 'somebody'")
            database.commit()
            dump = "\n".join(database.iterdump()) + "\n"
    (HERE / f"schema_{version}.sql").write_text(dump, encoding="utf-8")
    (HERE / f"schema_{version}.json").write_text(json.dumps(expected, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
