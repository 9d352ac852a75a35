"""Generations of a study: which one code, arguments and data belong to, and what changed where a new one begins."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from hippo.clock import SystemClock
from hippo.engines import AbstractEngine
from hippo.errors import StorageError, StudyExistsError, listed
from hippo.plan import AbstractPlanStore, PlanRow, StudyRow, Update
from hippo.records import TrainerSpec, Workload
from hippo.runtime import Settings
from hippo.runtime.studies.shell_lines import command
from hippo.runtime.studies.warnings import say
from hippo.study.identity.members import has_surrogates_elsewhere, target_plans
from hippo.study.identity.named_files import named_files
from hippo.study.identity.workloads import known_key
from hippo.training.code.code_parts import GLOBAL, said_part
from hippo.training.code.fingerprint import TrainerCode
from hippo.training.code.same_code import MOST_NAMED

#: of a study whose process was killed while it made it, by a release that added it in two steps
NOTHING_KEPT = "{}"
#: how many scripts may begin together with one name, each with other code or arguments
_MOST_RACES = 1000


def known_keys(store: AbstractPlanStore, name: str, workloads: Mapping[str, Workload]) -> dict[str, str]:
    """Return name of each member -> the key under which its workload is known, or is to be."""
    plans = store.rows(PlanRow)
    generations = store.rows(StudyRow, name=name, deleted=False)
    current = target_plans(store, current_generation(generations).study) if generations else {}
    return {member: known_key(workload, plans, of_study=current.get(member)) for member, workload in workloads.items()}


def private_names(store: AbstractPlanStore, name: str, members: Iterable[str]) -> dict[str, str]:
    """Return name of each member -> what its plan is called, if it is open to this study alone.

    A plan keeps its name when its study is given another, and a new study of the old name begins another plan.
    """
    rows = store.rows(StudyRow, deleted=False)
    generations = [row for row in rows if row.name == name]
    called = {plan.plan: json.loads(plan.declared).get("private_to") for plan in store.rows(PlanRow)}
    current = target_plans(store, current_generation(generations).study) if generations else {}
    taken = {called[plan] for row in rows if row.name != name for plan in target_plans(store, row.study).values()}
    names: dict[str, str] = {}
    for member in members:
        own = f"{name} ({member})" if member else name
        others = (f"{own} #{number}" for number in itertools.count(2))
        free = (each for each in itertools.chain([own], others) if each not in taken)
        names[member] = (called[current[member]] if member in current else None) or next(free)
    return names


def find_or_add(
    store: AbstractPlanStore,
    name: str,
    plans: Mapping[str, PlanRow],
    settings: Settings,
    kept: Mapping[str, Any],
    load_if_exists: bool,
    code: TrainerCode,
    *,
    forking: AbstractEngine | None,
) -> tuple[StudyRow, bool]:
    """Return the generation of a study that has these plans, and whether it was made now, since there was none.

    Seeds are a set: named in another order they are the same study.
    """
    tries = 0
    while True:
        tries += 1
        rows = store.rows(StudyRow, name=name, deleted=False)
        if rows and not load_if_exists:
            raise StudyExistsError(
                f"there is a study {name!r} in {store.url} already; give another name, delete it "
                f"(hippo.delete_study({name!r}, storage={store.url!r})), or go on with it (load_if_exists=True)"
            )
        try:
            return _found_or_added(store, name, rows, plans, settings, kept, code, forking=forking)
        except StudyExistsError:  # between the look and the row another process added this generation
            if not load_if_exists or tries == _MOST_RACES:
                raise


def _found_or_added(
    store: AbstractPlanStore,
    name: str,
    rows: Sequence[StudyRow],
    plans: Mapping[str, PlanRow],
    settings: Settings,
    kept: Mapping[str, Any],
    code: TrainerCode,
    *,
    forking: AbstractEngine | None,
) -> tuple[StudyRow, bool]:
    """Return what `find_or_add` does, given the generations that there are.

    Raises:
      StudyExistsError: there is another one meanwhile.
    """
    numbers = {member: plan.plan for member, plan in plans.items()}
    if not rows:
        return _add(store, name, 1, numbers, kept), True
    current = current_generation(rows)
    on_these_plans = [
        row
        for row in rows
        if target_plans(store, row.study) == numbers and not has_surrogates_elsewhere(store, row.study, forking)
    ]
    if not on_these_plans:
        generation = max(row.generation for row in rows) + 1
        row = _add(store, name, generation, numbers, {**kept, "opened": _last_opened(rows) + 1})
        _say_what_changed(store, current, plans, generation, code)
        return row, True
    row = current if current in on_these_plans else max(on_these_plans, key=lambda row: row.generation)
    if row.settings != NOTHING_KEPT:
        _refuse_other_objective(name, json.loads(row.settings)["settings"], settings)
    if row is not current:
        say(
            f"study {name!r}: this is the code, arguments and data of generation {row.generation}, which goes on; "
            f"results of generation {current.generation} stay in the database."
        )
    return row, row.settings == NOTHING_KEPT


def _add(
    store: AbstractPlanStore, name: str, generation: int, plans: Mapping[str, int], kept: Mapping[str, Any]
) -> StudyRow:
    """Add a study together with what is kept of it: a process that is killed leaves the whole of it, or nothing."""
    text = _kept_text({"opened": 0, **kept})
    row = StudyRow(study=0, name=name, generation=generation, settings=text, created_at=SystemClock().now())
    return store.add_study(row, plans)


def _last_opened(rows: Iterable[StudyRow]) -> int:
    return max((json.loads(row.settings).get("opened", 0) for row in rows), default=0)


def current_generation(rows: Iterable[StudyRow]) -> StudyRow:
    """Return the generation of a study that was opened last by `create_study`."""
    return max(rows, key=lambda row: (json.loads(row.settings).get("opened", 0), row.generation))


def _say_what_changed(
    store: AbstractPlanStore, current: StudyRow, plans: Mapping[str, PlanRow], generation: int, code: TrainerCode
) -> None:
    """Say why a new generation begins, unless it was asked for: a fork of the same workload."""
    name, before, known = current.name, current.generation, target_plans(store, current.study)
    if known.keys() != plans.keys():
        changed, which = "the seeds", ""
    else:
        member = next((member for member, plan in plans.items() if plan.plan != known[member]), None)
        if member is None:
            return
        known_plan = store.rows(PlanRow, plan=known[member])[0]
        if known_plan.workload == plans[member].workload:
            return
        declared = [json.loads(row.declared) for row in (known_plan, plans[member])]
        recorded = json.loads(current.settings).get("trainer", {}).get("code", {})
        if len({each["code"] == each.get("compiled") for each in declared}) > 1:
            recorded = {}  # one came with its source, the other as bytecode: their parts cannot be compared
        changed, which = _said_changed(_changed_fields(*declared), changed_parts(recorded, code))
    say(
        f"study {name!r}: {changed} changed{which} since generation {before}. Generation {generation} "
        "begins on another plan; earlier results stay in the database and are not mixed with it",
        here=f": hippo.load_study({name!r}, generation={before}) or "
        f"`{command('trials', name, '--generation', str(before), storage=store.url)}` shows them.",
    )


def _changed_fields(before: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    fields = [field for field in now if before.get(field) != now[field] and field != "compiled"]
    if len(fields) > 1 and "trainer" in fields:  # by what name it is reached makes no generation
        fields.remove("trainer")
    return fields


def changed_parts(recorded: Mapping[str, str], code: TrainerCode) -> list[str]:
    """Return the labels of the parts of a trainer's code that are not what was recorded; empty if nothing was."""
    labels = sorted(recorded.keys() | code.labels.keys()) if recorded else []
    return [label for label in labels if recorded.get(label) != code.labels.get(label)]


def _said_changed(fields: Sequence[str], parts: Sequence[str]) -> tuple[str, str]:
    """Return what changed, and more about it in parentheses.

    Args:
      fields: of the workload.
      parts: labels of the parts of the trainer's code, as far as they are known.
    """
    said = ", ".join(f"the {_SAID.get(field, field)}" for field in fields)
    if "code" not in fields or not parts:
        return said, ""
    if list(fields) == ["code"] and all(label.startswith(GLOBAL) for label in parts):
        names = listed([label.removeprefix(GLOBAL) for label in parts], MOST_NAMED)
        why = "drawn without a seed, or made of the time or the command line, when its module is imported?"
        return f"no code, but the value of {names}, which the trainer reads,", f" ({why})"
    if list(fields) == ["code"] and all(label.endswith(".in_one_step") for label in parts):
        return "max_steps", " (given, the function's reports are steps; else all of it is one step)"
    return said, f" ({listed([said_part(label) for label in parts], MOST_NAMED)})"


#: what people call the fields of a workload
_SAID = {
    "trainer": "trainer's class",
    "code": "trainer's code",
    "arguments": "trainer's arguments",
    "dataset": "data",
    "private_to": "choice of sharing=",
}


def _refuse_other_objective(name: str, recorded: str, now: Settings) -> None:
    known = Settings.from_text(recorded)
    if "aggregate" not in json.loads(recorded):  # of a release that did not write it down
        known = replace(known, aggregate=now.aggregate)
    before, after = ((s.objectives, s.constraints, s.nan, s.aggregate) for s in (known, now))
    if before != after:
        raise StorageError(
            f"study {name!r} was made with {_said(known)}, and is opened with {_said(now)}; its recorded answers "
            "mean something else then. Use the same metric, mode, constraints, nan and aggregate, or another name."
        )


def _said(settings: Settings) -> str:
    objectives = ", ".join(f"{o.metric!r} ({o.mode})" for o in settings.objectives) or "no metric"
    constraints = "".join(f", {constraint}" for constraint in settings.constraints)
    aggregate = "" if settings.aggregate == "mean" else f", aggregate={settings.aggregate!r}"
    return f"{objectives}{constraints}, nan={settings.nan.value!r}{aggregate}"


def kept_of(settings: Settings, place: str, spec: TrainerSpec, code: TrainerCode) -> dict[str, Any]:
    """Return what is kept of a study beside its numbers and names."""
    arguments = json.loads(spec.arguments)
    files = named_files(arguments)
    return {
        "settings": settings.to_text(),
        "checkpoints": place,
        "trainer": {
            "reference": spec.reference,
            "arguments": arguments,
            "code": code.labels,
            **({"packages": dict(code.packages)} if code.packages else {}),
            **({"files": files} if files else {}),
            "floats": spec.floats,
        },
    }


def _kept_text(kept: Mapping[str, Any]) -> str:
    return json.dumps(kept, sort_keys=True)


def remember_opened(store: AbstractPlanStore, row: StudyRow, kept: Mapping[str, Any]) -> None:
    """Write down with what, and as which one of its generations, a study was opened last, unless that is known."""
    rows = store.rows(StudyRow, name=row.name, deleted=False)
    others = _last_opened(other for other in rows if other.study != row.study)
    opened = max(_last_opened([row]), others + 1 if len(rows) > 1 else 0)
    text = _kept_text({**kept, "opened": opened})
    if text != row.settings:
        store.commit([Update(replace(row, settings=text))])
