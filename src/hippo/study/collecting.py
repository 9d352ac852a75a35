"""Garbage collection: finds the files of states that nobody keeps, says what they take, and removes them.

What goes is decided as in a study that runs (`hippo.runtime.studies.worths`), over all plans of a database that nobody
trains on. Beside that it finds what no row names: files that a killed process wrote and could not record, those whose
removal was interrupted, and half-written ones.

It sees the files of one database only, which lie under its own name, and of them it removes nothing that it cannot
judge. A database may be a copy of one that went on elsewhere: then what the other one wrote since looks as if nobody
knew it. Files say in their names the epoch of their plan and the lease that wrote them, and what is later than all that
this database knows is left alone. And a file that was missing may be there again: its disk was not mounted. Its state
is known again, unless it was made anew meanwhile.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, fields
from functools import partial
from itertools import chain

from hippo.arguments import explain_calls
from hippo.checkpoints import AbstractCheckpointStore, FolderCheckpoints, ObjectCheckpoints, open_checkpoints
from hippo.clock import SystemClock
from hippo.collector import collector_paused
from hippo.errors import CheckpointError, MissingCheckpointError, listed
from hippo.plan import (
    AbstractPlanStore,
    CheckpointLoss,
    CheckpointRow,
    LeaseRow,
    PlanRow,
    Rank,
    RankedStates,
    choose,
    forecast,
    forget_states,
    know_states_again,
    opened_store,
    take_unless_used,
)
from hippo.records import Point
from hippo.runtime.studies.worths import WorthReader
from hippo.runtime.turns.room import plans_by_place
from hippo.study.looking import stop_if_only_looking
from hippo.study.managing import DEFAULT_STORAGE
from hippo.study.options import check_checkpoints, check_flags, check_storage, make_budget

#: a state's name behind its plan: its epoch and lease are what a copy of the database can be told by
_STATE = re.compile(r"e(?P<epoch>[0-9]+)-l(?P<lease>[0-9]+)-n[0-9]+-s[0-9]+(-[0-9]+)?")
#: how long a plan may still be locked by whoever is just ending: a call that failed lets its last lane end
_PATIENCE_S = 1.0
#: nobody sends one state for longer
OLD_UPLOAD_S = 86_400.0
#: so many places are named where states were kept
_MOST_PLACES = 3
#: what several states of a plan rest on
_BASE = "base-"


@dataclass(frozen=True, slots=True)
class Files:
    """Files of one kind."""

    count: int = 0
    size_bytes: int = 0

    @classmethod
    def of(cls, sizes: Iterable[int]) -> Files:
        """Return files of these sizes."""
        listed = list(sizes)
        return cls(len(listed), sum(listed))

    def __add__(self, other: Files) -> Files:
        return Files(self.count + other.count, self.size_bytes + other.size_bytes)


NO_FILES = Files()


@dataclass(frozen=True, slots=True, kw_only=True)
class Garbage:
    """What can be removed of a database's checkpoints, or was."""

    #: states that no study keeps: where trials parted, of deleted studies, of trials that are not among the best
    spare: Files = NO_FILES
    #: states that studies keep, beyond the budget that was given
    over_budget: Files = NO_FILES
    #: files that no plan knows: a killed process wrote them, or was about to remove them
    orphans: Files = NO_FILES
    #: what killed processes left half written
    unfinished: Files = NO_FILES
    #: what anybody began to send to an object store long ago, and never ended, under other names than those above
    uploads: Files = NO_FILES
    #: states that stay
    kept: Files = NO_FILES
    #: states that were missing when somebody wanted them, and are there again: known again, or to be
    back: Files = NO_FILES
    #: files that stay since this database cannot tell whose they are: it is older than they are
    unknown: Files = NO_FILES
    #: states that plans know and that are not there: their steps are run again when they are asked for
    missing: int = 0
    #: plans that somebody trains on, of which nothing is removed
    busy: tuple[int, ...] = ()
    #: what it would take to make the removed states again, if all of them were asked for together
    steps: int = 0
    seconds: float = 0.0

    @property
    def size_bytes(self) -> int:
        """What can be freed, or was."""
        return sum(files.size_bytes for files in self.removable().values())

    @property
    def count(self) -> int:
        """How many files that are."""
        return sum(files.count for files in self.removable().values())

    def __add__(self, other: Garbage) -> Garbage:
        return Garbage(**{each.name: getattr(self, each.name) + getattr(other, each.name) for each in fields(self)})

    def removable(self) -> Mapping[str, Files]:
        """Return kind -> files that can be removed, or were."""
        return {
            "not kept": self.spare,
            "over the budget": self.over_budget,
            "orphans": self.orphans,
            "half written": self.unfinished,
            "uploads": self.uploads,
        }


@explain_calls(dry_run="it removes nothing unless it is told to: delete=True")
def collect_garbage(
    storage: str = DEFAULT_STORAGE,
    *,
    delete: bool = False,
    budget: str | int | None = None,
    checkpoints: str | None = None,
    uploads: bool = False,
) -> Garbage:
    """Find what nobody keeps of a database's checkpoints, and remove it if told to.

    Plans that somebody trains on are left alone, and so are files of other databases in the same folder. What is
    removed changes no result: whoever asks for it again has its steps run again.

    Args:
      storage: the database.
      delete: remove it; else it is only counted.
      budget: what all states may take together, such as "5GB": beyond that, those that studies keep go as well, the
        last states of their worst trials first.
      checkpoints: where the states are now, if not where they were written.
      uploads: of states in an object store, look also for what was begun to be sent more than a day ago and never
        ended: by anybody, below the same prefix.

    Raises:
      StorageError: there is no such database.
      CheckpointError: a folder is not there, or a file cannot be removed.
      OptionError: `budget` is no number of bytes.
    """
    stop_if_only_looking("collect_garbage")
    check_flags(delete=delete, uploads=uploads)
    limit = make_budget(budget, "budget")
    moved_to = check_checkpoints(checkpoints)
    with opened_store(check_storage(storage), must_exist=True) as store:
        if moved_to is not None:
            _check_place(store, moved_to)
        places = _places(store, moved_to).items()
        found = (_collect_at(store, place, plans, limit, delete=delete, uploads=uploads) for place, plans in places)
        return sum(found, Garbage())


def _collect_at(
    store: AbstractPlanStore, place: str, plans: Sequence[int], limit: int | None, *, delete: bool, uploads: bool
) -> Garbage:
    """Find, and remove, what can go of all plans whose states lie in one place."""
    files, found = open_checkpoints(place), Garbage()
    looked_at, going = list[str](), list[str]()
    # a budget is for all of them together; else one at a time, and so one lock
    for together in [plans] if limit is not None else [[plan] for plan in plans]:
        here, names = _collect(store, files, together, limit, delete=delete)
        looked_at += [f"{store.uuid}/p{plan}" for plan in together if plan not in here.busy]
        going += names
        found += here
    if delete and isinstance(files, FolderCheckpoints) and not found.busy:
        files.delete_by_threads(going)
    elif delete:
        files.delete_all(going)
    if uploads and isinstance(files, ObjectCheckpoints):
        before_s = SystemClock().now() - OLD_UPLOAD_S
        found += Garbage(uploads=Files.of(files.old_uploads(before_s, delete=delete, besides=looked_at)))
    return found


def _places(store: AbstractPlanStore, moved_to: str | None) -> dict[str, list[int]]:
    """Return each folder in which states lie -> the plans that they are of."""
    plans: dict[str, set[int]] = {}
    for place, numbers in plans_by_place(store).items():
        if not place.startswith("memory:"):  # what was there went with its process
            plans.setdefault(moved_to or place, set()).update(numbers)
    return {place: sorted(numbers) for place, numbers in plans.items()}


def _check_place(store: AbstractPlanStore, moved_to: str) -> None:
    """See to it that states of this database lie where they are said to be now.

    In any other place all of them would look lost, and whatever lies there like files that nobody knows.

    Raises:
      CheckpointError: states are known, and none of them is there.
    """
    files, known, found = open_checkpoints(moved_to), 0, 0
    recorded = _places(store, None)
    for plan in sorted({number for numbers in recorded.values() for number in numbers}):
        with store.reading() as rows:
            keys = {key for (key,) in rows.columns(CheckpointRow, ("key",), plan=plan, gone="")}
        known += len(keys)
        try:
            found += sum(entry.key in keys for entry in files.entries(f"{store.uuid}/p{plan}")) if keys else 0
        except MissingCheckpointError:
            return  # not even a folder: whoever lists it says so
    if known and not found and moved_to not in recorded:
        raise CheckpointError(
            f"of the {known} states that {store.url} knows, none is in {moved_to!r}; when they were written, they were "
            f"kept in {listed(sorted(map(repr, recorded)), _MOST_PLACES)}. Name the folder, or bucket and prefix, to "
            "which they were moved. Nothing was removed."
        )


@dataclass(slots=True)
class _Listed:
    """What lies in a store under the name of one plan."""

    #: name -> bytes
    whole: dict[str, int] = field(default_factory=dict)
    unfinished: list[int] = field(default_factory=list)


def _collect(
    store: AbstractPlanStore,
    files: AbstractCheckpointStore,
    plans: Sequence[int],
    limit: int | None,
    *,
    delete: bool,
) -> tuple[Garbage, list[str]]:
    """Find what can go of the plans whose states lie in one place, and return the names of the files, too.

    They are to be removed if `delete` is true: then no plan knows them any more.
    """
    with ExitStack() as locks, collector_paused():  # a hundred thousand states: it would look at all, again and again
        held = _taken(locks, store, plans)
        listed = _listed(files, store, held)
        with store.reading() as rows:
            worths = WorthReader(rows, there={key for each in listed.values() for key in each.whole})
            kept = [worths.read(plan) for plan in held]
        found = Garbage(busy=tuple(plan for plan in plans if plan not in held))
        going: list[str] = []
        for plan, each, points in zip(held, kept, _chosen(kept, limit), strict=True):
            orphans, back, of_states = _judged(store, plan, listed[plan], each, points)
            evicted = [each.held.files[point].key for point in sorted(points)]
            if delete and back:
                know_states_again(store, plan, back)
                if replaced := list(chain.from_iterable(back.values())):
                    forget_states(store, plan, replaced, CheckpointLoss.MISSING)
            if delete and evicted:
                forget_states(store, plan, evicted, CheckpointLoss.EVICTED)
            going += [*evicted, *orphans]
            found += of_states
        if delete:
            for plan in held:  # under its lock: else somebody might be writing there
                files.remove_unfinished(f"{store.uuid}/p{plan}")
    return found, going


def _taken(locks: ExitStack, store: AbstractPlanStore, plans: Sequence[int]) -> list[int]:
    """Take the locks of plans, and return those that nobody trains on; who is just ending is waited for."""
    taken: list[int] = []
    clock, pause = SystemClock(), threading.Event()
    give_up_at = clock.elapsed() + _PATIENCE_S
    while True:
        taken += [plan for plan in plans if plan not in taken and take_unless_used(locks, store, plan)]
        if len(taken) == len(plans) or clock.elapsed() >= give_up_at:
            return sorted(taken)
        pause.wait(_PATIENCE_S / 20)


def _listed(files: AbstractCheckpointStore, store: AbstractPlanStore, plans: Iterable[int]) -> dict[int, _Listed]:
    """Return plan -> what lies there.

    Raises:
      CheckpointError: the folder is not there.
    """
    found: dict[int, _Listed] = {}
    for plan in plans:
        listed = found[plan] = _Listed()
        try:
            for entry in files.entries(f"{store.uuid}/p{plan}"):
                if entry.key:
                    listed.whole[entry.key] = entry.size_bytes
                else:
                    listed.unfinished.append(entry.size_bytes)
        except MissingCheckpointError as error:
            with store.reading() as rows:
                known = len(rows.columns(CheckpointRow, ("key",), plan=plan, gone=""))
            if known:
                raise CheckpointError(
                    f"{error} Plan {plan} of {store.url} knows {known} states there. If the folder was moved, name it: "
                    "checkpoints='folder', or `hippo gc --checkpoints folder`. Nothing was removed."
                ) from None
    return found


def _chosen(kept: Sequence[RankedStates], limit: int | None) -> list[set[Point]]:
    """Return for each plan the states that go: the spare ones, and as many more as exceed the budget."""
    total = sum(each.held.size_bytes for each in kept)
    chosen: list[set[Point]] = [set(each.spare()) for each in kept]
    # spare ones come first whatever is chosen: others only where all of them are not enough
    for position, point in choose(kept, total - limit) if limit is not None else ():
        chosen[position].add(point)
    return chosen


def _judged(
    store: AbstractPlanStore, plan: int, listed: _Listed, each: RankedStates, points: set[Point]
) -> tuple[list[str], dict[str, list[str]], Garbage]:
    """Return the files that belong to no state, those that belong to one again, and what is to be said of a plan."""
    with store.reading() as rows:
        states = rows.columns(CheckpointRow, ("key", "gone", "size_bytes", "node", "step"), plan=plan)
        (row,) = rows.rows(PlanRow, plan=plan)
        last_lease = rows.largest(LeaseRow, "lease", plan=plan) or 0
    going = {each.held.files[point].key for point in points}
    names = {key: gone for key, gone, *_ in states}
    back = _back(states, listed.whole)
    replaced = set(chain.from_iterable(back.values()))
    orphans, kept, unknown = _sorted_out(listed.whole, names, going, back, partial(_is_older, row.epoch, last_lease))
    files = each.held.files
    spare = {point for point in points if each.worth(point).rank is Rank.SPARE}
    expected = forecast(each.held, points, points)
    return (
        orphans,
        back,
        Garbage(
            spare=Files.of(files[point].size_bytes for point in spare),
            over_budget=Files.of(files[point].size_bytes for point in points - spare),
            orphans=Files.of(listed.whole[key] for key in orphans),
            unfinished=Files.of(listed.unfinished),
            kept=Files.of(listed.whole[key] for key in kept),
            back=Files.of(listed.whole[key] for key in back),
            unknown=Files.of(unknown),
            missing=sum(not gone and key not in listed.whole and key not in replaced for key, gone in names.items()),
            steps=expected.steps,
            seconds=expected.seconds,
        ),
    )


def _sorted_out(
    whole: Mapping[str, int],
    names: Mapping[str, str],
    going: Collection[str],
    back: Collection[str],
    is_older: Callable[[str], bool],
) -> tuple[list[str], list[str], list[int]]:
    """Return the files that belong to no state, those that are kept, and the bytes of those of which nobody knows.

    Args:
      whole: the files that are there, with their bytes.
      names: key of each state that was ever written -> why it is gone; empty if it is not.
      going: those that go now.
      back: those that are there again.
      is_older: tells whether a file of this name was written before what the database knows of.
    """
    kept = [key for key, gone in names.items() if not gone and key in whole and key not in going]
    orphans: list[str] = []
    unknown: list[int] = []
    bases: list[str] = []
    for key, size in whole.items():
        if names.get(key) == "" or key in back:
            continue
        name = key.rpartition("/")[2]
        if name.startswith(_BASE):
            bases.append(key)
        elif key in names or is_older(name):
            orphans.append(key)
        else:
            unknown.append(size)
    if kept or back:  # what is back rests on them, too
        kept += bases
    elif unknown:  # and so may these
        unknown += [whole[key] for key in bases]
    else:
        orphans += bases
    return orphans, kept, unknown


def _back(states: Iterable[tuple[str, str, int, int, int]], whole: Mapping[str, int]) -> dict[str, list[str]]:
    """Return the files of states that were missing and are there again as they were -> those in whose place they come.

    Args:
      states: key, why it is gone, bytes, node and step of each that was ever written.
      whole: the files that are there, with their bytes.
    """
    back: dict[tuple[int, int], str] = {}
    lost: dict[tuple[int, int], list[str]] = {}
    held: set[tuple[int, int]] = set()
    for key, gone, size, node, step in states:
        if gone == CheckpointLoss.MISSING and whole.get(key) == size:
            back[node, step] = key
        elif not gone and key in whole:
            held.add((node, step))
        elif not gone:
            lost.setdefault((node, step), []).append(key)
    return {key: lost.get(point, []) for point, key in back.items() if point not in held}


def _is_older(epoch: int, last_lease: int, name: str) -> bool:
    """Tell whether a state was written under a lease that this database has heard of, or before its present epoch."""
    found = _STATE.fullmatch(name)
    if found is None:
        return False
    written = int(found["epoch"])
    return written < epoch or (written == epoch and int(found["lease"]) <= last_lease)
