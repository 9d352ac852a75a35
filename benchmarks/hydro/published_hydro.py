"""What Hydro's paper prints of its evaluation (Hu et al., OSDI 2023), as it prints it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Tuned:
    """A row of Table 2, and of Table 3."""

    model: str
    #: of random search (Table 2), and of ASHA (Table 3)
    gpus: tuple[int, int]
    num_trials: int
    #: how many times less time than Ray Tune takes
    times: tuple[float, float]
    #: S; 16 for the largest, 8 for the others
    ratio: int
    is_language: bool = False
    #: "For XL tasks, we estimate the time cost of Ray based on simulation"
    is_estimated: bool = False


TUNED = (
    Tuned(
        model="GPT-3 XL", gpus=(128, 64), num_trials=100, times=(78.5, 33.4), ratio=16, is_language=True,
        is_estimated=True,
    ),
    Tuned(model="Transformer", gpus=(8, 4), num_trials=200, times=(8.7, 5.8), ratio=8, is_language=True),
    Tuned(model="WideResNet-50", gpus=(32, 16), num_trials=200, times=(20.3, 9.7), ratio=16, is_estimated=True),
    Tuned(model="MobileNetV3 Large", gpus=(16, 8), num_trials=500, times=(12.3, 8.0), ratio=8),
    Tuned(model="VGG-11", gpus=(8, 4), num_trials=500, times=(10.8, 9.4), ratio=8),
    Tuned(model="ResNet-18", gpus=(8, 4), num_trials=1000, times=(16.2, 14.5), ratio=8),
)  # fmt: skip
#: Table 2's spaces; vision has three batch sizes, of which only equal ones are fused
BATCH_SIZES = (128, 256, 512)
#: section 6.3: ASHA's grace period and reduction factor
ASHA_RUNGS = (3, 3)
#: Figure 8 and section 4.1, ResNet-18 at S = 8 on an A100: "over 10 x training throughput improvement", of a model by
#: itself; how many models fit
PEAK_THROUGHPUT, MOST_FUSED = 10.0, 676
