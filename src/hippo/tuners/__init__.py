"""Which config deserves more steps: one algorithm, one file. They only ask."""

from hippo.tuners import metric
from hippo.tuners.ask import Ask, ConfigLike
from hippo.tuners.early_stop import EarlyStopTuner, Schedule
from hippo.tuners.grid import GridSearch
from hippo.tuners.random_search import RandomSearch
from hippo.tuners.successive_halving import SuccessiveHalving
from hippo.tuners.tuner import Tuner, record_text

__all__ = [
    "Ask",
    "ConfigLike",
    "EarlyStopTuner",
    "GridSearch",
    "RandomSearch",
    "Schedule",
    "SuccessiveHalving",
    "Tuner",
    "metric",
    "record_text",
]
