"""The experiments of Hippo's section 6, as studies for the simulator.

What the paper does not print is taken from its Table 5: seconds of an epoch, from GPU-hours and epochs trained; and
60 s for a worker to begin with a state that it does not hold, which is what a batch of stages costs on top of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from spaces import single_space, study_family

import hippo
from hippo.tuners.asha import ASHA

GPUS = 40
START_S = 60.0
EXTRA_EPOCHS = 100
RUNGS = {"min_steps": 15, "max_steps": 120, "reduction": 4}
#: ends of those rungs, and of the best trial's extension
RUNG_ENDS = (15, 60, 120, 120 + EXTRA_EPOCHS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Experiment:
    """One study, or several at once, on one cluster."""

    name: str
    #: makes the tuner of each study
    tuners: Callable[[], list[hippo.Tuner]]
    seconds_per_step: float
    #: steps at which trials stop to hear whether they go on, the last ones of all included
    rungs: tuple[int, ...]
    #: whether all wait for all at each rung
    has_barriers: bool = True
    #: GPUs that a trial takes; a step is the faster for them
    gpus_per_trial: int = 1
    #: whether anybody goes by the metric; if not, no seed changes anything
    is_ranked: bool = True

    @property
    def slots(self) -> int:
        """How many trials can be trained at a time."""
        return GPUS // self.gpus_per_trial

    @property
    def slot_seconds_per_step(self) -> float:
        """Seconds of a step, on as many GPUs as a trial takes."""
        return self.seconds_per_step / self.gpus_per_trial


def _sha() -> list[hippo.Tuner]:
    return [hippo.SuccessiveHalving(single_space("resnet56")[0], **RUNGS, extra_steps=EXTRA_EPOCHS)]


def _asha() -> list[hippo.Tuner]:
    return [ASHA(single_space("resnet56")[0], **RUNGS, extra_steps=EXTRA_EPOCHS, shuffle=False)]


def _mobilenet() -> list[hippo.Tuner]:
    space, until = single_space("mobilenet_v2")
    return [hippo.GridSearch(space, until=until, extra_steps=EXTRA_EPOCHS)]


def _bert() -> list[hippo.Tuner]:
    space, until = single_space("bert_base")
    return [hippo.GridSearch(space, until=until)]


#: Table 5 and Figure 12. How many GPUs a trial of BERT-Base had is not printed. On one it would take 20.9 h, and on two
#: the tree of the reconstructed space would take 13.3 h, while the paper's whole study took 11.93 h: so four. There are
#: no gangs of slots yet: four GPUs are one slot of four times the speed, which counts four GPU-hours an hour.
SINGLE_STUDIES = (
    Experiment(name="ResNet56 SHA", tuners=_sha, seconds_per_step=94.3, rungs=RUNG_ENDS),
    Experiment(name="ResNet56 ASHA", tuners=_asha, seconds_per_step=94.3, rungs=RUNG_ENDS, has_barriers=False),
    Experiment(name="MobileNetV2 grid", tuners=_mobilenet, seconds_per_step=114.2, rungs=(120, 220)),
    Experiment(
        name="BERT-Base grid", tuners=_bert, seconds_per_step=2.783, rungs=(27_000,), is_ranked=False, gpus_per_trial=4
    ),
)


def multi_studies(family: str) -> list[Experiment]:
    """Return S1, S2, S4 and S8 of Figure 13 ("multi_high") or of Figure 14 ("multi_low").

    The paper extends the best trial of ResNet56 and of MobileNetV2 (section 6.1), and does not say so of ResNet20.
    """
    return [
        Experiment(
            name=run,
            tuners=lambda run=run: [
                hippo.SuccessiveHalving(space, **RUNGS) for space in study_family(family).together(run)
            ],
            seconds_per_step=94.3,  # ResNet20's is not printed; the ratios depend on it through the starts alone
            rungs=RUNG_ENDS[:-1],
            has_barriers=False,  # each study has its own, which need not fall together
        )
        for run in study_family(family).runs
    ]
