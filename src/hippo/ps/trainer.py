"""A trainer whose workers compute gradients in processes of their own, on values that a parameter server keeps.

A step is some clocks of all workers. The gang of processes is one slot for hippo: it belongs to the trainer as
`__init__` left it, whose copies train its branches. This module refuses to know how gradients come to the values.
"""

from __future__ import annotations

import inspect
from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from hippo.errors import HparamError, TrainerError
from hippo.hparams import Config, path
from hippo.ps.branch_states import BuiltPSTrainer, LiveBranch, is_all_in_its_branch, state_of
from hippo.ps.gang import Gang
from hippo.ps.gradients import ClockGradients, ClockShare
from hippo.ps.layout import VALUE, Array, BranchLayout, layout_of, read_only
from hippo.ps.operations import RunClocks
from hippo.ps.rules import RuleValues, ServerRule, rule_named
from hippo.ps.shared_memory import SharedMemoryTransport
from hippo.ps.staleness import STALENESS_BOUNDS, UpdateOrder, checked_staleness, order_named
from hippo.ps.transport import AbstractTransport
from hippo.training.live_states import LiveState
from hippo.training.trainer import BuiltState, Trainer
from hippo.training.values import same_value


class PSTrainer(Trainer):
    """Trains tables of numbers by workers that read them, compute gradients, and send these to their owners.

    Write `make_tables`, `gradients` and `metrics`. `train()` is `clocks_per_step` clocks of all workers.

    Hyper-parameters: `lr`; `momentum` (for "sgd", 0 by default); `staleness`, by how many clocks workers may be apart
    (0 by default); and whatever `gradients` reads from `self.hp`.
    """

    #: processes that compute; each also owns a share of the keys
    workers: int = 2
    #: how often every worker computes a gradient in one step
    clocks_per_step: int = 1
    #: how owners change values: "sgd", "adagrad" or "adarevision"
    optimizer: str = "sgd"
    #: "pinned": what workers read is a function of the path; "free": whatever has come, for numerics="async" alone
    order: str = "pinned"
    #: how many states the pool holds beside those that are trained; what is more than that is held encoded
    max_branches: int = 8
    #: what `staleness` may be
    staleness_bounds: ClassVar[tuple[int, ...]] = STALENESS_BOUNDS

    #: of all copies of one trainer
    _gangs: Gangs

    def __new__(cls, *_: Any, **__: Any) -> PSTrainer:
        trainer = super().__new__(cls)
        trainer._gangs = Gangs()
        return trainer

    # --- what users write

    @abstractmethod
    def make_tables(self) -> Mapping[str, Any]:
        """Return the tables as they begin: name -> array of floating-point numbers, one row for each key."""

    @abstractmethod
    def gradients(self, tables: Mapping[str, Array], share: ClockShare) -> ClockGradients:
        """Return what one worker finds in one clock. Runs in the worker, on the trainer as `__init__` left it.

        Args:
          tables: name -> values, read-only.
          share: which worker, of how many, and which clock.
        """

    @abstractmethod
    def metrics(self, tables: Mapping[str, Array]) -> Mapping[str, Any]:
        """Return metrics of the tables as they are, by name."""

    # --- Trainer

    def build(self) -> None:
        bare = self._gangs.bare_copy(self)
        rule = rule_named(self.optimizer)
        order_named(self.order)
        tables = self.make_tables()
        _whole(self, "clocks_per_step")
        layout = layout_of(tables, list(rule.fields), _whole(self, "workers"))
        _require_room_for_squares(layout, self.optimizer, rule)
        gang = self._gangs.gang_for(bare, layout, rule)
        self._branch = gang.take()
        gang.fill(self._branch, tables)
        self._clocks = 0

    def setup(self, hp: Mapping[str, Any]) -> None:
        for name in ("lr", "momentum", "staleness"):
            if name in hp:
                hp[name]

    def train(self) -> Mapping[str, Any]:
        clocks = _whole(self, "clocks_per_step")
        result = self._branch.gang.run(
            RunClocks(
                slot=self._branch.number,
                start=self._clocks,
                clocks=clocks,
                staleness=checked_staleness(self.hp.get("staleness", 0), self.staleness_bounds),
                order=order_named(self.order),
                rule_values=self._rule_values(),
                values=dict(self.hp.raw),
                changed=self._gangs.changed_since(self),
            )
        )
        self._clocks += clocks
        for name in result.read:
            self.hp[name]  # looked at, there
        return {"loss": result.loss, "age": result.mean_age}

    def evaluate(self) -> Mapping[str, Any]:
        return self.metrics(self.tables)

    def state_dict(self) -> dict[str, Any]:
        return state_of(self._branch, self._clocks)

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self._branch.gang.load(self._branch, state["tables"])
        self._clocks = state["clocks"]

    @property
    def tables(self) -> dict[str, Array]:
        """The values of the branch, by table, read-only."""
        return {name: read_only(fields[VALUE]) for name, fields in self._branch.gang.gather(self._branch).items()}

    def make_transport(self) -> AbstractTransport:
        """Return what runs the workers: processes on shared memory."""
        return SharedMemoryTransport()

    @classmethod
    def check_config(cls, config: Config, until: int) -> None:
        super().check_config(config, until)
        is_of_class = not hasattr(cls.optimizer, "__get__") and "optimizer" not in inspect.signature(cls).parameters
        if "momentum" in config and is_of_class:
            for start, pieces in path(config, until):
                _check_momentum(cls.optimizer, pieces["momentum"].at(start))
        if "staleness" not in config:
            return
        for start, pieces in path(config, until):
            if pieces["staleness"].origin is not None:
                raise HparamError("staleness changes by a formula from step to step; give constants, or Piecewise ones")
            checked_staleness(pieces["staleness"].at(start), cls.staleness_bounds)

    # --- inside

    def _outlives_close(self) -> bool:
        return super()._outlives_close() and not self._branch.gang.is_lost

    def _runs_free(self) -> bool:
        return order_named(self.order) is UpdateOrder.FREE

    def _live_copy(self) -> LiveState | None:
        gang, kind = self._branch.gang, type(self)
        has_own = kind.state_dict is not PSTrainer.state_dict or kind.load_state_dict is not PSTrainer.load_state_dict
        if gang.is_lost or gang.num_spare < 1 or has_own:
            return None
        return LiveBranch(gang.fork(self._branch), self._clocks)

    def _load_live(self, state: LiveState) -> None:
        assert isinstance(state, LiveBranch), "a copy of this trainer made it"
        gang = self._branch.gang
        if state.slot.gang is gang:
            gang.copy(state.slot, self._branch)
        else:  # the gang of then was lost, or had other tables
            gang.load(self._branch, state.slot.gang.gather(state.slot))
        self._clocks = state.clocks

    def _as_built(self, pristine: Trainer) -> BuiltState | None:
        return BuiltPSTrainer(self, pristine) if is_all_in_its_branch(self, pristine) else None

    def _rule_values(self) -> RuleValues:
        momentum = _number(self.hp, "momentum", 0.0)
        _check_momentum(self.optimizer, momentum)
        return RuleValues(lr=_number(self.hp, "lr"), momentum=momentum)


def _check_momentum(optimizer: str, momentum: Any) -> None:
    if momentum and not rule_named(optimizer).has_momentum:
        raise HparamError(f"momentum={momentum}: {optimizer!r} has none; leave it out, or take 'sgd'")


def _require_room_for_squares(layout: BranchLayout, optimizer: str, rule: ServerRule) -> None:
    """Refuse tables of 16 bits under a rule that adds up squares of gradients, most of which these cannot hold.

    Raises:
      TrainerError: names the table.
    """
    for table in layout.tables if "z" in rule.fields else ():
        if np.dtype(table.dtype).itemsize < 4:
            raise TrainerError(
                f"make_tables() made {table.name!r} of {table.dtype}, and {optimizer!r} adds up squares of gradients, "
                "which that holds only between 0.0003 and 256: make it of float32"
            )


def _whole(trainer: PSTrainer, name: str) -> int:
    value = getattr(trainer, name)
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise TrainerError(f"{type(trainer).__name__}.{name}={value!r}: it must be a whole number of at least 1")
    return value


def _number(values: Mapping[str, Any], name: str, default: float | None = None) -> float:
    value = values[name] if default is None else values.get(name, default)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise HparamError(f"{name}={value!r}: the parameter server wants a number")
    return float(value)


class Gangs:
    """The gang of one trainer, for all of its copies: made when it is first needed, again when it was lost."""

    def __init__(self) -> None:
        self._gang: Gang | None = None
        #: what the gang's workers see
        self._seen: PSTrainer | None = None

    def bare_copy(self, trainer: PSTrainer) -> PSTrainer:
        """Return what workers are to see: a copy of the trainer from before it was built."""
        bare = object.__new__(type(trainer))
        # a gang that knew itself by its workers' trainer, or one of its branches, would never be collected
        vars(bare).update({name: value for name, value in vars(trainer).items() if name not in _OF_BRANCHES})
        return bare

    def gang_for(self, bare: PSTrainer, layout: BranchLayout, rule: ServerRule) -> Gang:
        """Return the gang for tables of this layout, starting it if there is none.

        Raises:
          TrainerError: its workers began with a trainer that had other attributes.
        """
        gang = self._gang
        if gang is not None and not gang.is_lost and gang.layout == layout:
            assert self._seen is not None, "the gang has begun with it"
            _require_same(self._seen, bare)
            return gang
        if gang is not None and gang.is_idle:
            gang.close()
        self._gang = Gang(
            layout,
            rule,
            bare,
            bare.make_transport(),
            num_copies=_whole(bare, "max_branches"),
            most_staleness=max(bare.staleness_bounds),
        )
        self._seen = bare
        return self._gang

    def changed_since(self, trainer: PSTrainer) -> frozenset[str]:
        """Return attributes that workers have, too, and that are others in the trainer since they began."""
        worker_has = self._seen
        return frozenset(
            name
            for name, value in vars(trainer).items()
            if name not in _OF_BRANCHES
            and name != "hp"
            and hasattr(worker_has, name)
            and not _is_same(getattr(worker_has, name), value)
        )


#: attributes that say nothing about how a trainer computes gradients
_OF_BRANCHES = frozenset({"_gangs", "_branch", "_clocks"})


def _require_same(seen: PSTrainer, bare: PSTrainer) -> None:
    """Refuse a trainer that workers would have to see otherwise than they do since their gang has begun.

    Raises:
      TrainerError: names an attribute that differs.
    """
    before, now = vars(seen), vars(bare)
    for name in sorted((before.keys() | now.keys()) - {"hp"}):
        if name not in before or name not in now or not _is_same(before[name], now[name]):
            raise TrainerError(
                f"build() set {type(bare).__name__}.{name} before super().build(), and it is not what the workers "
                "have, which were forked with the trainer of an earlier trial; read self.hp in gradients(), or set it "
                "in __init__. What only metrics() needs can be set after super().build()"
            )


def _is_same(one: object, other: object) -> bool:
    return one is other or (isinstance(one, bool | int | float | str) and same_value(one, other))
