"""The ways of configs through the search plan: each walked once, as far as it was asked for.

A way is looked at before it is trained (`ConfigPath.check`) and turned into nodes (`ConfigPath.node_at`) by one cursor.
A config that `Config.switch` made takes over the way of the one it was made from: however many switches lie behind it,
one more costs the same. This module refuses to know trials and requests.
"""

from __future__ import annotations

from bisect import bisect_left

from hippo.hparams import Config
from hippo.hparams.config import Fork, fork_of
from hippo.hparams.paths import Pieces, Walk, check_values
from hippo.plan.nodes import Node
from hippo.plan.plan_nodes import PlanNodes, Way


class ConfigPath:
    """The nodes of one config, in order.

    A tuner that asks for one more step each time pays for that step alone, however long the path is by then.

    Args:
      config: what to walk.
      known: the nodes of the plan.
      owner: names the trial whose root is not shared; empty to share.
      fork: the way of a config that this one equals before step `at`.
      at: the step at which it leaves that way.
    """

    __slots__ = (
        *("_ahead", "_at", "_checked", "_config", "_fork", "_in_force"),
        *("_in_force_from", "_nodes", "_owner", "_known", "_walk"),
    )

    def __init__(
        self, config: Config, known: PlanNodes, *, owner: str = "", fork: ConfigPath | None = None, at: int = 0
    ) -> None:
        self._config = config
        self._known = known
        self._owner = owner
        #: until steps beyond `at` are asked for, it is that way
        self._fork = fork
        self._at = at
        #: None: it begins as another way, or was walked to its end
        self._walk: Walk | None = Walk(config) if fork is None else None
        #: the node that it goes on from, if it leaves another way, then its own
        self._nodes: list[Node] = []
        #: (start, pieces) of nodes that no request needed yet
        self._ahead: list[tuple[int, Pieces]] = []
        #: how many of these were looked at; what is in force after them, and from which step on
        self._checked = 0
        self._in_force: Pieces = {}
        self._in_force_from = at

    @classmethod
    def from_state(cls, config: Config, known: PlanNodes, root: Node) -> ConfigPath:
        """Return a config's way from a root on that is a state; what the config says of earlier steps is not looked at.

        Args:
          config: what to walk.
          known: the nodes of the plan.
          root: `begins_at` says at which step the way leaves it, at the earliest.
        """
        path = cls(config, known, at=root.begins_at)
        path._walk = Walk(config, at=root.begins_at, before=root.pieces)
        path._nodes = [root]
        path._in_force = path._walk.pieces
        return path

    def owned_by(self, owner: str) -> ConfigPath:
        """Let a trial have the nodes to itself, before there are any, and return the path."""
        assert not self._nodes, "nodes are shared or not from the first on"
        self._owner = owner
        return self

    def check(self, until: int) -> None:
        """Evaluate every piece where it begins and where it ends, before `until`; no node is made of what is new.

        Raises:
          HparamError: a sequence leaves the finite numbers; the message names it and the step.
        """
        path = self if self._fork is None else self._leading_to(until)
        if path._walk is not None:
            path._walk_to(until)
        for start, pieces in path._ahead[path._checked :]:
            if start >= until:
                break
            if start > path._at:
                check_values(path._config, path._in_force, start - 1)
            check_values(path._config, pieces, start)
            path._checked += 1
            path._in_force, path._in_force_from = pieces, start
        if until > path._in_force_from:  # else what lies before it was looked at
            check_values(path._config, path._in_force, until - 1)

    def node_at(self, until: int) -> Node:
        """Return the node to which the state after `until` steps belongs; missing nodes are made."""
        path = self if self._fork is None else self._leading_to(until)
        if path._walk is not None:
            path._walk_to(until)
        if self._known.is_in_parts and path._ahead and path._ahead[0][0] < until:
            self._known.expect([path._next(until)])
        new = 0
        while new < len(path._ahead) and path._ahead[new][0] < until:
            start, pieces = path._ahead[new]
            parent = path._nodes[-1] if path._nodes else None
            path._nodes.append(path._known.child(parent, start, pieces, path._owner))
            new += 1
        if new:
            del path._ahead[:new]
            path._checked = max(0, path._checked - new)
        if until <= path._at:  # before it left another way
            return path._nodes[0].owner_of(until)
        if path._nodes[-1].start < until:  # most often: who asks for more asks for what comes next
            return path._nodes[-1]
        at = bisect_left(path._nodes, until, key=lambda node: node.start)
        return path._nodes[max(at - 1, 0)]

    def ahead(self, until: int) -> Way | None:
        """Return what `node_at` would ask the plan for; None where it would ask for another way's first."""
        if self._fork is not None:
            return None
        self._walk_to(until)
        return self._next(until)

    def _next(self, until: int) -> Way:
        return Way(self._nodes[-1] if self._nodes else None, [e for e in self._ahead if e[0] < until], self._owner)

    def _walk_to(self, until: int) -> None:
        assert self._fork is None, "it has left the way that it began as"
        if self._walk is None:
            return
        for entry in self._walk.up_to(until):  # one by one: those before a step without a value stay
            self._ahead.append(entry)
        if self._walk.is_over:
            self._walk = None  # there may be a million paths

    def _leading_to(self, until: int) -> ConfigPath:
        """Return the path whose own part holds step `until`: this one, or one that it has not left by then."""
        path: ConfigPath = self
        behind: list[ConfigPath] = []
        while path._fork is not None and until <= path._at:
            path = path._fork
        upper = path
        while upper._fork is not None:
            behind.append(upper)
            upper = upper._fork
        for leaving in reversed(behind):  # the first fork first: each needs the nodes of the one before it
            leaving._leave()
        return path

    def _leave(self) -> None:
        """Go on alone, from the node to which the state at the fork belongs."""
        assert self._fork is not None, "it has left before"
        self._fork.check(self._at)
        before = self._fork.node_at(self._at)
        self._walk = Walk(self._config, at=self._at, before=before.pieces)
        self._nodes = [before]
        self._in_force = self._walk.pieces
        self._fork = None


class ConfigPaths:
    """The paths of configs that share a plan's nodes, by config.

    Args:
      known: the nodes of the plan.
      root: a state from which all of them begin; None: each begins with a new model.
    """

    def __init__(self, known: PlanNodes, root: Node | None = None) -> None:
        self._known = known
        self.root = root
        self._begins_at = 0 if root is None else root.begins_at
        self._paths: dict[Config, ConfigPath] = {}

    def of(self, config: Config) -> ConfigPath:
        """Return a config's path, which begins as that of the config it was switched from, if it was."""
        known = self._paths.get(config)
        if known is not None:
            return known
        fork = self._fork_of(config)
        if fork is None:  # most often, and to look a config up is to have it compute its hash
            path = self._paths[config] = self._begun(config)
            return path
        unknown = [config]
        while fork is not None and fork.config not in self._paths:
            unknown.append(fork.config)
            fork = self._fork_of(fork.config)
        for each in reversed(unknown):
            fork = self._fork_of(each)
            if fork is not None:
                self._paths[each] = ConfigPath(each, self._known, fork=self._paths[fork.config], at=fork.at)
            else:
                self._paths[each] = self._begun(each)
        return self._paths[config]

    def _begun(self, config: Config) -> ConfigPath:
        """Return the path of a config that was switched from none."""
        if self.root is None:
            return ConfigPath(config, self._known)
        return ConfigPath.from_state(config, self._known, self.root)

    def _fork_of(self, config: Config) -> Fork | None:
        """Return what a config was switched from, if that was after all of these paths begin."""
        fork = fork_of(config)
        return fork if fork is not None and fork.at > self._begins_at else None
