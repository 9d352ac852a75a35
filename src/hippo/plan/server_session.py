"""The one connection of a store to a server that writes, and that holds the locks of its plans."""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, TypeVar

import sqlalchemy as sa
from sqlalchemy.engine import URL, Connection, Engine

from hippo.errors import PlanTakenOverError
from hippo.plan.held_plans import HeldPlans, PlanWriter
from hippo.plan.locks import held_elsewhere, held_here
from hippo.plan.repeating import Patience
from hippo.plan.rows import PlanRow
from hippo.plan.server_dialects import Dialect

T = TypeVar("T")

#: how often it is looked whether a session that was told to end has
_LOOKS_FOR_END, _LOOK_AGAIN_S = 100, 0.05


class ServerSession:
    """Transactions of one writer, repeated where the connection is lost, and the locks that go with it.

    Args:
      engine: of the database.
      dialect: of its server.
      url: how messages name it.
      patience: waits for the server.
    """

    def __init__(self, engine: Engine, dialect: Dialect, url: str, patience: Patience) -> None:
        self._engine = engine
        self._dialect = dialect
        self._url = url
        self._patience = patience
        #: the table of plans; known once the server was asked
        self.plans: sa.Table | None = None
        self._guard = threading.RLock()
        self._connection: Connection | None = None
        self._held = HeldPlans()
        #: of the database; known once a lock was asked for
        self._uuid = ""
        self._lost: set[int] = set()
        self._process = os.getpid()
        #: what names the session of the connection, and those that were given up: the server may have them still
        self._session = ""
        self._former: set[str] = set()

    def write(
        self,
        work: Callable[[Connection], T],
        has_landed: Callable[[Connection], bool],
        plans: Sequence[PlanRow] = (),
    ) -> None:
        """Do work in one transaction, once, though the connection may be lost at any time.

        Args:
          work: what to do; done again if it did not land.
          has_landed: tells, in a new connection, whether the attempt before was durable though nobody heard of it.
          plans: rows of plans that are updated.

        Raises:
          PlanTakenOverError: another process has written to one of the plans that are locked here.
        """
        with self._guard:
            self._held.expect(plans)
            tries = 0

            def attempt() -> None:
                nonlocal tries
                tries += 1
                connection = self._connected()
                try:
                    if tries == 1 or not has_landed(connection):
                        work(connection)
                    connection.commit()
                except BaseException as error:
                    self._abandon(connection, error)
                    raise

            self._patience.repeat(attempt, self._dialect.is_passing)
            self._held.settle(plans)

    def take(self, uuid: str, plan: int) -> bool:
        """Take the lock of a plan; tell whether it was free."""
        with self._guard:
            self._uuid = uuid
            return self._patience.repeat(lambda: self._take(plan), self._dialect.is_passing)

    def _take(self, plan: int) -> bool:
        connection = self._connected()
        try:
            if not self._take_lock(connection, plan):
                return False
            self._held.hold(plan, self._last_writer(connection, plan))
            connection.commit()
        except BaseException as error:
            self._abandon(connection, error)
            raise
        return True

    def give(self, plan: int) -> None:
        """Give a lock back; the session may have ended, and the lock with it."""
        with self._guard:
            is_held = self._held.let_go(plan)
            self._lost.discard(plan)
            if not is_held or self._connection is None or self._process != os.getpid():
                return
            try:
                self._dialect.give_lock(self._connection, self._uuid, plan)
                self._connection.commit()
            except sa.exc.DBAPIError:
                self._drop()

    def holder(self, plan: int) -> str:
        """Return what the plan's row says of its writer."""
        with self._guard:
            connection = self._connected()
            try:
                return self._last_writer(connection, plan)[1]
            finally:
                connection.rollback()

    def close(self) -> None:
        with self._guard:
            self._held = HeldPlans()
            self._drop()

    # --- the connection

    def _connected(self) -> Connection:
        if self._lost:
            raise self._taken_over(min(self._lost))
        if self._connection is not None and self._process == os.getpid():
            return self._connection
        connection = self._engine.connect()
        if self._process != os.getpid():  # forked: what the parent has is not to be ended
            self._process, self._session, self._former = os.getpid(), "", set()
        connection.detach()  # from the pool: a lock is this session's, and nobody else is to get it
        try:
            self._dialect.check_session(connection, self._engine.connect, self._url)
            self._dialect.keep_alive(connection)
            self._session = self._dialect.session(connection)
            for plan in self._held.all():
                is_ours = self._take_lock(connection, plan)
                if not is_ours or not self._held.is_as_known(plan, self._last_writer(connection, plan)):
                    self._lost.add(plan)
            connection.commit()
        except BaseException:
            self._former.add(self._session)
            connection.close()
            raise
        self._connection = connection
        if self._lost:
            self._drop()
            raise self._taken_over(min(self._lost))
        return connection

    def _take_lock(self, connection: Connection, plan: int) -> bool:
        """Take a lock if it is free, or held by a session of ours that was given up; begins a new transaction.

        A line that was cut on the way ends no session: for hours the server may not notice that nobody is there.
        """
        pause = threading.Event()
        for _ in range(_LOOKS_FOR_END):
            is_taken = self._dialect.take_lock(connection, self._uuid, plan)
            holder = "" if is_taken else self._dialect.lock_holder(connection, self._uuid, plan)
            connection.commit()  # what is read next is of a later moment; the lock is the session's
            if is_taken or (holder and holder not in self._former):
                return is_taken
            if holder:
                try:
                    self._dialect.end_session(connection, holder)
                except sa.exc.DBAPIError as error:  # gone by now, or not ours to end
                    if self._dialect.is_passing(error):
                        raise
                    connection.rollback()
            pause.wait(_LOOK_AGAIN_S)
        return False

    def _abandon(self, connection: Connection, error: BaseException) -> None:
        """Undo what was begun; a connection that may be broken is given up."""
        if self._dialect.is_passing(error):
            self._drop()
            return
        try:
            connection.rollback()
        except sa.exc.DBAPIError:
            self._drop()

    def _drop(self) -> None:
        connection, self._connection = self._connection, None
        if connection is None:
            return
        self._former.add(self._session)
        try:
            connection.invalidate()  # closes it without a word to a server that may not be there
        finally:
            connection.close()

    # --- who writes

    def _last_writer(self, connection: Connection, plan: int) -> PlanWriter:
        assert self.plans is not None
        query = sa.select(self.plans.c.epoch, self.plans.c.writer).where(self.plans.c.plan == plan)
        row = connection.execute(query).first()
        return (0, "") if row is None else (int(row.epoch), str(row.writer))

    def _taken_over(self, plan: int) -> PlanTakenOverError:
        return PlanTakenOverError(
            f"plan {plan} of {self._url} was taken over by another process while this one had no connection to the "
            "database: this one writes nothing more. Run the script again to go on where the other one is."
        )


class ServerLock:
    """The lock of a plan in a server: it ends with the session that writes."""

    _held_here: ClassVar[set[tuple[str, int]]] = set()
    _registry: ClassVar[threading.Lock] = threading.Lock()

    def __init__(self, session: ServerSession, uuid: str, plan: int, what: str) -> None:
        self._session = session
        self._name = (uuid, plan)
        self._what = what
        self._is_ours = False

    def acquire(self) -> None:
        with self._registry:
            if self._name in self._held_here:
                raise held_here(self._what)
            uuid, plan = self._name
            if not self._session.take(uuid, plan):
                raise held_elsewhere(self._what, self._session.holder(plan))
            self._held_here.add(self._name)
            self._is_ours = True

    def release(self) -> None:
        with self._registry:
            if self._is_ours:
                self._is_ours = False
                self._held_here.discard(self._name)
                self._session.give(self._name[1])


def make_server_engine(url: URL, dialect: Dialect) -> Engine:
    """Return an engine whose connections a forked child neither uses nor keeps open."""
    # a connection that was idle for long is asked first: servers, and what stands between, end idle ones
    engine = sa.create_engine(url, pool_pre_ping=True, pool_recycle=1800, **dialect.engine_options())
    _engines.add(engine)

    @sa.event.listens_for(engine, "connect")
    def _note_connected(connection: Any, _: Any) -> None:
        dialect.note_connected(connection)
        _connections.add(connection)

    return engine


_engines: weakref.WeakSet[Engine] = weakref.WeakSet()
_connections: weakref.WeakSet[Any] = weakref.WeakSet()


def _forget_parents_connections() -> None:
    """Close the child's ends of sockets: a data loader that outlives a killed study must not keep its lock."""
    ServerLock._registry = threading.Lock()  # another thread of the parent may have held it
    ServerLock._held_here.clear()
    for connection in list(_connections):
        try:
            os.close(connection.fileno() if hasattr(connection, "fileno") else connection._sock.detach())
        except Exception:
            continue  # closed before, or never opened
    for engine in list(_engines):
        engine.dispose(close=False)


os.register_at_fork(after_in_child=_forget_parents_connections)
