"""Which trainers can be divided among ranks: asked before anything is trained, whatever the number of ranks.

A trial may go on with another number of ranks. So what several cannot train is refused where there is one, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hippo.errors import TrainerError
from hippo.records import ELASTIC
from hippo.training.declarative.torch_classes import refuse_scaled_losses, require_left, torch_base
from hippo.training.elastic.here import is_elastic_here, num_ranks
from hippo.training.sharding.here import peers_here

if TYPE_CHECKING:
    from hippo.training.torch_trainer import TorchTrainer

#: what a class must leave as it is -> why
_LEFT = {
    "build": "makes more than its peers know of",
    "train": "goes through batches itself",
    "train_on_batch": "trains on a batch itself",
    "update": "takes steps itself",
    "batches_of_step": "hands out batches itself",
    "evaluate": "goes through the validation set itself, where peers do not follow",
    "state_dict": "has a state of its own, which peers do not have",
    "load_state_dict": "has a state of its own, which peers do not have",
}
#: attributes -> the value that they must have, and why
_ATTRIBUTES: dict[str, tuple[Any, str]] = {
    "shards": (1, "cuts batches for numerics='exact', where any number of processes comes to the same bits"),
    "ema_decay": (None, "keeps an average of whole parameters, which no rank has"),
    "swa_from": (None, "keeps an average of whole parameters, which no rank has"),
}


def check_elastic_class(cls: type, numerics: str) -> None:
    """Refuse a class that cannot be trained with elastic numerics.

    Raises:
      TrainerError: says what it does.
    """
    if numerics != ELASTIC:
        return
    base = torch_base(cls)
    if base is None:
        raise TrainerError(
            f"numerics='elastic' divides the parameters of a model among processes, but {cls.__name__} is no "
            "hippo.TorchTrainer: hippo sees no model in it. Use numerics='exact'."
        )
    require_left(
        cls,
        base,
        _LEFT,
        so_that="ranks cannot train it together (numerics='elastic')",
        instead="use numerics='exact'",
    )
    _check_attributes(cls, cls.__name__)


def require_elastic(trainer: Any) -> None:
    """Refuse a trainer that cannot be trained with elastic numerics here.

    Raises:
      TrainerError: says why.
    """
    name = type(trainer).__name__
    check_elastic_class(type(trainer), ELASTIC)
    _check_attributes(trainer, name)
    scale = getattr(trainer, "_surrogate_scale", None)
    if scale is not None and not scale.is_target:
        raise TrainerError(
            f"{name} is at scale {scale}, and numerics='elastic' is for models that are too large for one process: "
            "train surrogates with numerics='exact' or 'fused'"
        )
    peers = peers_here()
    if peers is not None and peers.is_world:
        raise TrainerError(
            f"numerics='elastic' does not go with world_size={peers.ranks}, which belongs to an environment: a trial "
            f"may go on with any number of processes. Say LocalEngine(ranks={peers.ranks})."
        )
    if num_ranks() > 1:
        from hippo.training.elastic.rank_group import require_distributed

        require_distributed()
        _require_cpu(trainer, name)


def _check_attributes(owner: Any, name: str) -> None:
    for attribute, (value, why) in _ATTRIBUTES.items():
        found = getattr(owner, attribute)
        if not hasattr(found, "__get__") and found != value:
            raise TrainerError(
                f"{name}.{attribute} = {found!r} {why}: it does not go with numerics='elastic'. Set it to {value!r}, "
                "or use numerics='exact'."
            )
    refuse_scaled_losses(owner, name, "numerics='elastic'")


def _require_cpu(trainer: Any, name: str) -> None:
    from hippo.training.declarative.torch_attributes import device_of

    device = device_of(trainer.device)
    if device.type != "cpu":
        raise TrainerError(
            f"{name} would train on {device}, and the ranks of numerics='elastic' talk by gloo, on CPUs: set device = "
            "'cpu', or use an engine without ranks="
        )


def check_elastic_model(trainer: TorchTrainer) -> None:
    """Refuse a model that was just made with elastic numerics, if pieces of it would be trained otherwise.

    Raises:
      TrainerError: names a parameter.
    """
    if not is_elastic_here():
        return
    from hippo.training.declarative.parameter_hooks import has_hooks

    for name, parameter in trainer.model.named_parameters():
        if has_hooks(parameter):
            raise TrainerError(
                f"parameter {name!r} of {type(trainer).__name__} has a hook that is called with its gradient, which no "
                "rank of numerics='elastic' has as a whole: clip_norm bounds gradients there; or use numerics='exact'"
            )


def check_elastic_build(trainer: TorchTrainer) -> None:
    """Refuse a trainer that was just built with elastic numerics, if several ranks could not train it.

    Raises:
      TrainerError: says what is in the way.
    """
    if not is_elastic_here():
        return
    from hippo.training.sharding.checks import check_optimizers  # needs torch, as nobody else here

    check_optimizers(trainer, "numerics='elastic'")
    if hasattr(trainer.model, "_orig_mod"):
        raise TrainerError(
            f"make_model() of {type(trainer).__name__} returned a compiled module, which numerics='elastic' does not "
            "divide: return the module itself"
        )


def require_same_frozen(trainer: TorchTrainer) -> None:
    """Refuse a trainer that has frozen or unfrozen parameters since it was built: pieces keep what they were made for.

    Raises:
      TrainerError: names one.
    """
    if not is_elastic_here():
        return
    from hippo.training.declarative.torch_state import frozen_parameters

    changed = sorted(set(frozen_parameters(trainer.model)) ^ set(trainer._frozen_at_first))
    if changed:
        raise TrainerError(
            f"setup() of {type(trainer).__name__} has frozen or unfrozen {changed[0]!r}, which numerics='elastic' does "
            "not follow; decide in make_model() what is trained, or use numerics='exact'"
        )
