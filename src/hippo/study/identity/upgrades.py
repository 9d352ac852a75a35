"""Installed packages that a trainer imports in another version than the results of its plan were trained with.

What their versions are is no part of a plan's key: whether training differs nobody can tell without training, and an
upgrade of a progress bar would begin all anew. So it is said, once, and people decide.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping

from hippo.errors import listed
from hippo.plan import AbstractPlanStore, StudyPlanRow, StudyRow
from hippo.runtime.studies.warnings import say
from hippo.training.code.same_code import MOST_NAMED


def say_upgrades(name: str, before: KeptTrainer, packages: Mapping[str, str]) -> None:
    """Say which packages have other versions than when a study, or one before it on its plans, was opened last.

    Args:
      name: of the study.
      before: what was known then.
      packages: name -> version now, of those that its trainer imports.
    """
    versions, changed = before.changes("packages", packages)
    if changed:
        said = listed([f"{each} from {versions[each]} to {packages[each]}" for each in changed], MOST_NAMED)
        say(
            f"study {name!r}: what its trainer imports has another version, {said}. Installed packages are no part "
            "of its code: results with the former one stay, and are shared. If it trains otherwise now, "
            f"create_study(..., version='{changed[0]} {packages[changed[0]]}') begins a new generation."
        )


class KeptTrainer:
    """What is kept of a study's trainer from when it was opened last, or, of a new one, the study before it.

    Args:
      store: of the study.
      row: of the study, as it was before it is opened now.
      is_new: it was made now.
      plans: on which it is trained.
    """

    def __init__(self, store: AbstractPlanStore, row: StudyRow, is_new: bool, plans: Collection[int]) -> None:
        kept = _latest_of(store, row, plans) if is_new else row
        self._kept: dict[str, dict[str, str]] = json.loads(kept.settings).get("trainer", {})

    def changes(self, what: str, now: Mapping[str, str]) -> tuple[dict[str, str], list[str]]:
        """Return what was kept under a word, and which names of it have something else now; new names are no change."""
        before = self._kept.get(what, {})
        return before, [name for name, said in sorted(now.items()) if before.get(name, said) != said]


def _latest_of(store: AbstractPlanStore, row: StudyRow, plans: Collection[int]) -> StudyRow:
    """Return the latest other study on these plans; the study itself if there is none."""
    studies = {each.study for plan in plans for each in store.rows(StudyPlanRow, plan=plan)} - {row.study}
    return store.rows(StudyRow, study=max(studies))[0] if studies else row
