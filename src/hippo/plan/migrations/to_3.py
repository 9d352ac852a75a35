"""From schema 2 to 3: a study has members, each with a plan of its own.

In schema 2 a study had one plan. One with several seeds was several studies, "x (seed 0)" and so on, in front of which
the script that made it put another object, "x". Here they become one study, "x", with a member for each seed: their
calls, trials and requests are paired by what they are, (position and record), (call, config, occurrence), and numbered
as the first seed's were.

Nothing in schema 2 says that studies belong together but their names, and those a user may have given. What tells is
the order of answers: the seeds of one study took their numbers from one sequence, so that no two of them have the same;
studies that were run by themselves each begin at nought.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from sqlalchemy import BigInteger, Boolean, Column, Float, String, Text

if TYPE_CHECKING:
    from alembic.operations import Operations

_NAME_OF_A_SEED = re.compile(r"(?P<base>.+) \((?P<member>seed (?P<seed>\d+))\)", re.DOTALL)

_STUDY = sa.table("hippo_study", *map(sa.column, ("study", "name", "generation", "settings", "deleted")))
_PLAN_OF = sa.table("hippo_studyplan", *map(sa.column, ("study", "member", "plan", "position")))
_CALL = sa.table(
    "hippo_call", *map(sa.column, ("study", "call", "position", "record", "state", "device_seconds_before"))
)
_TRIAL = sa.table("hippo_trial", *map(sa.column, ("study", "number", "member", "call", "config", "occurrence")))
_REQUEST = sa.table(
    "hippo_request", *map(sa.column, ("study", "request", "call", "trial", "member", "state", "delivery"))
)
_NODE = sa.table("hippo_node", *map(sa.column, ("plan", "node", "owner")))
_PAID = [sa.table(name, sa.column("study")) for name in ("hippo_step", "hippo_metrics", "hippo_checkpoint")]


def to_schema_3(op: Operations) -> list[str]:
    """Change the tables, and make one study of those that were the seeds of one."""
    _change_tables(op)
    connection = op.get_bind()
    said = []
    for base, generations in sorted(_families(connection).items()):
        before = sorted({seed.name for seeds in generations for seed in seeds}, key=_seed_number)
        if _is_taken(connection, base):
            said.append(
                f"{', '.join(map(repr, before))} stay studies of their own, since there is a study {base!r} already"
            )
            continue
        for seeds in generations:
            _Joining(connection, base, seeds).join()
        said.append(f"study {base!r} has the seeds that were studies of their own: {', '.join(map(repr, before))}")
    return said


# --- tables


def _change_tables(op: Operations) -> None:
    op.create_table(
        "hippo_studyplan",
        Column("study", BigInteger, primary_key=True, autoincrement=False, nullable=False),
        Column("member", String(255), primary_key=True, nullable=False),
        Column("plan", BigInteger, nullable=False),
        Column("position", BigInteger, nullable=False),
    )
    op.execute("INSERT INTO hippo_studyplan (study, member, plan, position) SELECT study, '', plan, 0 FROM hippo_study")
    with op.batch_alter_table("hippo_study") as study:
        study.drop_column("plan")
    op.create_table(
        "hippo_trial_3",
        Column("study", BigInteger, primary_key=True, autoincrement=False, nullable=False),
        Column("number", BigInteger, primary_key=True, autoincrement=False, nullable=False),
        Column("member", String(255), primary_key=True, nullable=False),
        Column("call", BigInteger, nullable=False),
        Column("config", Text, nullable=False),
        Column("occurrence", BigInteger, nullable=False),
        Column("node", BigInteger, nullable=False),
        Column("until", BigInteger, nullable=False),
        Column("step", BigInteger, nullable=False),
        Column("state", Text, nullable=False),
        Column("loss", Float(53)),
        Column("error", Text, nullable=False),
    )
    kept = "call, config, occurrence, node, until, step, state, loss, error"
    op.execute(
        f"INSERT INTO hippo_trial_3 (study, number, member, {kept}) SELECT study, number, '', {kept} FROM hippo_trial"
    )
    op.create_table(
        "hippo_request_3",
        Column("study", BigInteger, primary_key=True, autoincrement=False, nullable=False),
        Column("request", BigInteger, primary_key=True, autoincrement=False, nullable=False),
        Column("call", BigInteger, nullable=False),
        Column("trial", BigInteger, nullable=False),
        Column("member", Text, nullable=False),
        Column("until", BigInteger, nullable=False),
        Column("final", Boolean, nullable=False),
        Column("uncovered", Text, nullable=False),
        Column("state", Text, nullable=False),
        Column("delivery", BigInteger),
        Column("seconds", Float(53)),
    )
    kept = "until, final, uncovered, state, delivery, seconds"
    asked = ", ".join(f"asked.{name}" for name in kept.split(", "))
    op.execute(
        f"INSERT INTO hippo_request_3 (study, request, call, trial, member, {kept}) "
        f"SELECT asked.study, asked.request, trial.call, asked.trial, '', {asked} FROM hippo_request AS asked "
        "JOIN hippo_trial AS trial ON trial.study = asked.study AND trial.number = asked.trial"
    )
    for name in ("hippo_trial", "hippo_request"):
        op.drop_table(name)
        op.rename_table(f"{name}_3", name)
    op.create_index("hippo_request_by_call", "hippo_request", ["study", "call"])
    op.create_index("hippo_trial_by_loss", "hippo_trial", ["study", "state", "loss", "number", "call", "step"])


# --- which studies are the seeds of one


@dataclass(frozen=True, slots=True, kw_only=True)
class _Seed:
    """A study of schema 2 that may be one seed of another one."""

    study: int
    name: str
    member: str
    generation: int
    plan: int
    settings: str


def _families(connection: sa.Connection) -> dict[str, list[list[_Seed]]]:
    """Return name -> generations, each with its seeds in the order in which they were made, of what was one study."""
    found: defaultdict[str, defaultdict[int, list[_Seed]]] = defaultdict(lambda: defaultdict(list))
    for row in connection.execute(
        sa.text(
            "SELECT study.study, name, generation, member.plan, declared, settings FROM hippo_study AS study "
            "JOIN hippo_studyplan AS member ON member.study = study.study "
            "JOIN hippo_plan AS plan ON plan.plan = member.plan WHERE NOT deleted ORDER BY study.study"
        )
    ).mappings():
        match = _NAME_OF_A_SEED.fullmatch(row["name"])
        if match is None or json.loads(row["declared"]).get("seed") != int(match["seed"]):
            continue
        settings = json.loads(row["settings"])
        settings.pop("opened", None)  # in which order its generations were opened
        seed = _Seed(
            study=row["study"],
            name=row["name"],
            member=match["member"],
            generation=row["generation"],
            plan=row["plan"],
            settings=json.dumps(settings, sort_keys=True),
        )
        found[match["base"]][seed.generation].append(seed)
    return {
        base: list(generations.values())
        for base, generations in found.items()
        if _are_one_study(connection, list(generations.values()))
    }


def _are_one_study(connection: sa.Connection, generations: Sequence[Sequence[_Seed]]) -> bool:
    """Tell whether studies took the numbers of their answers from one sequence, as only seeds of one study do."""
    is_seen = False
    for seeds in generations:
        if len({seed.settings for seed in seeds}) > 1:
            return False
        for one, other in combinations([_deliveries(connection, seed.study) for seed in seeds], 2):
            for call in one.keys() & other.keys():
                if one[call] & other[call]:
                    return False
                is_seen = True
    return is_seen


def _deliveries(connection: sa.Connection, study: int) -> dict[tuple[int, str], set[int]]:
    """Return (position, record) of each call that was answered -> the numbers of its deliveries."""
    numbers: defaultdict[tuple[int, str], set[int]] = defaultdict(set)
    query = sa.text(
        "SELECT DISTINCT position, record, delivery FROM hippo_request AS asked JOIN hippo_call AS call "
        "ON call.study = asked.study AND call.call = asked.call "
        "WHERE asked.study = :study AND asked.state = 'answered' AND delivery IS NOT NULL"
    )
    for position, record, delivery in connection.execute(query, {"study": study}):
        numbers[position, record].add(delivery)
    return dict(numbers)


def _is_taken(connection: sa.Connection, name: str) -> bool:
    query = sa.select(_STUDY.c.study).where(_STUDY.c.name == name, sa.not_(_STUDY.c.deleted))
    return connection.execute(query).first() is not None


def _seed_number(name: str) -> int:
    match = _NAME_OF_A_SEED.fullmatch(name)
    assert match is not None, "only such names are asked about"
    return int(match["seed"])


# --- making one study of them


class _Joining:
    """Makes one generation of a study of those that were its seeds; the first of them gives its number."""

    def __init__(self, connection: sa.Connection, name: str, seeds: Sequence[_Seed]) -> None:
        self._connection = connection
        self._name = name
        self._seeds = seeds
        self._study = seeds[0].study
        #: (position, record) -> number
        self._calls: dict[tuple[int, str], int] = {}
        #: (call, config, occurrence) -> number
        self._trials: dict[tuple[int, str, int], int] = {}
        self._num_requests = 0

    def join(self) -> None:
        for seed in self._seeds:
            calls = self._take_calls(seed)
            trials = self._take_trials(seed, calls)
            self._take_requests(seed, calls, trials)
            self._take_facts(seed, trials)
        studies = [seed.study for seed in self._seeds]
        self._run(sa.delete(_PLAN_OF).where(_PLAN_OF.c.study.in_(studies)))
        self._run(sa.delete(_STUDY).where(_STUDY.c.study.in_(studies[1:])))
        self._run(sa.update(_STUDY).where(_STUDY.c.study == self._study).values(name=self._name))
        for position, seed in enumerate(self._seeds):
            values = {"study": self._study, "member": seed.member, "plan": seed.plan, "position": position}
            self._run(sa.insert(_PLAN_OF).values(values))

    def _take_calls(self, seed: _Seed) -> dict[int, int]:
        """Return number of each call of a seed -> its number in the study."""
        numbers = {}
        for row in self._rows(_CALL, seed, _CALL.c.call):
            known = (row["position"], row["record"])
            is_new = known not in self._calls
            numbers[row["call"]] = number = self._calls.setdefault(known, len(self._calls))
            own = sa.and_(_CALL.c.study == seed.study, _CALL.c.call == row["call"])
            if is_new:
                self._run(sa.update(_CALL).where(own).values(study=self._study, call=number))
                continue
            self._run(sa.delete(_CALL).where(own))
            joint = sa.and_(_CALL.c.study == self._study, _CALL.c.call == number)
            self._run(
                sa.update(_CALL)
                .where(joint)
                .values(device_seconds_before=_CALL.c.device_seconds_before + row["device_seconds_before"])
            )
            if row["state"] != "complete":  # then neither is what they were part of
                self._run(sa.update(_CALL).where(joint).values(state=row["state"]))
        return numbers

    def _take_trials(self, seed: _Seed, calls: Mapping[int, int]) -> dict[int, int]:
        """Return number of each trial of a seed -> its number in the study."""
        numbers = {}
        for row in self._rows(_TRIAL, seed, _TRIAL.c.number):
            trial = (calls[row["call"]], row["config"], row["occurrence"])
            numbers[row["number"]] = number = self._trials.setdefault(trial, len(self._trials))
            self._run(
                sa.update(_TRIAL)
                .where(_TRIAL.c.study == seed.study, _TRIAL.c.number == row["number"], _TRIAL.c.member == "")
                .values(study=self._study, number=number, member=seed.member, call=trial[0])
            )
        return numbers

    def _take_requests(self, seed: _Seed, calls: Mapping[int, int], trials: Mapping[int, int]) -> None:
        for row in self._rows(_REQUEST, seed, _REQUEST.c.request):
            self._num_requests += 1
            self._run(
                sa.update(_REQUEST)
                .where(_REQUEST.c.study == seed.study, _REQUEST.c.request == row["request"], _REQUEST.c.member == "")
                .values(
                    study=self._study,
                    request=self._num_requests,
                    call=calls[row["call"]],
                    trial=trials[row["trial"]],
                    member=seed.member,
                )
            )

    def _take_facts(self, seed: _Seed, trials: Mapping[int, int]) -> None:
        """Let the study pay for what a seed paid for, and its trials own the roots that those of the seed owned."""
        for table in _PAID:
            self._run(sa.update(table).where(table.c.study == seed.study).values(study=self._study))
        nodes = self._connection.execute(sa.select(_NODE).where(_NODE.c.plan == seed.plan, _NODE.c.owner != ""))
        for node in nodes.mappings().all():
            study, _, trial = node["owner"].partition("/")
            if int(study) == seed.study:
                owner = f"{self._study}/{trials[int(trial)]}"
                own = sa.and_(_NODE.c.plan == seed.plan, _NODE.c.node == node["node"])
                self._run(sa.update(_NODE).where(own).values(owner=owner))

    def _rows(self, table: sa.TableClause, seed: _Seed, order: sa.ColumnElement[Any]) -> Sequence[sa.RowMapping]:
        mine = sa.select(table).where(table.c.study == seed.study)
        if "member" in table.c:  # the study that they are brought to has other members' rows by now
            mine = mine.where(table.c.member == "")
        return self._connection.execute(mine.order_by(order)).mappings().all()

    def _run(self, statement: sa.Executable) -> None:
        self._connection.execute(statement)
