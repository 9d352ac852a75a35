"""The demo's study, tuned narrow and trained wide: 56 trials of a net 8 times narrower, then the net itself.

    python examples/surrogate.py              # Ctrl-C it, run it again: it goes on
    python examples/surrogate.py --scale 4    # surrogates 4 times narrower

What was tuned is the learning rate's schedule, the batch size and momentum: values that carry over from a surrogate to
its target. Needs torch and scikit-learn.
"""

import argparse
import sys
from pathlib import Path

from rich.console import Console
from rich.table import Table
from torch import nn

import hippo
from digits import STEPS, DigitsTrainer, space


class ScalableDigits(DigitsTrainer):
    """The demo's net: its widths are scaled, and nothing else is changed."""

    #: 24 channels are 3 at an eighth; hippo warns below 32, and refuses below 8 unless it is told otherwise
    min_width = 3

    def make_model(self):
        narrow, wide = self.scaled(self.width), self.scaled(2 * self.width)
        return nn.Sequential(
            nn.Conv2d(1, narrow, 3, padding=1), nn.BatchNorm2d(narrow), nn.ReLU(),
            nn.Conv2d(narrow, wide, 3, padding=1), nn.BatchNorm2d(wide), nn.ReLU(),
            nn.MaxPool2d(2), nn.Flatten(), nn.Dropout(0.3), nn.Linear(16 * wide, 10),
        )  # fmt: skip


def open_study(folder):
    folder.mkdir(parents=True, exist_ok=True)
    return hippo.create_study(
        "digits-surrogate",
        trainer=ScalableDigits,
        storage=f"sqlite:///{folder / 'hippo.db'}",
        checkpoints=str(folder / "checkpoints"),
        metric="val_accuracy",
        mode="max",
        numerics="fused",
    )


def report(study, scale, console):
    """Show what was best on the surrogates, what became of it on the target, and what each of them cost."""
    best, narrow, whole = study.best_trial, study.surrogates[scale], study.statistics()
    surrogates = narrow.statistics()
    table = Table(show_header=False, title=f"best of {len(narrow.trials)} configs", title_justify="left")
    for name, value in best.params.items():
        table.add_row(name, str(value))
    table.add_section()
    table.add_row("validation accuracy, target", f"{best.value:.4f}")
    table.add_row(f"the same config at 1/{scale}", f"{narrow.trial(best.number).value:.4f}")
    table.add_section()
    table.add_row("device-seconds, surrogates", f"{surrogates.device_seconds:.1f}")
    table.add_row("device-seconds, target", f"{whole.device_seconds - surrogates.device_seconds:.1f}")
    table.add_row("surrogates' steps at once", f"{surrogates.mean_lanes:.1f}")
    console.print(table)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scale", type=int, default=8, help="how many times narrower the surrogates are")
    parser.add_argument("--folder", type=Path, default=Path(".demo"), help="where the database and checkpoints live")
    arguments = parser.parse_args()
    study = open_study(arguments.folder)
    try:
        study.optimize(hippo.Surrogate(hippo.GridSearch(space, until=STEPS), scale=arguments.scale))
        report(study, arguments.scale, Console())
    except KeyboardInterrupt:  # the study has said how to go on
        sys.exit(130)


if __name__ == "__main__":
    main()
