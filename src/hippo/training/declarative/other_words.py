"""What other libraries call that by which a `TorchTrainer` says how it trains: written by habit, nothing reads it."""

from __future__ import annotations

from collections.abc import Mapping

_CLIP = "The largest norm of all gradients is clip_norm."
_MEAN = "How many batches make one step of the optimizer is accumulate."
_AUTOCAST = 'Losses are computed in half the bits by precision = "bf16" or "fp16".'
_ORDER = "Which samples an epoch has, and in which order, is what sampler(epoch) returns."
_SCHEDULE = (
    "A schedule is a sequence of the config, as in lr=hippo.Cosine(...), so that trials share what they begin with; a "
    "scheduler of your own is made in build(), after super().build(), and stepped in train() or train_on_batch()."
)
_HOOK = "Nothing is called between steps: train() trains a step, train_on_batch(batch) a batch, update(loss) the model."
_DATA = "Data are what train_set() and val_set() return, data sets rather than loaders."

#: name -> what stands for it here
OTHER_WORDS: Mapping[str, str] = {
    **dict.fromkeys(("gradient_clip_val", "clip_grad_norm", "max_grad_norm", "grad_clip", "clip_grad"), _CLIP),
    **dict.fromkeys(("accumulate_grad_batches", "gradient_accumulation_steps", "accumulation_steps"), _MEAN),
    **dict.fromkeys(("fp16", "bf16", "amp", "use_amp", "mixed_precision"), _AUTOCAST),
    "ema": "An average of the weights that is evaluated is made by ema_decay, or swa_from.",
    **dict.fromkeys(("shuffle", "drop_last"), _ORDER),
    "collate_fn": "Samples are put together by collate(samples).",
    **dict.fromkeys(("make_scheduler", "make_lr_scheduler", "configure_schedulers", "create_scheduler"), _SCHEDULE),
    **dict.fromkeys(("lr_scheduler", "scheduler"), _SCHEDULE),
    "configure_optimizers": "Optimizers are what make_optimizer(params) returns.",
    "create_optimizer": "Optimizers are what make_optimizer(params) returns.",
    "training_step": "A batch's loss is loss(model, batch); train_on_batch(batch) trains on it in another way.",
    "validation_step": "A batch of the validation set is measured by metrics(model, batch).",
    "compute_loss": "A batch's loss is loss(model, batch).",
    "compute_metrics": "A batch of the validation set is measured by metrics(model, batch).",
    **dict.fromkeys(("train_dataloader", "val_dataloader", "train_loader", "val_loader"), _DATA),
    **dict.fromkeys(("on_train_epoch_start", "on_train_epoch_end", "on_epoch_start", "on_epoch_end"), _HOOK),
    **dict.fromkeys(("on_train_batch_start", "on_train_batch_end", "on_step_begin", "on_step_end"), _HOOK),
    **dict.fromkeys(("on_before_optimizer_step", "optimizer_step", "on_train_start", "on_train_end"), _HOOK),
}
