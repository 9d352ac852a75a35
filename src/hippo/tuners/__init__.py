"""Which config deserves more steps: one algorithm, one file. They only ask."""

from hippo.tuners import metric
from hippo.tuners.asha import ASHA
from hippo.tuners.ask import Ask, ConfigLike, LimitReached, Proposal
from hippo.tuners.beam_search import BeamSearch
from hippo.tuners.bohb import BOHB
from hippo.tuners.early_stop import EarlyStopTuner, Schedule
from hippo.tuners.grid import GridSearch
from hippo.tuners.hyperband import Hyperband
from hippo.tuners.limits import Budget, Deadline
from hippo.tuners.median_stopping import MedianStopping
from hippo.tuners.mltuner import MLTuner
from hippo.tuners.pasha import PASHA
from hippo.tuners.pb2 import PB2
from hippo.tuners.pbt import PBT
from hippo.tuners.random_search import RandomSearch
from hippo.tuners.sampled import Sampled
from hippo.tuners.sampler_search import SamplerSearch
from hippo.tuners.sharing_aware import SharingAware
from hippo.tuners.stopping_asha import StoppingASHA
from hippo.tuners.successive_halving import SuccessiveHalving
from hippo.tuners.surrogate import Surrogate
from hippo.tuners.tuner import Tuner, record_text

__all__ = [
    "ASHA",
    "BOHB",
    "PASHA",
    "PB2",
    "PBT",
    "Ask",
    "BeamSearch",
    "Budget",
    "ConfigLike",
    "Deadline",
    "EarlyStopTuner",
    "GridSearch",
    "Hyperband",
    "LimitReached",
    "MLTuner",
    "MedianStopping",
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
    "record_text",
]
