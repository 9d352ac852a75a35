"""All that a tuner can say: `Ask`.

There is no pause, resume or stop. Not asking *is* pausing; a cancelled request is withdrawn. The runtime implements
this; tuners know nothing else of the system.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping
from typing import Any, Protocol

from hippo.hparams import Config
from hippo.records import Answer

ConfigLike = Config | Mapping[str, Any]


class Ask(Protocol):
    """How a tuner gets answers.

    A config asked for again, with a larger `until`, is the same trial going on. Equal configs within one `all` or
    `any` are trials of their own: the k-th equal one is the k-th trial of that config.

    `until` counts steps from initialisation, at least 1. `final=True` says that nobody will ask for more of this
    trial, so that its state need not be kept.
    """

    async def __call__(self, config: ConfigLike, *, until: int, final: bool = False) -> Answer:
        """Return the metrics of `config` after `until` steps.

        A trial that failed is answered, too: its losses are infinite, and `failure` says why.

        Raises:
          BudgetError: `until` is not an integer of at least 1.
          HparamError: the trainer cannot be trained with this config.
        """

    async def all(self, configs: Iterable[ConfigLike], *, until: int, final: bool = False) -> list[Answer]:
        """Return one answer for each config, in their order."""

    def any(self, configs: Iterable[ConfigLike], *, until: int, final: bool = False) -> AsyncIterator[Answer]:
        """Yield the answers as they come; leaving the loop withdraws the rest."""

    def release(self, config: ConfigLike) -> None:
        """Say that nobody will ask for more of this config: its last state need not be kept."""
