"""The search plan: nodes, requests, facts, leases; in memory and in a database. The only room that speaks SQL."""

from hippo.plan.beginnings import begun
from hippo.plan.causes import Cause, StepKind
from hippo.plan.change_log import ChangeLog
from hippo.plan.codec import metrics_from_text, metrics_to_text, pieces_from_text
from hippo.plan.config_paths import ConfigPath, ConfigPaths
from hippo.plan.eviction import forget_states, know_states_again, sole_writer, take_unless_used
from hippo.plan.fusion_facts import FusionFacts, Shape
from hippo.plan.keep_rule import KeepRule
from hippo.plan.listener import NullListener, PlanListener
from hippo.plan.locks import PlanLock, is_writing, whoami
from hippo.plan.nodes import Node
from hippo.plan.opening import closed_if_refused, open_store, opened_store
from hippo.plan.pending import PendingWrites, flush_pending, merged
from hippo.plan.plan_nodes import PlanNodes, Way
from hippo.plan.retention import Forecast, Rank, RankedStates, Worth, choose, forecast, forecast_one
from hippo.plan.rows import (
    CallRow,
    CallState,
    Change,
    CheckpointLoss,
    CheckpointRow,
    FailureRow,
    Insert,
    LeaseEnd,
    LeaseRow,
    MetricsRow,
    NodeRow,
    PlanRow,
    RequestRow,
    RequestState,
    StateRow,
    StepRow,
    StudyPlanRow,
    StudyRow,
    TotalsRow,
    TrialRow,
    Update,
)
from hippo.plan.search_plan import SearchPlan
from hippo.plan.selecting import Among, AtMost, Known
from hippo.plan.states_in_files import StateFile, StatesInFiles
from hippo.plan.store import AbstractPlanStore, LeanStore, MemoryStore, Moment, Rows, plans_of
from hippo.plan.totals import CHECKPOINT, EVALUATION, WORTH_WRITING, PlanTotals, Total

__all__ = [
    "CHECKPOINT",
    "EVALUATION",
    "WORTH_WRITING",
    "AbstractPlanStore",
    "Among",
    "AtMost",
    "CallRow",
    "CallState",
    "Cause",
    "Change",
    "ChangeLog",
    "CheckpointLoss",
    "CheckpointRow",
    "ConfigPath",
    "ConfigPaths",
    "FailureRow",
    "Forecast",
    "FusionFacts",
    "Insert",
    "KeepRule",
    "Known",
    "LeanStore",
    "LeaseEnd",
    "LeaseRow",
    "MemoryStore",
    "MetricsRow",
    "Moment",
    "Node",
    "NodeRow",
    "NullListener",
    "PendingWrites",
    "PlanListener",
    "PlanLock",
    "PlanNodes",
    "PlanRow",
    "PlanTotals",
    "Rank",
    "RankedStates",
    "RequestRow",
    "RequestState",
    "Rows",
    "SearchPlan",
    "Shape",
    "StateFile",
    "StateRow",
    "StatesInFiles",
    "StepKind",
    "StepRow",
    "StudyPlanRow",
    "StudyRow",
    "Total",
    "TotalsRow",
    "TrialRow",
    "Update",
    "Way",
    "Worth",
    "begun",
    "choose",
    "closed_if_refused",
    "flush_pending",
    "forecast",
    "forecast_one",
    "forget_states",
    "is_writing",
    "know_states_again",
    "merged",
    "metrics_from_text",
    "metrics_to_text",
    "open_store",
    "opened_store",
    "pieces_from_text",
    "plans_of",
    "sole_writer",
    "take_unless_used",
    "whoami",
]
