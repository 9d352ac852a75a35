"""A simulation in a process of its own, killed after so many commits if it is told to.

Called with the database, a name, and the number of commits; prints the simulation's figures.
"""

import asyncio
import json
import os
import signal
import sys

import hippo
from hippo.hparams import Piecewise
from hippo.plan import sql_store
from hippo.simulation import SimulatedWorkload, simulate


class WhoeverComesFirst(hippo.Tuner):
    """Depends on the order of arrival: each answer decides about the next request."""

    async def tune(self, ask):
        configs = [{"lr": Piecewise([0.1, 0.2 + i], [3 + i % 4])} for i in range(12)]
        asked = {asyncio.ensure_future(ask(config, until=5)) for config in configs}
        for _ in range(20):
            done, asked = await asyncio.wait(asked, return_when=asyncio.FIRST_COMPLETED)
            answers = sorted((task.result() for task in done), key=lambda answer: (answer.loss, answer.trial))
            asked |= {asyncio.ensure_future(ask(answers[0].config, until=answers[0].step + 4))}
        for task in asked:
            task.cancel()


def main():
    database, name, commits = sys.argv[1], sys.argv[2], int(sys.argv[3])
    left = [commits]
    commit = sql_store.SqlStore.commit

    def killing(self, changes):
        commit(self, changes)
        left[0] -= 1
        if left[0] == 0:
            os.kill(os.getpid(), signal.SIGKILL)

    sql_store.SqlStore.commit = killing
    workload = SimulatedWorkload(
        seconds_per_step=7.0, start_s=5.0, save_s=1.0, losses_per_device_hour=20.0, restart_s=30.0
    )
    simulation = simulate(
        WhoeverComesFirst(), workload, slots=[1.0, 1.5, 0.5], seed=4, storage=f"sqlite:///{database}", name=name
    )
    trials = [[trial.state.value, trial.step, trial.value] for trial in simulation.study.trials]
    intervals = [repr(interval) for interval in simulation.intervals]
    print(json.dumps({"row": simulation.row(), "trials": trials, "intervals": intervals}))


if __name__ == "__main__":
    main()
