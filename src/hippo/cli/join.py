"""`hippo join`: this machine's workers, for the studies of a service."""

from __future__ import annotations

import asyncio
import signal
import socket
from typing import TYPE_CHECKING

import click

from hippo.cli.importing import find_modules_here
from hippo.cli.output import say
from hippo.errors import OptionError

if TYPE_CHECKING:
    from hippo.server.joining import Joining


@click.command()
@click.argument("url", envvar="HIPPO_SERVICE")
@click.option("--workers", type=click.IntRange(min=1), help="Worker processes.  [default: one per device, or core]")
@click.option("--threads", type=click.IntRange(min=1), default=1, show_default=True, help="Threads of each worker.")
@click.option(
    "--devices-per-slot", type=click.IntRange(min=1), default=1, show_default=True, help="GPUs of each worker."
)
@click.option("--checkpoints", help="Where the service's states are on this machine, if it has them elsewhere.")
@click.option("--name", default=socket.gethostname, help="How people see this machine.  [default: its host name]")
def join(
    url: str, workers: int | None, threads: int, devices_per_slot: int, checkpoints: str | None, name: str
) -> None:
    """Train what the service at URL (`hippo serve --hosts`) has to be trained, until Ctrl-C.

    URL is http://HOST:8400, or http://NAME:TOKEN@HOST:8400; it may stand in HIPPO_SERVICE. Trainers are imported from
    this folder, and from wherever Python finds modules; states are kept where the service keeps them: in a folder that
    both see, or an object store. Ctrl-C, SIGTERM, or a terminal that is closed, has what runs end at
    its next step; a second one ends it at once.
    """
    try:
        from hippo.server.joining import Joining, check_joins
        from hippo.server.link import ServiceLink
    except ImportError as error:
        raise OptionError(f"`hippo join` needs {error.name}: pip install 'hippo-tune[serve]'") from None
    from hippo.engines.devices import grouped_devices, like_devices, place_workers
    from hippo.engines.node_host import HostSetup, NodeHost, environment_of_workers

    find_modules_here()
    link = ServiceLink(url)
    check_joins(link)
    places = place_workers(workers, grouped_devices(like_devices(), devices_per_slot), threads=threads)

    def make_host(host: str, there: str) -> NodeHost:
        return NodeHost(
            HostSetup(
                name=host,
                node=name,
                workers=workers,
                threads=threads,
                devices_per_slot=devices_per_slot,
                checkpoints=checkpoints or there,
            )
        )

    joining = Joining(
        link,
        make_host,
        name=name,
        workers=len(places),
        environment=environment_of_workers(threads),
        joined=lambda: say(f"joined {link.url}, and waits for work; Ctrl-C ends this, and no study"),
        tell=say,
    )
    asyncio.run(_run(joining))


async def _run(joining: Joining) -> None:
    """Run until a signal, and give what runs time to end; a second signal ends this at once."""
    from hippo.study.interrupts import heard_once, is_ended_by_hanging_up

    loop, running = asyncio.get_running_loop(), asyncio.ensure_future(joining.run())

    def end(number: int) -> None:
        if joining.is_leaving:
            running.cancel()
        else:
            if joining.has_host:
                say("what runs here ends at its next step; once more to end it at once")
            joining.leave_soon()

    hear = heard_once(end)
    hung_up = [signal.SIGHUP] if is_ended_by_hanging_up() else []
    for number in (signal.SIGINT, signal.SIGTERM, *hung_up):
        loop.add_signal_handler(number, hear, number)
    try:
        await running
    except asyncio.CancelledError:
        if not joining.is_leaving:
            raise
