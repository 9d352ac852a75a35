"""`hippo dashboard`: studies in a browser, while they run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from hippo.cli.options import check_storage, price_option, storage_option
from hippo.cli.output import say
from hippo.errors import OptionError

if TYPE_CHECKING:
    from hippo.server.serving import WebServer

_PORT = 8411
#: so many ports behind the first are tried, if nobody asked for one
_TRIED = 20


@click.command()
@click.argument("database", metavar="[STORAGE]", required=False)
@storage_option
@click.option("--port", type=click.IntRange(0, 65535), help=f"Port to listen at; 0: a free one.  [default: {_PORT}]")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address of this machine to listen at.")
@price_option
def dashboard(database: str | None, storage: str, port: int | None, host: str, price: float | None) -> None:
    """Show the studies of STORAGE, which may be given as --storage, too, in a browser, while they run, until Ctrl-C.

    It reads the database in a process of its own, and changes nothing. Where optuna-dashboard is installed, Optuna's
    page of them is at /optuna. Only this machine is answered; from another one, let ssh carry it:
    ssh -L 8411:127.0.0.1:8411 HOST.
    """
    check_storage(database or storage)
    try:
        from hippo.dashboard.app import make_dashboard
        from hippo.dashboard.prefetching import PrefetchingDashboard
        from hippo.server.serving import check_host
    except ImportError as error:
        raise OptionError(f"`hippo dashboard` needs {error.name}: pip install 'hippo-tune[serve]'") from None
    from hippo.plan import opened_store

    check_host(host, has_tokens=False)
    with opened_store(database or storage, must_exist=True) as store:
        app = PrefetchingDashboard(make_dashboard(store, optuna_storage=database or storage, price=price))
        server = _listening(app, host, port)
        shown = f"[{host}]" if ":" in host else host
        if port is None and server.port != _PORT:
            say(f"port {_PORT} is taken, so this is the next free one")
        say(f"the studies of {store.url} are at http://{shown}:{server.port}; Ctrl-C ends it, and no study")
        server.run()


def _listening(app: Any, host: str, port: int | None) -> WebServer:
    """Listen at a port; if none was asked for, at the first free one from the usual one on.

    Raises:
      OptionError: there is none.
    """
    from hippo.server.serving import WebServer

    if port is not None:
        return WebServer(app, host=host, port=port, has_lifespan=True)
    for each in range(_PORT, _PORT + _TRIED):
        try:
            return WebServer(app, host=host, port=each, has_lifespan=True)
        except OptionError:
            continue
    return WebServer(app, host=host, port=0, has_lifespan=True)
