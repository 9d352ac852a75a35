"""Matrix factorisation on a parameter server: worker processes share two tables, and MLTuner finds the learning rate.

    python examples/matrix_factorisation.py                             # ten seconds on two idle cores
    python examples/matrix_factorisation.py --optimizer adarevision --staleness 3

Ratings are generated: few users rate much, few items are rated often, and most of both are rare. A clock is a fiftieth
of a pass: each worker looks at its half of that, and sends the gradients of the rows that it met. A step is five
clocks. The learning rate is one of eleven, from 1e-5 to 1.

Needs no framework, only numpy.
"""

import argparse
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

import hippo
from hippo.ps import ClockGradients, PSTrainer

USERS, ITEMS, RANK, RATINGS = 600, 400, 8, 40_000
CLOCKS_PER_PASS = 50
RATES = (1e-5, 1.0)
OPTIMIZERS = ("adagrad", "adarevision", "sgd")


def long_tailed(generator, number, count):
    """Draw `count` of `number` things, the k-th of them with a chance of 1 / (k + 10)."""
    weights = 1 / (np.arange(number) + 10)
    return generator.choice(number, count, p=weights / weights.sum())


def summed_by_row(rows, gradients, number):
    """Add up gradients that belong to the same row: number x rank."""
    columns = [np.bincount(rows, gradient, minlength=number) for gradient in gradients.T]
    return np.stack(columns, axis=1).astype(gradients.dtype)


class MatrixFactorisation(PSTrainer):
    """Learns a vector for each user and each item, whose products are the ratings."""

    dataset = f"{RATINGS} ratings generated with seed 0"
    hparams = ("lr", "staleness")

    def __init__(self, optimizer="adagrad", order="pinned", workers=2, clocks_per_step=5):
        self.optimizer, self.order = optimizer, order
        self.workers, self.clocks_per_step = workers, clocks_per_step
        generator = np.random.default_rng(0)
        self.users, self.items = long_tailed(generator, USERS, RATINGS), long_tailed(generator, ITEMS, RATINGS)
        wanted = [generator.normal(size=(number, RANK)).astype(np.float32) for number in (USERS, ITEMS)]
        noise = 0.1 * generator.normal(size=RATINGS).astype(np.float32)
        products = wanted[0][self.users] * wanted[1][self.items]
        self.ratings = 3 + products.sum(1) / np.float32(RANK**0.5) + noise

    def make_tables(self):
        return {
            "users": np.random.normal(scale=0.3, size=(USERS, RANK)).astype(np.float32),
            "items": np.random.normal(scale=0.3, size=(ITEMS, RANK)).astype(np.float32),
        }

    def errors(self, tables, some):
        products = tables["users"][self.users[some]] * tables["items"][self.items[some]]
        return products.sum(1) - self.ratings[some]

    def gradients(self, tables, share):
        part = share.clock % CLOCKS_PER_PASS * share.workers + share.worker
        some = slice(part, None, CLOCKS_PER_PASS * share.workers)
        errors = self.errors(tables, some)
        users, items = self.users[some], self.items[some]
        # A sample is a share of a clock: of each row the sum over its ratings, or rows that are rarely met would stand.
        return ClockGradients(
            loss=float(errors @ errors) / len(errors),
            samples=1,
            tables={
                "users": summed_by_row(users, 2 * errors[:, None] * tables["items"][items], USERS),
                "items": summed_by_row(items, 2 * errors[:, None] * tables["users"][users], ITEMS),
            },
        )

    def metrics(self, tables):
        errors = self.errors(tables, slice(None))
        return {"loss": float(errors @ errors) / RATINGS}


def tuner_of(*, steps, staleness=0):
    """Tune the initial learning rate, and no more after that."""
    return hippo.MLTuner(
        {"lr": hippo.loguniform(*RATES)},
        steps,
        check_every=20,
        fixed={"staleness": staleness},
        sampler="grid",
        retune=False,
        prefer=None,  # the fastest: rules that adapt forgive a learning rate that is too large
    )


def report(study, console):
    path = study.best_trial
    table = Table("steps", "loss", title="the live path")
    for step, metrics in sorted(path.history.items()):
        table.add_row(str(step), f"{metrics['loss']:.4f}")
    console.print(table)
    statistics = study.statistics()
    branches = [trial for trial in study.trials if trial is not path]
    console.print(
        f"learning rate {path.config.values_at(path.step - 1)['lr']:.3g}, found by {len(branches)} branches of "
        f"{statistics.steps_executed - path.step} steps; the path has {path.step}, and a loss of {path.value:.4f}"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", default="matrix-factorisation-example", type=Path)
    parser.add_argument("--optimizer", default="adagrad", choices=OPTIMIZERS)
    parser.add_argument("--staleness", default=0, type=int)
    parser.add_argument("--steps", default=240, type=int)
    arguments = parser.parse_args()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    study = hippo.create_study(
        f"{arguments.optimizer}, staleness {arguments.staleness}",
        trainer=MatrixFactorisation,
        trainer_args={"optimizer": arguments.optimizer},
        storage=f"sqlite:///{arguments.folder / 'hippo.db'}",
        checkpoints=str(arguments.folder / "checkpoints"),
        engine=hippo.InlineEngine(),
        metric="loss",
        mode="min",
        evaluate_every=10 * arguments.steps,  # where the tuner asks, and nowhere else
    )
    study.optimize(tuner_of(steps=arguments.steps, staleness=arguments.staleness))
    report(study, Console())
    study.close()


if __name__ == "__main__":
    main()
