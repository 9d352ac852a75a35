"""What suits a target, turned into what suits a smaller network of the same kind: rules over shapes, and their check.

A pure room: it knows the shapes of tensors, not tensors; it refuses to know torch, trainers, time and processes.
"""

from hippo.surrogates.coordinates import CoordinateCheck, ModuleSlope, log_slope
from hippo.surrogates.rules import (
    RULES,
    CompletepRule,
    MaximalUpdateRule,
    OptimizerKind,
    OptionFactors,
    ParametrizationRule,
    StandardRule,
    rule_named,
)
from hippo.surrogates.shapes import Layout, Role, ScaledTensor

__all__ = [
    "RULES",
    "CompletepRule",
    "CoordinateCheck",
    "Layout",
    "MaximalUpdateRule",
    "ModuleSlope",
    "OptimizerKind",
    "OptionFactors",
    "ParametrizationRule",
    "Role",
    "ScaledTensor",
    "StandardRule",
    "log_slope",
    "rule_named",
]
