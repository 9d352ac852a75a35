"""`TorchTrainer`: attributes, data sets, models, optimizers, losses and batch sizes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch

from hippo.testing.torch_trainers import BlobsTrainer

pytestmark = pytest.mark.timeout(60)  # none takes a second; machines that run this are busy

#: what is typed, the builtin error that it resembles, words of the message
CASES: list[tuple[str, type[Exception], str]] = [
    (
        "torun(samples_per_step=0)",
        TypeError,
        "WrongBlobs.samples_per_step = 0, but it must be a whole number of samples, at",
    ),
    (
        "torun(samples_per_step=-5)",
        TypeError,
        "WrongBlobs.samples_per_step = -5, but it must be a whole number of samples,",
    ),
    (
        "torun(samples_per_step=1.5)",
        TypeError,
        "WrongBlobs.samples_per_step = 1.5, but it must be a whole number of samples,",
    ),
    (
        'torun(samples_per_step="all")',
        TypeError,
        "WrongBlobs.samples_per_step = 'all', but it must be a whole number of",
    ),
    (
        "torun(num_workers=-1)",
        TypeError,
        "WrongBlobs.num_workers = -1, but it must be a number of processes, 0 for none.",
    ),
    ("torun(num_workers=1.0)", TypeError, "WrongBlobs.num_workers = 1.0, but it must be a number of processes, 0 for"),
    ('torun(num_workers="2")', TypeError, "WrongBlobs.num_workers = '2', but it must be a number of processes, 0 for"),
    (
        "torun(num_workers=True)",
        TypeError,
        "WrongBlobs.num_workers = True, but it must be a number of processes, 0 for",
    ),
    (
        "torun(val_batch_size=0)",
        TypeError,
        "WrongBlobs.val_batch_size = 0, but it must be a whole number of samples, at",
    ),
    (
        "torun(val_batch_size=-1)",
        TypeError,
        "WrongBlobs.val_batch_size = -1, but it must be a whole number of samples, at",
    ),
    (
        "torun(val_batch_size=None)",
        TypeError,
        "WrongBlobs.val_batch_size = None, but it must be a whole number of samples,",
    ),
    (
        "torun(val_batch_size=2.5)",
        TypeError,
        "WrongBlobs.val_batch_size = 2.5, but it must be a whole number of samples, at",
    ),
    (
        "torun(default_batch_size=0)",
        TypeError,
        "WrongBlobs.default_batch_size = 0, but it must be a whole number of samples,",
    ),
    (
        'torun(default_batch_size="big")',
        TypeError,
        "WrongBlobs.default_batch_size = 'big', but it must be a whole number of",
    ),
    (
        'torun(apply_hparams="epoch")',
        TypeError,
        "WrongBlobs.apply_hparams = 'epoch', but it must be 'step' or 'batch'.",
    ),
    ("torun(apply_hparams=None)", TypeError, "WrongBlobs.apply_hparams = None, but it must be 'step' or 'batch'."),
    ("torun(apply_hparams=True)", TypeError, "WrongBlobs.apply_hparams = True, but it must be 'step' or 'batch'."),
    ('torun(device="gpu")', TypeError, "WrongBlobs.device = 'gpu', but it must be a device that torch knows, such as"),
    ("torun(device=3.5)", TypeError, "WrongBlobs.device = 3.5, but it must be a device that torch knows, such as"),
    ('torun(device="cuda:99")', TypeError, "WrongBlobs.device is 'cuda:99', but there is no CUDA device here. Leave"),
    (
        'torun(device="cuda")',
        TypeError,
        "WrongBlobs.device is 'cuda', but there is no CUDA device here. Leave `device`",
    ),
    ('torun(device="meta")', RuntimeError, "Tensor.item() cannot be called on meta tensors"),
    (
        "torun(train_set=lambda self: [])",
        TypeError,
        "no trial can begin: the list of train_set() is empty; training and validation need samples",
    ),
    (
        "torun(train_set=lambda self: None)",
        TypeError,
        "no trial can begin: train_set() returned a NoneType, which is no map-style dataset: exact",
    ),
    (
        "torun(train_set=lambda self: torch.utils.data.DataLoader([1]))",
        TypeError,
        "train_set() returned a DataLoader; return its dataset. hippo makes the batches",
    ),
    (
        "torun(train_set=lambda self: (torch.zeros(8, 1), torch.ones(8, 1)))",
        TypeError,
        "train_set() returned a tuple of 2 tensors or arrays of 8 rows each, which is a data set of 2 samples: return",
    ),
    (
        "torun(val_set=lambda self: (torch.zeros(8, 2).numpy(), torch.ones(8)))",
        TypeError,
        "val_set() returned a tuple of 2 tensors or arrays of 8 rows each",
    ),
    (
        "torun(train_set=lambda self: (torch.zeros(3, 8), torch.ones(3, 8), torch.ones(3, 8)))",
        TypeError,
        "a data set of 3 samples: return torch.utils.data.TensorDataset(*tensors), whose samples are their rows; or a "
        "list of them, where each is a sample.",
    ),
    (
        "torun(train_set=lambda self: 3)",
        TypeError,
        "train_set() returned a int, which is no map-style dataset: exact resumption",
    ),
    (
        "torun(train_set=lambda self: (x for x in [1]))",
        TypeError,
        "train_set() returned a generator, which is no map-style dataset: exact",
    ),
    (
        "torun(make_optimizer=lambda self, params: torch.optim.LBFGS(params), accumulate=2)",
        RuntimeError,
        "LBFGS computes its loss several times for each step, which goes neither with accumulate nor",
    ),
    (
        "torun(make_optimizer=lambda self, params: {})",
        RuntimeError,
        "make_optimizer() returned {} (dict); return a torch.optim.Optimizer, or several, each by a name",
    ),
    (
        "torun(make_optimizer=lambda self, params: {'a': torch.optim.SGD(params), 'b': 3})",
        RuntimeError,
        "make_optimizer() returned 3 (int), by the name 'b'; return a torch.optim.Optimizer of",
    ),
    (
        "torun(record_updates='yes')",
        TypeError,
        "WrongBlobs.record_updates = 'yes', but it must be True, False, or None",
    ),
    ("torun(record_updates=1)", TypeError, "WrongBlobs.record_updates = 1, but it must be True, False, or None to"),
    ("torun(clip_norm=0)", TypeError, "WrongBlobs.clip_norm = 0, but it must be a norm above 0, or None to clip"),
    ("torun(clip_norm=True)", TypeError, "WrongBlobs.clip_norm = True, but it must be a norm above 0, or None to"),
    ("torun(accumulate=0)", TypeError, "WrongBlobs.accumulate = 0, but it must be a whole number of batches, at"),
    ("torun(ema_decay=1.0)", TypeError, "WrongBlobs.ema_decay = 1.0, but it must be at least 0 and below 1, or None"),
    ("torun(ema_decay=nan)", TypeError, "WrongBlobs.ema_decay = nan, but it must be at least 0 and below 1, or None"),
    ("torun(swa_from=-1)", TypeError, "WrongBlobs.swa_from = -1, but it must be a step, a whole number from 0 on, or"),
    ("torun(swa_from=2, ema_decay=0.9)", TypeError, "WrongBlobs has both ema_decay = 0.9 and swa_from = 2: there is"),
    ('torun(precision="half")', TypeError, "WrongBlobs.precision = 'half', but it must be 'bf16', 'fp16', or None"),
    (
        "torun(sampler=lambda self, epoch: [0, 100])",
        RuntimeError,
        "sampler(0) gave index 100, but the training set has samples 0 to 47",
    ),
    ("torun(sampler=lambda self, epoch: [0.5])", RuntimeError, "sampler(0) gave [0.5]; give whole numbers, the"),
    ("torun(sampler=lambda self, epoch: [])", RuntimeError, "sampler(0) gave no samples: an epoch has at least one"),
    ("torun(sampler=lambda self, epoch: 7)", RuntimeError, "sampler() returned 7; return the indices of an epoch's"),
    (
        "torun(train_on_batch=lambda self, batch: None)",
        RuntimeError,
        "train_on_batch() returned None; return a dict of metrics by name.",
    ),
    (
        "torun(loss=lambda self, model, batch: None)",
        RuntimeError,
        "loss() returned None (NoneType); return a tensor with the mean loss of the",
    ),
    (
        "torun(loss=lambda self, model, batch: 0.5)",
        RuntimeError,
        "loss() returned 0.5 (float); return a tensor with the mean loss of the batch",
    ),
    (
        "torun(loss=lambda self, model, batch: model(batch[0]).mean()*nan)",
        RuntimeError,
        "MetricError: 'loss' is NaN after step 2; nan='worst' would rank it last",
    ),
    (
        "torun(metrics=lambda self, model, batch: None)",
        RuntimeError,
        "metrics() returned None; return a dict of metrics by name",
    ),
    (
        "torun(metrics=lambda self, model, batch: 0.5)",
        RuntimeError,
        "metrics() returned 0.5; return a dict of metrics by name",
    ),
    (
        "torun(metrics=lambda self, model, batch: {})",
        ValueError,
        "the study's metric is 'loss', and there is nothing in what evaluate() returned,",
    ),
    (
        'torun(metrics=lambda self, model, batch: {"loss": "low"})',
        RuntimeError,
        "'loss' of a batch is 'low', not a number",
    ),
    (
        'torun({"lr":0.1,"batch_size":0})',
        ValueError,
        "batch_size at step 0: it must be a whole number of at least 1, but is 0. The",
    ),
    (
        'torun({"lr":0.1,"batch_size":-1})',
        ValueError,
        "batch_size at step 0: it must be a whole number of at least 1, but is -1. The",
    ),
    (
        'torun({"lr":0.1,"batch_size":32.5})',
        ValueError,
        "batch_size at step 0: it must be a whole number of at least 1, but is 32.5.",
    ),
    (
        'torun({"lr":0.1,"batch_size":"32"})',
        ValueError,
        "batch_size at step 0: it must be a whole number of at least 1, but is '32'.",
    ),
    ("torun(batch_size=32)", TypeError, "WrongBlobs.batch_size = 32 has no effect: batch_size is a hyper-parameter,"),
    (
        "torun(max_grad_norm=1.0)",
        TypeError,
        "WrongBlobs.max_grad_norm has no effect: nothing here reads it. The largest norm of all gradients is",
    ),
    ("torun(shuffle=False)", TypeError, "in which order, is what sampler(epoch) returns. Give it another name if"),
    (
        "torun(make_scheduler=lambda self, optimizer: None)",
        TypeError,
        "A schedule is a sequence of the config, as in lr=hippo.Cosine(...),",
    ),
    (
        "torun(make_scheduler=lambda self, optimizer: None)",
        TypeError,
        "a scheduler of your own is made in build(), after super().build(), and stepped in train()",
    ),
    (
        'torun(setup=lambda self, hp: setattr(self, "optimizer", torch.optim.Adam(self.model.parameters())))',
        RuntimeError,
        "WrongBlobs sets self.optimizer, which is what make_optimizer() returns: make it there. Values that",
    ),
    ("torun(on_epoch_end=lambda self: None)", TypeError, "Nothing is called between steps: train() trains a step,"),
    (
        'torun(state_dict=lambda self: {"model": self.model})',
        RuntimeError,
        "state['model'] is a torch.nn.modules.container.Sequential, which cannot be",
    ),
    (
        "create(trainer=hippo.TorchTrainer)",
        TypeError,
        "TorchTrainer does not define loss(), make_model(), make_optimizer(),",
    ),
    (
        'create(trainer=type("NoLoss",(BlobsTrainer,),{"loss": hippo.TorchTrainer.loss}))',
        TypeError,
        "NoLoss does not define loss().",
    ),
    (
        "create(trainer=nn.Module)",
        TypeError,
        "trainer=<class 'torch.nn.modules.module.Module'> is not a class derived from",
    ),
]


@pytest.fixture(autouse=True)
def names_of_torch(names: dict[str, Any]) -> None:
    names.update(torch=torch, nn=torch.nn, BlobsTrainer=BlobsTrainer)


@pytest.mark.parametrize(("typed", "error", "words"), CASES)
def test_a_torch_trainer_that_cannot_train_is_told_what_is_wrong(
    refuse: Callable[[str, type[Exception], str], None], typed: str, error: type[Exception], words: str
) -> None:
    refuse(typed, error, words)
