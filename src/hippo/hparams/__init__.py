"""Hyper-parameters as exact functions of the step: sequences, configs, spaces, and how much of them is shared.

A pure room: it refuses to know time, logs, processes, databases and torch; chance is an argument.
"""

from hippo.hparams.budgeted import WSD, OneCycle
from hippo.hparams.codec import sequence_from_json, sequence_to_json
from hippo.hparams.config import Config, as_config
from hippo.hparams.constants import Constant, MultiStep, Step
from hippo.hparams.curves import Cosine, Exponential, Linear, Polynomial, Warmup
from hippo.hparams.cycles import CosineWarmRestarts, Cyclic
from hippo.hparams.distributions import (
    Distribution,
    lograndint,
    loguniform,
    qlograndint,
    qloguniform,
    qrandint,
    qrandn,
    quniform,
    randint,
    randn,
    uniform,
)
from hippo.hparams.joined import Chain, Piecewise, Take
from hippo.hparams.merging import merge_rate
from hippo.hparams.paths import path
from hippo.hparams.pieces import Piece
from hippo.hparams.sequence import Sequence, as_sequence
from hippo.hparams.spaces import ConfigList, GridSearchSpace, RandomSearchSpace
from hippo.hparams.spellings import CosineAnnealingWarmRestarts, CyclicLR, StepLR
from hippo.hparams.templates import Template, choice
from hippo.hparams.values import Value, canonical, canonical_text

__all__ = [
    "WSD",
    "Chain",
    "Config",
    "ConfigList",
    "Constant",
    "Cosine",
    "CosineAnnealingWarmRestarts",
    "CosineWarmRestarts",
    "Cyclic",
    "CyclicLR",
    "Distribution",
    "Exponential",
    "GridSearchSpace",
    "Linear",
    "MultiStep",
    "OneCycle",
    "Piece",
    "Piecewise",
    "Polynomial",
    "RandomSearchSpace",
    "Sequence",
    "Step",
    "StepLR",
    "Take",
    "Template",
    "Value",
    "Warmup",
    "as_config",
    "as_sequence",
    "canonical",
    "canonical_text",
    "choice",
    "lograndint",
    "loguniform",
    "merge_rate",
    "path",
    "qlograndint",
    "qloguniform",
    "qrandint",
    "qrandn",
    "quniform",
    "randint",
    "randn",
    "sequence_from_json",
    "sequence_to_json",
    "uniform",
]
