"""What remains to be run: the stage tree, from a snapshot or kept up event by event. Pure."""

from hippo.stages.builder import build_stage_tree
from hippo.stages.incremental import IncrementalStageTree
from hippo.stages.tree import Cost, StageTree, steps_as_cost

__all__ = ["Cost", "IncrementalStageTree", "StageTree", "build_stage_tree", "steps_as_cost"]
