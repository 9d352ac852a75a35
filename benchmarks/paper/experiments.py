"""The experiments of Hippo's section 6, as studies for the simulator.

What the paper does not print is taken from its Table 5 (`EPOCH_SECONDS`); 60 s for a worker to begin with a state that
it does not hold is our guess of what a batch of stages costs on top of that.

Two things that the figures rest on are varied: the seconds of an epoch of ResNet56, of which Table 5 tells two, and
which of equal trials a rung promotes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from published import TABLE_5
from spaces import MULTI, single_space, study_family

import hippo
from hippo.tuners.asha import ASHA

GPUS = 40
START_S = 60.0
EXTRA_EPOCHS = 100
RUNGS = {"min_steps": 15, "max_steps": 120, "reduction": 4}
#: ends of those rungs, and of the best trial's extension
RUNG_ENDS = (15, 60, 120, 120 + EXTRA_EPOCHS)

#: epochs (BERT-Base: steps) that each study of Table 5 trains, each trial by itself; ASHA's are not known
EPOCHS_ALONE = {
    "ResNet56 SHA": 448 * 15 + 112 * 45 + 28 * 60 + EXTRA_EPOCHS,
    "MobileNetV2 grid": 240 * 120 + EXTRA_EPOCHS,
    "BERT-Base grid": 40 * 27_000,
}
#: seconds of an epoch in Ray Tune's runs: its GPU-hours by the epochs that it trained
RAY_SECONDS = {
    study: round(3600 * TABLE_5[study].gpu_hours[0] / epochs, 3 if "BERT" in study else 1)
    for study, epochs in EPOCHS_ALONE.items()
}
#: and what Hippo's run of SHA took for one at most: its end-to-end hours by the longest chain of epochs
HIPPO_RESNET_SECONDS = round(3600 * TABLE_5["ResNet56 SHA"].end_to_end_h[2] / RUNG_ENDS[-1], 1)
#: what is simulated. Ray Tune's seconds, but for ResNet56: of those, no schedule of 220 epochs ends in 5.76 h
EPOCH_SECONDS = RAY_SECONDS | {"ResNet56 SHA": HIPPO_RESNET_SECONDS, "ResNet56 ASHA": HIPPO_RESNET_SECONDS}


@dataclass(frozen=True, slots=True, kw_only=True)
class Experiment:
    """One study, or several at once, on one cluster."""

    name: str
    #: makes the tuner of each study, with this rule for equal trials
    tuners: Callable[[str], list[hippo.Tuner]]
    seconds_per_step: float
    #: steps at which trials stop to hear whether they go on, the last ones of all included
    rungs: tuple[int, ...]
    #: whether all wait for all at each rung
    has_barriers: bool = True
    #: GPUs that a trial takes; a step is the faster for them
    gpus_per_trial: int = 1
    #: whether anybody goes by the metric; if not, no seed changes anything
    is_ranked: bool = True
    #: which of equal trials a rung promotes: the "first" of them, or one of each training state ("distinct")
    ties: str = "first"

    @property
    def slots(self) -> int:
        """How many trials can be trained at a time."""
        return GPUS // self.gpus_per_trial

    @property
    def slot_seconds_per_step(self) -> float:
        """Seconds of a step, on as many GPUs as a trial takes."""
        return self.seconds_per_step / self.gpus_per_trial


def _sha(ties: str) -> list[hippo.Tuner]:
    return [hippo.SuccessiveHalving(single_space("resnet56")[0], **RUNGS, extra_steps=EXTRA_EPOCHS, ties=ties)]


def _asha(ties: str) -> list[hippo.Tuner]:
    return [ASHA(single_space("resnet56")[0], **RUNGS, extra_steps=EXTRA_EPOCHS, ties=ties, shuffle=False)]


def _mobilenet(ties: str) -> list[hippo.Tuner]:
    space, until = single_space("mobilenet_v2")
    return [hippo.GridSearch(space, until=until, extra_steps=EXTRA_EPOCHS, ties=ties)]


def _bert(ties: str) -> list[hippo.Tuner]:
    space, until = single_space("bert_base")
    return [hippo.GridSearch(space, until=until)]


#: Table 5 and Figure 12. How many GPUs a trial of BERT-Base had is not printed. On one it would take 20.9 h, and on two
#: the tree of the reconstructed space would take 13.3 h, while the paper's whole study took 11.93 h: so four. There are
#: no gangs of slots yet: four GPUs are one slot of four times the speed, which counts four GPU-hours an hour.
SINGLE_STUDIES = (
    Experiment(name="ResNet56 SHA", tuners=_sha, seconds_per_step=EPOCH_SECONDS["ResNet56 SHA"], rungs=RUNG_ENDS),
    Experiment(
        name="ResNet56 ASHA",
        tuners=_asha,
        seconds_per_step=EPOCH_SECONDS["ResNet56 ASHA"],
        rungs=RUNG_ENDS,
        has_barriers=False,
    ),
    Experiment(
        name="MobileNetV2 grid", tuners=_mobilenet, seconds_per_step=EPOCH_SECONDS["MobileNetV2 grid"], rungs=(120, 220)
    ),
    Experiment(
        name="BERT-Base grid",
        tuners=_bert,
        seconds_per_step=EPOCH_SECONDS["BERT-Base grid"],
        rungs=(27_000,),
        is_ranked=False,
        gpus_per_trial=4,
    ),
)
#: those of ResNet56, where Table 5 tells two lengths of an epoch, and rungs meet equal trials
RESNET_STUDIES = SINGLE_STUDIES[:2]


def multi_studies(family: str) -> list[Experiment]:
    """Return S1, S2, S4 and S8 of Figure 13 ("multi_high") or of Figure 14 ("multi_low").

    The paper extends the best trial of ResNet56 and of MobileNetV2 (section 6.1), and does not say so of ResNet20.
    """
    return [
        Experiment(
            name=run,
            tuners=lambda ties, run=run: [
                hippo.SuccessiveHalving(space, **RUNGS, ties=ties) for space in study_family(family).together(run)
            ],
            # ResNet20's is not printed; the ratios depend on it through the starts alone
            seconds_per_step=HIPPO_RESNET_SECONDS,
            rungs=RUNG_ENDS[:-1],
            has_barriers=False,  # each study has its own, which need not fall together
        )
        for run in study_family(family).runs
    ]


def with_distinct_ties(experiments: Iterable[Experiment]) -> list[Experiment]:
    """Return the same, where a rung promotes one trial of each training state before a second of any."""
    return [replace(experiment, ties="distinct") for experiment in experiments]


#: name -> its experiments; names of experiments are unique within each
FIGURES = {
    "single": list(SINGLE_STUDIES),
    **{family: multi_studies(family) for family in MULTI},
    "single_ray_seconds": [replace(study, seconds_per_step=RAY_SECONDS["ResNet56 SHA"]) for study in RESNET_STUDIES],
    "single_distinct": with_distinct_ties(RESNET_STUDIES),
    **{f"{family}_distinct": with_distinct_ties(multi_studies(family)) for family in MULTI},
}
