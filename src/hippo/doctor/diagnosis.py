"""`hippo.diagnose`: which tries there are for what was named, and in which order."""

from __future__ import annotations

import os

from hippo.checkpoints import AbstractCheckpointStore
from hippo.doctor.findings import ProbeFinding, ProbeStep, Told, tried
from hippo.doctor.stores import store_steps
from hippo.engines import AbstractEngine
from hippo.errors import OptionError
from hippo.study.options import check_engine

#: a round trip that takes longer: turns of a study make several, one after the other
_SLOW_TRIP_S = 0.05
#: no try of a thing that works takes as long, over the slowest of networks, and on a machine that has other work
LIMIT_S = 60.0


def diagnose(
    *,
    storage: str | None = None,
    checkpoints: str | os.PathLike[str] | AbstractCheckpointStore | None = None,
    engine: AbstractEngine | None = None,
    limit_s: float = LIMIT_S,
) -> list[ProbeFinding]:
    """Try what a study would use, and leave nothing behind.

    A database: who answers, how far away it is, whether its locks lock, whether it takes writes (taken back). A study
    service: whether it answers, and what the token opens. A store of checkpoints: a write, a second one of the same
    name, which must be refused, and what is read back. An engine: its slots open, and one of them walks a step, writes
    a state to the store that is named, and goes on from it; small networks are trained, each by itself and all as one
    program, and come to the same, twice.

    Args:
      storage: as for `hippo.create_study`, or the URL of a study service.
      checkpoints: as for `hippo.create_study`.
      engine: as for `hippo.create_study`, made for this: it is closed afterwards.
      limit_s: of each try, in seconds; one that takes longer has failed.

    Returns:
      One finding for each try, in the order of the arguments; after one that failed, those that need it are skipped.

    Raises:
      OptionError: nothing is named, or the limit is none.
    """
    if storage is None and checkpoints is None and engine is None:
        raise OptionError("diagnose() needs something to try: storage=, checkpoints= or engine=")
    check_engine(engine)
    is_number = isinstance(limit_s, int | float) and not isinstance(limit_s, bool)  # type: ignore[redundant-expr]
    if not (is_number and 0 < limit_s < float("inf")):
        raise OptionError(f"limit_s={limit_s!r} is no number of seconds above 0")
    found: list[ProbeFinding] = []
    if storage is not None and storage.lower().startswith(("http://", "https://")):
        from hippo.doctor.services import service_steps

        found += tried("service", service_steps(storage), limit_s)
    elif storage is not None:
        found += tried("database", _database_steps(storage), limit_s)
    if checkpoints is not None:
        found += tried("store", store_steps(checkpoints), limit_s)
    if engine is not None:
        from hippo.doctor.engines import engine_steps

        place = os.fspath(checkpoints) if isinstance(checkpoints, str | os.PathLike) else None
        found += tried("engine", engine_steps(engine, place), limit_s)
    return found


def _database_steps(storage: str) -> list[ProbeStep]:
    if storage.startswith("memory://"):
        return [ProbeStep("connect", lambda: Told("in the memory of one process, and gone with it"))]
    from hippo.plan.probing import DatabaseProbe, probe_database  # SQLAlchemy takes a quarter of a second

    opened: list[DatabaseProbe] = []

    def connect() -> Told:
        opened.append(probe_database(storage))
        try:
            return Told(opened[0].contents())
        except BaseException:
            opened[0].close()
            raise

    def latency() -> Told:
        seconds = opened[0].latency_s()
        return Told(f"{1000 * seconds:.1f} ms a round trip", is_slow=seconds > _SLOW_TRIP_S)

    def write() -> Told:
        try:
            return Told(opened[0].write())
        finally:
            opened[0].close()

    def lock() -> Told:
        try:
            return Told(opened[0].lock())
        except BaseException:
            opened[0].close()
            raise

    return [
        ProbeStep("connect", connect),
        ProbeStep("latency", latency),
        ProbeStep("lock", lock),
        ProbeStep("write", write),
    ]
