"""What a sampler sees of a study: trials in Optuna's words, kept in memory, and open to change.

Optuna's own storages refuse to change a trial that is finished. Here a trial that was paused ("PRUNED") may go on, and
end as complete. This module imports Optuna; it refuses to know spaces and samplers.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import Any

from optuna.distributions import BaseDistribution
from optuna.storages import BaseStorage
from optuna.study import StudyDirection
from optuna.study._frozen import FrozenStudy
from optuna.trial import FrozenTrial, TrialState

#: name and id of the one study
STUDY_NAME = "hippo"
STUDY_ID = 0


class SamplerTrials(BaseStorage):
    """The storage of a single study, whose trials' ids are their numbers.

    Args:
      num_objectives: all of which are to be made small.
    """

    def __init__(self, num_objectives: int) -> None:
        self._directions = [StudyDirection.MINIMIZE] * max(1, num_objectives)
        self._attrs: dict[str, Any] = {}
        self._trials: list[FrozenTrial] = []

    def take_back(self) -> FrozenTrial:
        """Forget the youngest trial, as if it had never been asked for, and return it."""
        return self._trials.pop()

    # ------------------------------------------------------------------------------------------------- the study

    def create_new_study(self, directions: Sequence[StudyDirection], study_name: str | None = None) -> int:
        raise NotImplementedError("there is one study, from the beginning")

    def delete_study(self, study_id: int) -> None:
        raise NotImplementedError("there is one study, to the end")

    def set_study_user_attr(self, study_id: int, key: str, value: Any) -> None:
        raise NotImplementedError("samplers keep system attributes")

    def set_study_system_attr(self, study_id: int, key: str, value: Any) -> None:
        self._attrs[key] = value

    def get_study_id_from_name(self, study_name: str) -> int:
        return STUDY_ID

    def get_study_name_from_id(self, study_id: int) -> str:
        return STUDY_NAME

    def get_study_directions(self, study_id: int) -> list[StudyDirection]:
        return self._directions

    def get_study_user_attrs(self, study_id: int) -> dict[str, Any]:
        return {}

    def get_study_system_attrs(self, study_id: int) -> dict[str, Any]:
        return dict(self._attrs)

    def get_all_studies(self) -> list[FrozenStudy]:
        return [FrozenStudy(STUDY_NAME, None, {}, dict(self._attrs), STUDY_ID, directions=self._directions)]

    # ------------------------------------------------------------------------------------------------ its trials

    def create_new_trial(self, study_id: int, template_trial: FrozenTrial | None = None) -> int:
        number = len(self._trials)
        self._trials.append(
            FrozenTrial(
                number=number,
                trial_id=number,
                state=TrialState.RUNNING,
                value=None,
                datetime_start=None,
                datetime_complete=None,
                params={},
                distributions={},
                user_attrs={},
                system_attrs={},
                intermediate_values={},
            )
        )
        return number

    def set_trial_param(
        self, trial_id: int, param_name: str, param_value_internal: float, distribution: BaseDistribution
    ) -> None:
        self._trials[trial_id].params[param_name] = distribution.to_external_repr(param_value_internal)
        self._trials[trial_id].distributions[param_name] = distribution

    def set_trial_state_values(self, trial_id: int, state: TrialState, values: Sequence[float] | None = None) -> bool:
        self._trials[trial_id].state = state
        self._trials[trial_id].values = None if values is None else list(values)
        return True

    def set_trial_intermediate_value(self, trial_id: int, step: int, intermediate_value: float) -> None:
        self._trials[trial_id].intermediate_values[step] = intermediate_value

    def set_trial_user_attr(self, trial_id: int, key: str, value: Any) -> None:
        self._trials[trial_id].user_attrs[key] = value

    def set_trial_system_attr(self, trial_id: int, key: str, value: Any) -> None:
        self._trials[trial_id].system_attrs[key] = value

    def get_trial(self, trial_id: int) -> FrozenTrial:
        return self._trials[trial_id]

    def get_all_trials(
        self, study_id: int, deepcopy: bool = True, states: Container[TrialState] | None = None
    ) -> list[FrozenTrial]:
        if states == (TrialState.WAITING,):
            return []  # asked for before each trial
        return [trial for trial in self._trials if states is None or trial.state in states]
