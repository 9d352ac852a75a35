"""What is done to studies as a whole: listed, renamed, deleted, and told what to keep of their states."""

from __future__ import annotations

import json
from dataclasses import replace

from hippo.arguments import explain_calls
from hippo.errors import OptionError, StudyExistsError, UnknownStudyError, did_you_mean, storable_text
from hippo.plan import AbstractPlanStore, KeepRule, StudyRow, Update, opened_store
from hippo.runtime import Settings
from hippo.study.looking import stop_if_only_looking
from hippo.study.options import check_storage, make_keep_rule
from hippo.study.schemes import module_for

DEFAULT_STORAGE = "sqlite:///hippo.db"

#: of what others call the arguments of these functions
STUDY_NAME = {"study_name": "it is called name here, and may stand first without it"}


@explain_calls(**STUDY_NAME)
def delete_study(name: str, storage: str = DEFAULT_STORAGE) -> None:
    """Forget a study and its trials. What was trained stays in the plan, for other studies to share.

    Raises:
      UnknownStudyError: there is none of this name.
    """
    stop_if_only_looking("delete_study")
    check_name(name)
    with opened_store(check_storage(storage), must_exist=True) as store:
        store.commit([Update(replace(row, deleted=True)) for row in _rows_of(name, store)])


@explain_calls(study_name="it is called name here", old_name="it is called name here")
def rename_study(name: str, new_name: str, storage: str = DEFAULT_STORAGE) -> None:
    """Give a study, all generations of it, another name.

    Raises:
      UnknownStudyError: there is none of this name.
      StudyExistsError: there is one of the new name.
    """
    stop_if_only_looking("rename_study")
    check_name(name)
    check_name(new_name)
    with opened_store(check_storage(storage), must_exist=True) as store:
        rows = _rows_of(name, store)
        if new_name in study_names(store):
            raise StudyExistsError(f"there is a study {new_name!r} in {store.url} already; give another name")
        store.commit([Update(replace(row, name=new_name)) for row in rows])


@explain_calls()
def get_all_study_names(storage: str = DEFAULT_STORAGE) -> list[str]:
    """Return the names of all studies in a storage, in the order in which they were made."""
    if (elsewhere := module_for(storage)) is not None:
        names: list[str] = elsewhere.get_all_study_names(storage)
        return names
    with opened_store(check_storage(storage), must_exist=True) as store:
        return study_names(store)


@explain_calls(**STUDY_NAME)
def keep_states(name: str, keep: str, storage: str = DEFAULT_STORAGE) -> None:
    """Say anew which states of a study stay, all generations of it.

    Nothing is removed by that: `collect_garbage` removes what no study keeps. A script that makes the study with
    another `keep=` says it anew, too.

    Args:
      name: of the study.
      keep: as for `create_study`: "best", "top:3", "leaves" or "all".
      storage: its database.

    Raises:
      UnknownStudyError: there is none of this name.
      OptionError: there is no such rule.
    """
    stop_if_only_looking("keep_states")
    check_name(name)
    rule = make_keep_rule(keep)
    with opened_store(check_storage(storage), must_exist=True) as store:
        # without settings its process was killed while it made it
        whole = [row for row in _rows_of(name, store) if row.settings != "{}"]
        store.commit([Update(replace(row, settings=_with_rule(row.settings, rule))) for row in whole])


def _rows_of(name: str, store: AbstractPlanStore) -> list[StudyRow]:
    rows = store.rows(StudyRow, name=name, deleted=False)
    if not rows:
        raise unknown_study(name, store)
    return rows


def _with_rule(text: str, rule: KeepRule) -> str:
    kept = json.loads(text)
    kept["settings"] = replace(Settings.from_text(kept["settings"]), keep=rule).to_text()
    return json.dumps(kept, sort_keys=True)


def check_name(name: object) -> None:
    """Refuse what cannot name a study.

    Raises:
      OptionError: says why.
    """
    if not isinstance(name, str) or not name:
        raise OptionError(f"a study's name must be a string that is not empty, not {name!r}")
    if "://" in name:
        raise OptionError(f"{name!r} is a URL, and no study's name; is storage={name!r} meant?")
    if storable_text(name) != name:
        raise OptionError(
            f"the study's name {name!r} holds what a database cannot: lone surrogates, zeros, or too much"
        )


def study_names(store: AbstractPlanStore) -> list[str]:
    """Return the names of all studies in a store, in the order in which they were made."""
    return list(dict.fromkeys(row.name for row in store.rows(StudyRow, deleted=False)))


def unknown_study(name: str, store: AbstractPlanStore, where: str | None = None) -> UnknownStudyError:
    """Return the error of who names a study that is not there.

    Args:
      name: of the study.
      store: where it was looked for.
      where: what is said of that; None: its URL.
    """
    known = study_names(store)
    return UnknownStudyError(
        f"there is no study {name!r} {where or f'in {store.url}'}; it has {known or 'none'}."
        + did_you_mean(name, known)
    )
