"""hippo: hyper-parameter optimisation of deep models as a search in a tree of training states.

This is the front door. It imports nothing until a name is asked for, so that `import hippo` costs next to nothing and
needs neither torch nor a database.
"""

from __future__ import annotations

import importlib
import importlib.util
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0.dev0"

_HOMES = {
    "hippo.hparams": (
        "Chain",
        "Config",
        "Constant",
        "Cosine",
        "CosineAnnealingWarmRestarts",
        "CosineWarmRestarts",
        "Cyclic",
        "CyclicLR",
        "Exponential",
        "GridSearchSpace",
        "Linear",
        "MultiStep",
        "OneCycle",
        "Piecewise",
        "Polynomial",
        "RandomSearchSpace",
        "Sequence",
        "Step",
        "StepLR",
        "WSD",
        "Warmup",
        "choice",
        "lograndint",
        "loguniform",
        "merge_rate",
        "qlograndint",
        "qloguniform",
        "qrandint",
        "qrandn",
        "quniform",
        "randint",
        "randn",
        "uniform",
    ),
    "hippo.doctor": ("diagnose",),
    "hippo.engines": ("InlineEngine", "LocalEngine"),
    "hippo.engines.bubble_engine": ("BubbleEngine",),
    "hippo.engines.bubble_policy": ("BubbleLimits",),
    "hippo.engines.ray_engine": ("RayEngine",),
    "hippo.errors": ("HippoError",),
    "hippo.integrations.objectives": ("from_optuna", "from_ray"),
    "hippo.integrations.mlflow": ("MLflow",),
    "hippo.integrations.wandb": ("WandB",),
    "hippo.records": ("Answer", "TrialState"),
    "hippo.scale": ("Scale",),
    "hippo.simulation": ("SimulatedWorkload", "simulate"),
    "hippo.study.watching.csv_log": ("CSVLog",),
    "hippo.study.squeezing": ("squeeze",),
    "hippo.study.watching.tensorboard": ("TensorBoard",),
    "hippo.study.checking.trainer_check": ("check_trainer",),
    "hippo.study": (
        "Callback",
        "Study",
        "collect_garbage",
        "create_study",
        "delete_study",
        "get_all_study_names",
        "keep_states",
        "load_study",
        "optimize",
        "rename_study",
    ),
    "hippo.training.coordinate_check": ("coordinate_check",),
    "hippo.training.loop_trainer": ("LoopTrainer",),
    "hippo.training.trainer": ("Trainer",),
    "hippo.training.torch_trainer": ("TorchTrainer",),
    "hippo.tuners": (
        "ASHA",
        "Ask",
        "BOHB",
        "BeamSearch",
        "Budget",
        "Deadline",
        "EarlyStopTuner",
        "GridSearch",
        "Hyperband",
        "MLTuner",
        "MedianStopping",
        "PASHA",
        "PB2",
        "PBT",
        "Proposal",
        "RandomSearch",
        "Sampled",
        "SamplerSearch",
        "Schedule",
        "SharingAware",
        "StoppingASHA",
        "SuccessiveHalving",
        "Surrogate",
        "Tuner",
        "metric",
    ),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

if TYPE_CHECKING:
    from hippo.doctor import diagnose as diagnose
    from hippo.engines import InlineEngine as InlineEngine
    from hippo.engines import LocalEngine as LocalEngine
    from hippo.engines.bubble_engine import BubbleEngine as BubbleEngine
    from hippo.engines.bubble_policy import BubbleLimits as BubbleLimits
    from hippo.engines.ray_engine import RayEngine as RayEngine
    from hippo.errors import HippoError as HippoError
    from hippo.hparams import WSD as WSD
    from hippo.hparams import Chain as Chain
    from hippo.hparams import Config as Config
    from hippo.hparams import Constant as Constant
    from hippo.hparams import Cosine as Cosine
    from hippo.hparams import CosineAnnealingWarmRestarts as CosineAnnealingWarmRestarts
    from hippo.hparams import CosineWarmRestarts as CosineWarmRestarts
    from hippo.hparams import Cyclic as Cyclic
    from hippo.hparams import CyclicLR as CyclicLR
    from hippo.hparams import Exponential as Exponential
    from hippo.hparams import GridSearchSpace as GridSearchSpace
    from hippo.hparams import Linear as Linear
    from hippo.hparams import MultiStep as MultiStep
    from hippo.hparams import OneCycle as OneCycle
    from hippo.hparams import Piecewise as Piecewise
    from hippo.hparams import Polynomial as Polynomial
    from hippo.hparams import RandomSearchSpace as RandomSearchSpace
    from hippo.hparams import Sequence as Sequence
    from hippo.hparams import Step as Step
    from hippo.hparams import StepLR as StepLR
    from hippo.hparams import Warmup as Warmup
    from hippo.hparams import choice as choice
    from hippo.hparams import lograndint as lograndint
    from hippo.hparams import loguniform as loguniform
    from hippo.hparams import merge_rate as merge_rate
    from hippo.hparams import qlograndint as qlograndint
    from hippo.hparams import qloguniform as qloguniform
    from hippo.hparams import qrandint as qrandint
    from hippo.hparams import qrandn as qrandn
    from hippo.hparams import quniform as quniform
    from hippo.hparams import randint as randint
    from hippo.hparams import randn as randn
    from hippo.hparams import uniform as uniform
    from hippo.integrations.mlflow import MLflow as MLflow
    from hippo.integrations.objectives import from_optuna as from_optuna
    from hippo.integrations.objectives import from_ray as from_ray
    from hippo.integrations.wandb import WandB as WandB
    from hippo.records import Answer as Answer
    from hippo.records import TrialState as TrialState
    from hippo.scale import Scale as Scale
    from hippo.simulation import SimulatedWorkload as SimulatedWorkload
    from hippo.simulation.simulate import simulate as simulate
    from hippo.study import Callback as Callback
    from hippo.study import Study as Study
    from hippo.study import collect_garbage as collect_garbage
    from hippo.study import create_study as create_study
    from hippo.study import delete_study as delete_study
    from hippo.study import get_all_study_names as get_all_study_names
    from hippo.study import keep_states as keep_states
    from hippo.study import load_study as load_study
    from hippo.study import optimize as optimize
    from hippo.study import rename_study as rename_study
    from hippo.study.checking.trainer_check import check_trainer as check_trainer
    from hippo.study.squeezing import squeeze as squeeze
    from hippo.study.watching.csv_log import CSVLog as CSVLog
    from hippo.study.watching.tensorboard import TensorBoard as TensorBoard
    from hippo.training.coordinate_check import coordinate_check as coordinate_check
    from hippo.training.loop_trainer import LoopTrainer as LoopTrainer
    from hippo.training.torch_trainer import TorchTrainer as TorchTrainer
    from hippo.training.trainer import Trainer as Trainer
    from hippo.tuners import ASHA as ASHA
    from hippo.tuners import BOHB as BOHB
    from hippo.tuners import PASHA as PASHA
    from hippo.tuners import PB2 as PB2
    from hippo.tuners import PBT as PBT
    from hippo.tuners import Ask as Ask
    from hippo.tuners import BeamSearch as BeamSearch
    from hippo.tuners import Budget as Budget
    from hippo.tuners import Deadline as Deadline
    from hippo.tuners import EarlyStopTuner as EarlyStopTuner
    from hippo.tuners import GridSearch as GridSearch
    from hippo.tuners import Hyperband as Hyperband
    from hippo.tuners import MedianStopping as MedianStopping
    from hippo.tuners import MLTuner as MLTuner
    from hippo.tuners import Proposal as Proposal
    from hippo.tuners import RandomSearch as RandomSearch
    from hippo.tuners import Sampled as Sampled
    from hippo.tuners import SamplerSearch as SamplerSearch
    from hippo.tuners import Schedule as Schedule
    from hippo.tuners import SharingAware as SharingAware
    from hippo.tuners import StoppingASHA as StoppingASHA
    from hippo.tuners import SuccessiveHalving as SuccessiveHalving
    from hippo.tuners import Surrogate as Surrogate
    from hippo.tuners import Tuner as Tuner
    from hippo.tuners import metric as metric

_NEEDS_TORCH = ("TorchTrainer",)
#: its schedulers that the letters of their names do not lead to
_NAMES_IN_TORCH = {"cosineannealinglr": "Cosine", "sequentiallr": "Chain", "lambdalr": "Sequence"}


def _has_torch() -> bool:
    return importlib.util.find_spec("torch") is not None


# a star import must work where torch is not installed
__all__ = sorted(name for name in _HOME_OF if name not in _NEEDS_TORCH or _has_torch())


def __getattr__(name: str) -> Any:
    if name not in _HOME_OF:
        from hippo.errors import did_you_mean, nearest  # costs an import of its own, and few ever need it

        known = {each.lower(): each for each in _HOME_OF} | _NAMES_IN_TORCH
        near = nearest(name.replace("_", "").lower(), known)
        hint = f" Did you mean {known[near]!r}?" if near is not None else did_you_mean(name, _HOME_OF)
        raise AttributeError(f"module 'hippo' has no attribute {name!r}.{hint}")
    try:
        home = importlib.import_module(_HOME_OF[name])
    except ModuleNotFoundError as error:
        if error.name != "torch":
            raise
        from hippo.errors import MissingExtraError

        raise MissingExtraError(f"hippo.{name} needs torch: pip install 'hippo-tune[torch]'") from None
    value = getattr(home, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
