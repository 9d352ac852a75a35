"""The trainer of a study, as far as a study needs it: given when it was made, or found again by its name.

A trainer that was only described, by another process, is never imported here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Protocol

from hippo.errors import TrainerError, listed
from hippo.hparams import Config
from hippo.plan import StudyRow
from hippo.records import TrainerSpec
from hippo.runtime.studies.warnings import warn_caller
from hippo.study.identity.code_of_study import CodeOfStudy, FloatsOfStudy
from hippo.study.identity.describing import TrainerDescription
from hippo.study.identity.generations import changed_parts
from hippo.study.identity.members import StudyMembers
from hippo.training import Trainer, fingerprint, resolve, ship
from hippo.training.code.code_parts import said_part
from hippo.training.code.fingerprint import compiled_fingerprint, trainer_code
from hippo.training.code.same_code import MOST_NAMED
from hippo.training.process.script_floats import TORCHS_OWN, floats_of_script, floats_recorded


class StudyTrainer(NamedTuple):
    """What a study needs of its trainer."""

    #: what to ship for each member of the study
    specs: Mapping[str, TrainerSpec]
    #: refuses a config that it cannot be trained with
    check_config: Callable[[Config, int], None]
    cls: type[Trainer]


class MakeTrainer(Protocol):
    """Builds what is needed of a trainer."""

    def __call__(self, *, to_train: bool = True) -> StudyTrainer:
        """Return it.

        Args:
          to_train: refuse a trainer whose code changed; else it only loads what was trained, and that is warned of.

        Raises:
          TrainerError: it cannot be had here, or has changed.
        """


def trainer_given(
    given: type | str | TrainerDescription, described: TrainerDescription, members: StudyMembers
) -> MakeTrainer:
    """Return what finds the trainer that a study was made with; one that was only described is never imported here."""
    if isinstance(given, TrainerDescription):
        # whoever had it described asks that process about configs, and loads no states here
        known: Any = Trainer
        return lambda to_train=True: StudyTrainer(members.specs(described.spec), lambda config, until: None, known)
    cls = resolve(given)

    def check_config(config: Config, until: int) -> None:
        cls.check_config(config, until)

    return lambda to_train=True: StudyTrainer(members.specs(described.spec), check_config, cls)


def said_changes_of(
    name: str, given: type | str | TrainerDescription, described: TrainerDescription
) -> Callable[[], None] | None:
    """Return what says that a class which travels by value has changed, or how torch computes; None where none does."""
    if isinstance(given, TrainerDescription):
        return None
    if described.spec.reference is not None:  # workers import it
        return FloatsOfStudy(name, described.spec.floats).say_changes
    return CodeOfStudy(name, resolve(given), described.code.fingerprint).say_changes


def trainer_by_name(
    row: StudyRow, members: StudyMembers, kept: Mapping[str, Any], given: type | str | None
) -> MakeTrainer:
    """Return what finds the trainer of a study, kept by its name or `given` by a user who knows better."""

    def recorded_spec(cls: type[Trainer], *, to_train: bool) -> TrainerSpec:
        declared = members.target_workload  # members differ in nothing but their seed and their scale
        codes = (fingerprint(cls), compiled_fingerprint(cls))
        if not declared.code.startswith("version ") and declared.code not in codes:
            labels = changed_parts(kept.get("code", {}), trainer_code(cls))
            parts = f" ({listed([said_part(label) for label in labels], MOST_NAMED)})" if labels else ""
            changed = f"the code of {cls.__module__}:{cls.__qualname__} changed since study {row.name!r} was made"
            if to_train:
                raise TrainerError(f"{changed}; create_study begins a new generation{parts}")
            warn_caller(f"{changed}; its weights are loaded into the class as it is now{parts}")
        return ship(
            cls,
            kept["arguments"],
            seed=declared.seed,
            evaluate_every=declared.evaluate_every,
            workload_key="",
            numerics=declared.numerics,
        )

    def make(*, to_train: bool = True) -> StudyTrainer:
        reference = given if given is not None else kept["reference"]
        if reference is None:
            raise TrainerError(
                f"study {row.name!r} was made with a trainer that cannot be imported by name (from a script, notebook "
                f"or function); give the class: load_study({row.name!r}, trainer=...), or --trainer on the "
                "command line. Or run that script again. trial.load_state() needs no class."
            )
        cls = resolve(reference)
        # as the script had them that made it. Of one made before they were kept, whether it may be trained with those
        # of now its code decides, which they are part of
        floats = kept.get("floats", floats_of_script() if to_train else TORCHS_OWN)
        with floats_recorded(floats):
            spec = recorded_spec(cls, to_train=to_train)
        return StudyTrainer(members.specs(spec), cls.check_config, cls)

    return make
