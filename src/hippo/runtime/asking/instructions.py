"""What goes into a turn of the control loop, and what comes out of it: values, each of them frozen.

The coordinator makes them, the shell carries them out, and tests compare them. What rests on facts names the write
that it waits for (`after`): that is where "durable before told" is said, and where it can be read. An instruction that
names none tells nobody who outlives this process. This module refuses to know who decides, and how anything is done.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from hippo.events import EngineEvent
from hippo.frozen import frozen_tuple
from hippo.plan import AbstractPlanStore, Change, ChangeLog, StateFile, StudyRow
from hippo.records import Assignment, Command, Point, SlotId, TrainerSpec
from hippo.runtime.asking.limits import Limit
from hippo.runtime.asking.participants import Delivery, Participant
from hippo.runtime.studies.announcer import Announcer
from hippo.runtime.studies.observers import StudyEvent

if TYPE_CHECKING:
    from hippo.runtime.plans.plan_run import PlanRun

# ------------------------------------------------------------------------------------------------ what goes in


@frozen_tuple
class Elapsed:
    """It is time to look whether running steps get on."""


@frozen_tuple
class StudyDeleted:
    """A user deleted a study, in this process or another one."""

    store: str
    study: int


@frozen_tuple
class NotBegun:
    """An assignment was not submitted: the write of its lease failed."""

    assignment: Assignment


class Leaving(NamedTuple):
    """A state of a plan under way that is to leave the store of checkpoints."""

    run: PlanRun
    point: Point
    file: StateFile


@frozen_tuple
class RoomFound:
    """What is to go, so that the states of a database stay within their budget."""

    store: str
    leaving: tuple[Leaving, ...]
    #: what all states take as long as none of these has gone
    size_bytes: int


@frozen_tuple
class NoLook:
    """What is to go could not be found out: rows cannot be read or written, or files not be listed."""

    store: str
    error: Exception


Input = EngineEvent | Elapsed | StudyDeleted | NotBegun | RoomFound | NoLook

# ------------------------------------------------------------------------------------------------ what comes out


class WriteId(NamedTuple):
    """Names a write: the database by its uuid, and a number that ascends there. All before it is meant as well."""

    store: str
    number: int


@frozen_tuple
class Write:
    """Put changes down, all of them or none; writes of one database become durable in the order of their numbers."""

    id: WriteId
    store: AbstractPlanStore
    #: by whom they were gathered, and what
    parts: tuple[tuple[ChangeLog, tuple[Change, ...]], ...]
    #: it may wait a moment for others, unless an instruction needs it
    may_wait: bool = False


@frozen_tuple
class Submit:
    """Give an assignment to its slot; if its write fails, `NotBegun` comes back."""

    assignment: Assignment
    after: WriteId | None


@frozen_tuple
class Tell:
    """Give a tuner its answer; if its write fails, the tuner never hears of it."""

    delivery: Delivery
    after: WriteId | None


@frozen_tuple
class Announce:
    """Let observers hear what happened.

    They may keep it for ever. It hastens no write, but waits until that is durable, however long that takes.
    """

    announcer: Announcer
    events: tuple[StudyEvent, ...]
    after: WriteId


@frozen_tuple
class Unlock:
    """Let other processes write to a plan.

    The lock goes even if the write fails; then what memory knows beyond the database goes with it.
    """

    run: PlanRun
    after: WriteId


@frozen_tuple
class Send:
    """Hand a command to the slot that holds its lease."""

    command: Command


@frozen_tuple
class OpenWorkload:
    """Have the engine learn how to build a trainer."""

    spec: TrainerSpec


@frozen_tuple
class Lose:
    """Have the engine end the worker of a slot."""

    slot: SlotId
    reason: str


@frozen_tuple
class Fail:
    """End a call with an error."""

    participant: Participant
    error: Exception


@frozen_tuple
class EndBlock:
    """End a block of a tuner that has spent what it may."""

    limit: Limit


@frozen_tuple
class Grant:
    """Let a stream pull requests: for slots that have nothing to do, or as it did when the call ran before."""

    participant: Participant
    room: int


@frozen_tuple
class LetTunersRun:
    """Take no decision before cancelled tuners have run: what they withdraw must not be given out."""


@frozen_tuple
class Warn:
    """Warn the user."""

    message: str
    #: tell it to observers of the studies that it concerns: their users may be elsewhere
    announcers: tuple[Announcer, ...] = ()


@frozen_tuple
class Say:
    """Tell the user what goes on; nothing is wrong."""

    message: str


@frozen_tuple
class Watch:
    """Come back with `Elapsed` in a moment."""


@frozen_tuple
class Want:
    """Tell the engine how many slots would have work; None: as many as there are."""

    slots: int | None


@frozen_tuple
class LookForDeleted:
    """Ask the store which of these studies was deleted; each comes back as `StudyDeleted`."""

    store: AbstractPlanStore
    study: StudyRow


@frozen_tuple
class LookForRoom:
    """Find out which states can go, so that those of a database take no more than so much: `RoomFound`, or `NoLook`."""

    store: AbstractPlanStore
    limit: int


@frozen_tuple
class RemoveFiles:
    """Remove the files of states that are forgotten; if the write which says so fails, they stay."""

    keys: tuple[str, ...]
    after: WriteId


@frozen_tuple
class RemovePart:
    """Remove what was half written under a lease whose slot was lost: nobody writes there any more."""

    #: how the names of its states begin
    prefix: str


Instruction = (
    Write
    | Submit
    | Tell
    | Announce
    | Unlock
    | Send
    | OpenWorkload
    | Lose
    | Fail
    | EndBlock
    | Grant
    | LetTunersRun
    | Warn
    | Say
    | Watch
    | Want
    | LookForDeleted
    | LookForRoom
    | RemoveFiles
    | RemovePart
)
Instructions = tuple[Instruction, ...]
