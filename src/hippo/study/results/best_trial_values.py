"""What the best trial came to, for all that know which one it is: studies, their views, and studies at a service."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, Protocol

from hippo.hparams import Config


class _BestTrial(Protocol):
    @property
    def value(self) -> float | None: ...

    @property
    def config(self) -> Config: ...

    @property
    def params(self) -> Mapping[str, Any]: ...


class BestTrialValues(ABC):
    """The best trial's value, config and params; each raises what `best_trial` raises."""

    @property
    @abstractmethod
    def best_trial(self) -> _BestTrial:
        """The best trial."""

    @property
    def best_value(self) -> float:
        """The best trial's value."""
        value = self.best_trial.value
        assert value is not None, "the best trial is one of those that have a value"
        return value

    @property
    def best_config(self) -> Config:
        """The best trial's config."""
        return self.best_trial.config

    @property
    def best_params(self) -> Mapping[str, Any]:
        """The best trial's params."""
        return self.best_trial.params
