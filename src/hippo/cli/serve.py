"""`hippo serve` and `hippo token`: a service that trains what the tuners of several users ask."""

from __future__ import annotations

import signal
from pathlib import Path
from typing import NoReturn

import click

from hippo.cli.importing import find_modules_here
from hippo.cli.options import storage_option
from hippo.cli.output import say
from hippo.errors import OptionError

#: how long running steps may take to end: with all else that has to end, less than the 30 s that Kubernetes gives.
#: With `--hosts`, those of machines that have joined have had theirs before, and steps here went on meanwhile
_STOP_S = 20.0

_tokens_option = click.option(
    "--tokens",
    type=click.Path(dir_okay=False, path_type=Path),
    required=True,
    help="File of the service's tokens.",
)


@click.command()
@storage_option
@click.option("--checkpoints", default="hippo_checkpoints", show_default=True, help="Where training states are kept.")
@click.option("--checkpoint-budget", default="10GB", show_default=True, help="How much these may take in all.")
@click.option("--workers", type=click.IntRange(min=0), help="Worker processes.  [default: one per device, or core]")
@click.option("--hosts/--no-hosts", default=False, help="Let other machines train as well: `hippo join` there.")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen at.")
@click.option("--port", type=click.IntRange(0, 65535), default=8400, show_default=True, help="Its port; 0: a free one.")
@click.option(
    "--tokens",
    type=click.Path(dir_okay=False, path_type=Path),
    help="File of tokens (`hippo token add`); without one only this machine is answered.",
)
@click.option(
    "--trainers",
    multiple=True,
    required=True,
    help="Modules that trainers may be taken from, as in --trainers 'pkg.*'; may be given several times.",
)
@click.option(
    "--max-steps", type=click.IntRange(min=1), default=1_000_000, show_default=True, help="The largest until."
)
@click.option(
    "--withdraw-after",
    type=click.FloatRange(min=1.0),
    help="Seconds of silence after which what a script asked is trained no further.  [default: never]",
)
@click.option(
    "--custom-sequences",
    is_flag=True,
    help="Import modules of sequences that clients name. Whatever lies on the path may be imported then.",
)
@click.option("--dashboard/--no-dashboard", default=True, show_default=True, help="Show the studies at /dashboard/.")
def serve(
    storage: str,
    checkpoints: str,
    checkpoint_budget: str,
    workers: int | None,
    hosts: bool,
    host: str,
    port: int,
    tokens: Path | None,
    trainers: tuple[str, ...],
    max_steps: int,
    withdraw_after: float | None,
    custom_sequences: bool,
    dashboard: bool,
) -> None:
    """Train what the tuners of several users ask, until Ctrl-C. Started again, it goes on.

    Users write hippo.create_study(..., storage="http://HOST:8400"). Trainers are imported from this folder, and from
    wherever Python finds modules; by worker processes, never by this one.
    """
    try:
        from hippo.dashboard.app import make_dashboard
        from hippo.server.acting import ServiceActs
        from hippo.server.app import make_app
        from hippo.server.joined_hosts import END_S, JoinedCluster
        from hippo.server.serving import WebServer, check_host
    except ImportError as error:
        raise OptionError(f"`hippo serve` needs {error.name}: pip install 'hippo-tune[serve]'") from None
    import hippo
    from hippo.engines.hosted import HostedEngine
    from hippo.plan.urls import shown_url
    from hippo.server.guard import Guard
    from hippo.server.service import StudyService
    from hippo.server.tokens import TokenFile
    from hippo.study.interrupts import heard_once, is_ended_by_hanging_up
    from hippo.study.runtimes import close_runtime

    check_host(host, has_tokens=tokens is not None)
    known = None if tokens is None else TokenFile(tokens)
    if known is not None:
        known.entries()
    find_modules_here()
    cluster = JoinedCluster(workers=workers) if hosts else None
    if workers == 0 and cluster is None:
        raise OptionError("--workers 0 trains nothing here, and nobody else may: give --hosts, too")
    engine = hippo.LocalEngine(workers=workers) if cluster is None else HostedEngine(cluster)
    service = StudyService(
        storage,
        engine=engine,
        checkpoints=checkpoints,
        trainers=trainers,
        custom_sequences=custom_sequences,
        checkpoint_budget=checkpoint_budget,
        withdraw_after_s=withdraw_after,
    )
    guard, beside = Guard(known), {}
    if dashboard:
        acts = ServiceActs(service, most_steps=max_steps)
        beside = {"/dashboard": make_dashboard(service.store, guard=guard, acts=acts)}
    app = make_app(service, guard, most_steps=max_steps, beside=beside, hosts=cluster)
    server = WebServer(app, host=host, port=port, goodbye=None if cluster is None else cluster.end)
    shown = f"[{host}]" if ":" in host else host
    say(f"serving {shown_url(service.store.url)} at http://{shown}:{server.port}; Ctrl-C ends it, and no study is lost")
    if dashboard:
        say(f"a browser sees its studies at http://{shown}:{server.port}/dashboard/")
    if cluster is not None:
        say(f"other machines train for it by `hippo join http://{shown}:{server.port}`")
    hear = heard_once(_end)
    signal.signal(signal.SIGTERM, lambda number, frame: hear(number))  # the server raises it once more at its end
    if is_ended_by_hanging_up():
        signal.signal(signal.SIGHUP, lambda number, frame: signal.raise_signal(signal.SIGTERM))  # the server's to hear
    try:
        server.run()
    finally:
        say("stopping when the running steps end (Ctrl-C again: at once)")
        service.end()
        close_runtime(engine, stop_timeout_s=_STOP_S if cluster is None else _STOP_S - END_S)


def _end(number: int) -> NoReturn:
    """End as Ctrl-C does: what runs comes to the end of its step, and is kept."""
    raise SystemExit(128 + number)


@click.group()
def token() -> None:
    """Look after the tokens of a service: who may read, train or administrate there."""


@token.command()
@click.argument("name")
@_tokens_option
@click.option("--right", type=click.Choice(["join", "read", "write", "admin"]), default="write", show_default=True)
@click.option("--share", type=float, default=1.0, show_default=True, help="Its part of device-seconds, beside others'.")
@click.option("--priority", type=int, default=0, show_default=True, help="Larger goes first; others get what is left.")
def add(name: str, tokens: Path, right: str, share: float, priority: int) -> None:
    """Make a token called NAME, and print it: it is shown this once."""
    from hippo.server.tokens import TokenFile

    click.echo(TokenFile(tokens).add(name, right, share=share, priority=priority))
    say(f"this token is kept nowhere else; in a URL: http://{name}:TOKEN@HOST:8400")


@token.command(name="list")
@_tokens_option
def list_tokens(tokens: Path) -> None:
    """List names, rights, shares and priorities."""
    from hippo.server.tokens import TokenFile

    for entry in TokenFile(tokens).entries():
        click.echo(f"{entry.name}\t{entry.right}\t{entry.share:g}\t{entry.priority}")


@token.command()
@click.argument("name")
@_tokens_option
def revoke(name: str, tokens: Path) -> None:
    """Let the token called NAME open nothing any more, from the next request on."""
    from hippo.server.tokens import TokenFile

    TokenFile(tokens).revoke(name)
