"""What users write, as a strict type checker sees it; `mypy` reads it with the sources, and a test runs it.

An ignored error is one that has to be there: mypy complains of an ignore that it does not need.
"""

from __future__ import annotations

import warnings

import hippo

warnings.simplefilter("ignore")  # a grid of two configs is small for rungs

space = hippo.GridSearchSpace(
    {"lr": [0.1, hippo.MultiStep(0.1, [5], 0.1)]},
    filter=lambda c: c["lr"] == 0.1 or c.lr(0) < 0.2,
)

# Ray Tune's and Optuna's names
hippo.ASHA(space, grace_period=1, max_t=9, reduction_factor=3)
hippo.StoppingASHA(space, grace_period=1, max_t=9, reduction_factor=3, num_samples=3)
hippo.PASHA(space, grace_period=1, max_t=9, shuffle=False)
hippo.SuccessiveHalving(space, grace_period=1, max_t=9, reduction_factor=3)
hippo.Hyperband(space, max_t=3, reduction_factor=3)
hippo.MedianStopping(space, grace_period=1, max_t=9)
hippo.RandomSearch({"lr": hippo.lograndint(1, 10), "bs": [32, 64]}, n_trials=3, until=4)
hippo.PBT({"lr": hippo.uniform(0, 1)}, num_samples=4, perturbation_interval=2, max_t=4)

# dictionaries in the place of spaces
hippo.GridSearch({"lr": [0.1]}, until=4)
hippo.ASHA({"lr": hippo.loguniform(1e-4, 1)}, 1, 4, num_trials=64)

# values of sequences
rate: float = float(hippo.MultiStep(0.1, [5], 0.1)(12))
half: float = hippo.Config(lr=0.1)["lr"](0) / 2
is_small: bool = hippo.Config(lr=0.1).lr < 0.2


def mistakes() -> None:
    """What a checker has to find."""
    hippo.ASHA(space, grace_perod=1)  # type: ignore[call-arg]
    hippo.ASHA(space, grace_period="1")  # type: ignore[arg-type]
    hippo.RandomSearch(0.1, n_trials=3, until=4)  # type: ignore[arg-type]
