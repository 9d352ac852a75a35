"""Four agents that tune one network, and share one memory of its training.

    python examples/agents.py              # one database: a minute of processor time
    python examples/agents.py --apart      # a database for each of them

Each agent climbs: it takes the best schedule that it knows, changes how it ends, has it trained, and keeps what is
better. Nobody tells them of each other. But what begins as something did that any of them tried is not trained again:
the database remembers every step, whoever asked for it first.

The agents here are coroutines of one process, so that the example needs nothing else. Where they are processes, they
ask by `hippo ask`, or by a service (`hippo serve`).

Needs torch and scikit-learn.
"""

import argparse
import random
import time

from rich.console import Console
from rich.table import Table

import hippo
from digits import DigitsTrainer

STEPS = 24
#: what an agent may do to an ending: name -> (steps at which it may happen, what becomes of the value)
CHANGES = {
    "lr": ((8, 12, 16, 18, 20), (lambda lr: lr * 0.3, lambda lr: lr * 0.1)),
    "batch_size": ((12, 16, 18), (lambda size: 2 * size,)),
    "momentum": ((12, 16, 18), (lambda momentum: momentum - 0.2,)),
}
START = {"lr": [(0, 0.1)], "batch_size": [(0, 32)], "momentum": [(0, 0.9)]}


class Climber(hippo.Tuner):
    """Changes the end of the best schedule that it knows, and keeps what is better.

    Args:
      seed: of what it tries.
      tries: how many schedules it asks for.
    """

    def __init__(self, seed, tries):
        self.seed, self.tries = seed, tries

    def record(self):
        return {"tuner": "Climber", "seed": self.seed, "tries": self.tries}

    async def tune(self, ask):
        chance = random.Random(self.seed)
        best, best_loss = START, (await ask(config_of(START), until=STEPS)).loss
        for _ in range(self.tries - 1):
            tried = changed(best, chance)
            loss = (await ask(config_of(tried), until=STEPS)).loss
            if loss < best_loss:
                best, best_loss = tried, loss


def changed(schedules, chance):
    """Return schedules of which one takes another value from some step on; what it had planned after that is gone."""
    name = chance.choice(sorted(CHANGES))
    steps, ways = CHANGES[name]
    step, way = chance.choice(steps), chance.choice(ways)
    kept = [(start, value) for start, value in schedules[name] if start < step]
    return {**schedules, name: [*kept, (step, round(way(kept[-1][1]), 6))]}


def config_of(schedules):
    """Return the config that says these values from these steps on."""
    return {
        name: hippo.Piecewise([value for _, value in pieces], [start for start, _ in pieces[1:]])
        if len(pieces) > 1
        else pieces[0][1]
        for name, pieces in schedules.items()
    }


def run(agents, tries, *, width, is_apart, sharing=True):
    """Return the studies of so many agents, when they have tried so much; sharing=False: each from nothing."""
    studies = []
    engine = hippo.InlineEngine()
    for agent in range(agents):
        studies.append(
            hippo.create_study(
                f"agent {agent}",
                trainer=DigitsTrainer,
                trainer_args={"width": width},
                metric="val_loss",
                mode="min",
                storage=f"memory://agents-{agent}" if is_apart else "memory://agents",
                checkpoints="memory://",
                engine=engine,
                evaluate_every=STEPS,
                sharing=sharing,
            )
        )
    hippo.optimize([(study, Climber(seed, tries)) for seed, study in enumerate(studies)])
    return studies


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--apart", action="store_true", help="each agent remembers what it trained itself, and no more")
    parser.add_argument("--agents", type=int, default=4)
    parser.add_argument("--tries", type=int, default=16, help="of each agent")
    parser.add_argument("--width", type=int, default=8, help="of the network")
    arguments = parser.parse_args()
    began_s = time.process_time()
    studies = run(arguments.agents, arguments.tries, width=arguments.width, is_apart=arguments.apart)
    table = Table("agent", "tries", "steps asked", "steps trained", "best loss")
    for study in studies:
        counted = study.statistics()
        table.add_row(
            study.name, str(arguments.tries), str(STEPS * arguments.tries), str(counted.steps_executed),
            f"{study.best_value:.4f}",
        )  # fmt: skip
    console = Console()
    console.print(table)
    asked = STEPS * arguments.tries * arguments.agents
    executed = sum(study.statistics().steps_executed for study in studies)
    console.print(
        f"{executed} of {asked} steps were trained, in {time.process_time() - began_s:.1f} s of processor time"
    )
    console.print(f"best loss {min(study.best_value for study in studies):.4f}")


if __name__ == "__main__":
    main()
