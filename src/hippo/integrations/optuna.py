"""hippo's studies as Optuna's tools see studies: `HippoStorage`; and `ReseededSampler`, which makes samplers resumable.

    study = optuna.load_study(study_name="digits", storage=HippoStorage("sqlite:///hippo.db"))
    optuna.visualization.plot_optimization_history(study)

Studies of hippo are shown, not written: whatever Optuna writes goes to a storage of its own.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from typing import Any

from hippo.errors import MissingExtraError, StorageError

try:
    import optuna
except ModuleNotFoundError as error:
    raise MissingExtraError(
        f"hippo.integrations.optuna needs Optuna: pip install 'hippo-tune[optuna]' ({error})"
    ) from None
from optuna.distributions import BaseDistribution
from optuna.exceptions import DuplicatedStudyError, UpdateFinishedTrialError
from optuna.storages import BaseStorage
from optuna.storages._heartbeat import BaseHeartbeat
from optuna.study import StudyDirection
from optuna.study._frozen import FrozenStudy
from optuna.trial import FrozenTrial, TrialState

from hippo.integrations.optuna_trials import frozen_trials
from hippo.plan.urls import shown_url
from hippo.study import Study, get_all_study_names, load_study
from hippo.study.options import check_storage
from hippo.tuners.reseeding import ReseededSampler

__all__ = ["HippoStorage", "ReseededSampler"]

#: ids of hippo's studies begin here, far above those that a database gives, and below what JavaScript can hold
FIRST_ID = 2**40


class HippoStorage(BaseStorage, BaseHeartbeat):
    """A storage of Optuna in which the studies of a hippo storage are found under their names, beside Optuna's own.

    What is shown is of the moment of each call. Parameters are the values of a config's constants, and the texts of
    other sequences; their distributions are inferred from the trials: see `hippo.integrations.optuna_trials`.

    Args:
      storage: URL of the hippo storage.
      own: storage, or its URL, for studies that Optuna makes; None: in memory.

    Raises:
      StorageError: the hippo storage is not there.
      OptionError: it is a study service: Optuna reads databases.
    """

    def __init__(self, storage: str, *, own: str | BaseStorage | None = None) -> None:
        self._url = check_storage(storage)
        self._own = optuna.storages.get_storage(own)
        #: names of hippo's studies that were seen: a study's id is `FIRST_ID` plus its place
        self._names: list[str] = []
        self._look()

    # ------------------------------------------------------------------------------------------ studies of Optuna

    def create_new_study(self, directions: Sequence[StudyDirection], study_name: str | None = None) -> int:
        if study_name is not None and study_name in self._look():
            raise DuplicatedStudyError(
                f"hippo has a study {study_name!r} in {shown_url(self._url)}; take another name."
            )
        return self._own.create_new_study(directions, study_name)

    def delete_study(self, study_id: int) -> None:
        self._refuse_study(study_id, "deleted here; call hippo.delete_study")
        self._own.delete_study(study_id)

    def set_study_user_attr(self, study_id: int, key: str, value: Any) -> None:
        self._refuse_study(study_id, f"given the user attribute {key!r}")
        self._own.set_study_user_attr(study_id, key, value)

    def set_study_system_attr(self, study_id: int, key: str, value: Any) -> None:
        self._refuse_study(study_id, f"given the system attribute {key!r}")
        self._own.set_study_system_attr(study_id, key, value)

    def create_new_trial(self, study_id: int, template_trial: FrozenTrial | None = None) -> int:
        self._refuse_study(study_id, "given trials by Optuna; run a hippo tuner on it, such as hippo.SamplerSearch")
        return self._own.create_new_trial(study_id, template_trial)

    def set_trial_param(
        self, trial_id: int, param_name: str, param_value_internal: float, distribution: BaseDistribution
    ) -> None:
        self._refuse_trial(trial_id)
        self._own.set_trial_param(trial_id, param_name, param_value_internal, distribution)

    def set_trial_state_values(self, trial_id: int, state: TrialState, values: Sequence[float] | None = None) -> bool:
        self._refuse_trial(trial_id)
        return self._own.set_trial_state_values(trial_id, state, values)

    def set_trial_intermediate_value(self, trial_id: int, step: int, intermediate_value: float) -> None:
        self._refuse_trial(trial_id)
        self._own.set_trial_intermediate_value(trial_id, step, intermediate_value)

    def set_trial_user_attr(self, trial_id: int, key: str, value: Any) -> None:
        self._refuse_trial(trial_id)
        self._own.set_trial_user_attr(trial_id, key, value)

    def set_trial_system_attr(self, trial_id: int, key: str, value: Any) -> None:
        self._refuse_trial(trial_id)
        self._own.set_trial_system_attr(trial_id, key, value)

    def remove_session(self) -> None:
        self._own.remove_session()

    # ------------------------------------------------------------------- whether trials of Optuna are still at work

    @property
    def _beating(self) -> BaseHeartbeat | None:
        return self._own if isinstance(self._own, BaseHeartbeat) else None

    def record_heartbeat(self, trial_id: int) -> None:
        if self._beating is not None:
            self._beating.record_heartbeat(trial_id)

    def _get_stale_trial_ids(self, study_id: int) -> list[int]:
        if self._beating is None or self.get_heartbeat_interval() is None or study_id >= FIRST_ID:
            return []
        return self._beating._get_stale_trial_ids(study_id)

    def get_heartbeat_interval(self) -> int | None:
        return None if self._beating is None else self._beating.get_heartbeat_interval()

    def get_heartbeat_stale_trial_callback(self) -> Callable[[optuna.Study, FrozenTrial], None] | None:
        return None if self._beating is None else self._beating.get_heartbeat_stale_trial_callback()

    # ------------------------------------------------------------------------------------------------- all studies

    def get_study_id_from_name(self, study_name: str) -> int:
        if study_name in self._look():
            return FIRST_ID + self._names.index(study_name)
        return self._own.get_study_id_from_name(study_name)

    def get_study_name_from_id(self, study_id: int) -> str:
        return self._name(study_id) if _is_ours(study_id) else self._own.get_study_name_from_id(study_id)

    def get_study_directions(self, study_id: int) -> list[StudyDirection]:
        if not _is_ours(study_id):
            return self._own.get_study_directions(study_id)
        return _directions(self._study(study_id))

    def get_study_user_attrs(self, study_id: int) -> dict[str, Any]:
        if not _is_ours(study_id):
            return self._own.get_study_user_attrs(study_id)
        return _attributes(self._study(study_id))

    def get_study_system_attrs(self, study_id: int) -> dict[str, Any]:
        if not _is_ours(study_id):
            return self._own.get_study_system_attrs(study_id)
        self._name(study_id)
        return {}

    def get_all_studies(self) -> list[FrozenStudy]:
        ours = [self._frozen(FIRST_ID + self._names.index(name)) for name in self._look()]
        return [*ours, *self._own.get_all_studies()]

    # -------------------------------------------------------------------------------------------------- all trials

    def get_trial_id_from_study_id_trial_number(self, study_id: int, trial_number: int) -> int:
        if not _is_ours(study_id):
            return self._own.get_trial_id_from_study_id_trial_number(study_id, trial_number)
        if all(trial.number != trial_number for trial in self._study(study_id).trials):  # surrogates' are left out
            raise KeyError(f"study {self._name(study_id)!r} has no trial {trial_number}")
        return _first_trial_id(study_id) + trial_number

    def get_trial_number_from_id(self, trial_id: int) -> int:
        return self.get_trial(trial_id).number if _is_ours(trial_id) else self._own.get_trial_number_from_id(trial_id)

    def get_trial_param(self, trial_id: int, param_name: str) -> float:
        if not _is_ours(trial_id):
            return self._own.get_trial_param(trial_id, param_name)
        trial = self.get_trial(trial_id)
        return trial.distributions[param_name].to_internal_repr(trial.params[param_name])

    def get_trial(self, trial_id: int) -> FrozenTrial:
        if not _is_ours(trial_id):
            return self._own.get_trial(trial_id)
        study_id = FIRST_ID + trial_id // FIRST_ID - 1
        for trial in self.get_all_trials(study_id):
            if trial._trial_id == trial_id:
                return trial
        raise KeyError(f"study {self._name(study_id)!r} has no trial {trial_id - _first_trial_id(study_id)}")

    def get_all_trials(
        self, study_id: int, deepcopy: bool = True, states: Container[TrialState] | None = None
    ) -> list[FrozenTrial]:
        if not _is_ours(study_id):
            return self._own.get_all_trials(study_id, deepcopy, states)
        trials = frozen_trials(self._study(study_id), _first_trial_id(study_id))  # made anew: nobody else has them
        return [trial for trial in trials if states is None or trial.state in states]

    # ----------------------------------------------------------------------------------------------------- private

    def _look(self) -> list[str]:
        """Return the names of hippo's studies."""
        names = get_all_study_names(self._url)
        self._names += [name for name in names if name not in self._names]
        return names

    def _name(self, study_id: int) -> str:
        place = study_id - FIRST_ID
        if place >= len(self._names) or self._names[place] not in self._look():
            raise KeyError(f"there is no study with the id {study_id}")
        return self._names[place]

    def _study(self, study_id: int) -> Study:
        return load_study(self._name(study_id), self._url)

    def _frozen(self, study_id: int) -> FrozenStudy:
        study = self._study(study_id)
        return FrozenStudy(
            study_name=study.name,
            direction=None,
            directions=_directions(study),
            user_attrs=_attributes(study),
            system_attrs={},
            study_id=study_id,
        )

    def _refuse_study(self, study_id: int, what: str) -> None:
        if _is_ours(study_id):
            raise StorageError(f"{self._name(study_id)!r} is a study of hippo, and cannot be {what}.")

    def _refuse_trial(self, trial_id: int) -> None:
        if _is_ours(trial_id):
            raise UpdateFinishedTrialError(
                "A trial of a hippo study cannot be changed: what it holds are facts of its training. Copy the study "
                "first: optuna.copy_study(...)."
            )


def _is_ours(id: int) -> bool:
    return id >= FIRST_ID


def _first_trial_id(study_id: int) -> int:
    return FIRST_ID * (study_id - FIRST_ID + 1)


def _directions(study: Study) -> list[StudyDirection]:
    """Return the direction of each objective; a study without a metric is shown as one that minimises nothing."""
    words = {"min": StudyDirection.MINIMIZE, "max": StudyDirection.MAXIMIZE}
    return [words[objective.mode] for objective in study._opened.settings.objectives] or [StudyDirection.MINIMIZE]


def _attributes(study: Study) -> dict[str, Any]:
    metrics = [objective.metric for objective in study._opened.settings.objectives]
    return {"hippo:generation": study.generation, "hippo:metrics": metrics}
