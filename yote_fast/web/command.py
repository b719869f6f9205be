"""The command ``yote serve``. Nothing of the server is imported before it runs."""

from __future__ import annotations

import ipaddress
import secrets
import socket
import threading
from typing import TYPE_CHECKING

import click

from ..limit import MAX_DEPTH

if TYPE_CHECKING:
    from .guard import Policy

PORT = 9683
"""YOTE on the keys of a telephone."""
MAX_REQUEST_HEAD = 16 * 1024
PING_SECONDS = 10
GRACE_SECONDS = 2
SPARE_CONNECTIONS = 100
"""Besides those of the clients' sessions: for the files of the page, and for refusals."""


@click.command(name="serve")
@click.option("-p", "--port", type=click.IntRange(0, 65535), default=PORT, show_default=True, help="0 for any free one.")
@click.option(
    "--host", default="127.0.0.1", show_default=True, help="The address to listen on; any but this machine's needs a token."
)
@click.option(
    "--allow-host",
    "names",
    multiple=True,
    metavar="NAME",
    help="A further name of the server, as behind a proxy.",
)
@click.option("--token", envvar="YOTE_TOKEN", help="The access token; one that is needed and not given is made up.")
@click.option("--open/--no-open", "open_page", default=False, show_default=True, help="Open the page in a browser.")
@click.option("--clients", type=int, default=50, show_default=True, help="Pages connected at the same time.")
@click.option("-t", "--threads", type=int, help="Searches at the same time; one each processor unless given.")
@click.option("--hash", "hash_mb", type=int, default=8, show_default=True, metavar="MB", help="Transposition table of each client.")
@click.option("--tablebase", metavar="FOLDER", help="Endgame tables, for exact values of positions and moves.")
@click.option("--depth", type=int, default=MAX_DEPTH, show_default=True, metavar="PLIES", help="Longest analysis of a position.")
@click.option("--time", "seconds", type=float, default=600.0, show_default=True, metavar="SECONDS", help="The same in time.")
def serve_command(
    port: int,
    host: str,
    names: tuple[str, ...],
    token: str | None,
    open_page: bool,
    clients: int,
    threads: int | None,
    hash_mb: int,
    tablebase: str | None,
    depth: int,
    seconds: float,
) -> None:
    """Serve the analysis board as a web page on this machine. Ctrl-C stops.

    \b
    Examples:
      yote serve --open
      yote serve --port 8080 --hash 64 --clients 4
      yote serve --host 0.0.0.0 --token correct-horse-battery
    """
    try:
        import uvicorn
        import websockets  # noqa: F401

        from ..tablebase import open as open_tablebase
        from .app import Settings, create_app
    except ImportError as error:
        raise click.ClickException(f"the analysis board needs more libraries ({error.name}): pip install yote-fast[web]") from None

    tables = None if tablebase is None else open_tablebase(tablebase)
    settings = Settings(clients=clients, threads=threads, hash_mb=hash_mb, depth=depth, seconds=seconds)
    policy = _policy(host, names, token)
    listener = _listen(host, port)
    address = _address(host, listener.getsockname()[1], policy.token)
    config = uvicorn.Config(
        create_app(settings, policy, tablebase=tables),
        http="h11",
        ws="websockets-sansio",
        ws_max_size=1 << 18,
        ws_per_message_deflate=False,
        ws_ping_interval=PING_SECONDS,
        ws_ping_timeout=PING_SECONDS,
        h11_max_incomplete_event_size=MAX_REQUEST_HEAD,
        limit_concurrency=clients + SPARE_CONNECTIONS,
        timeout_graceful_shutdown=GRACE_SECONDS,
        log_level="warning",
        server_header=False,
    )
    click.echo(f"The analysis board is at {address}\nCtrl-C stops.")
    if open_page:
        import webbrowser

        threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
    try:
        uvicorn.Server(config).run(sockets=[listener])
    except KeyboardInterrupt:
        # The ordinary way to stop; the server has cleaned up before it passes this on.
        pass
    finally:
        listener.close()


def _policy(host: str, names: tuple[str, ...], token: str | None) -> Policy:
    from .guard import Policy, check_token, with_names

    local = _is_loopback(host) and not names
    if token is None and not local:
        token = secrets.token_urlsafe(16)
    if _is_wildcard(host):
        return Policy(with_names([*names, socket.gethostname()]), True, check_token(token or ""))
    return Policy(with_names([*names, host]), False, None if token is None else check_token(token))


def _listen(host: str, port: int) -> socket.socket:
    try:
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        return socket.create_server(address[:2], family=family, backlog=128)
    except OSError as error:
        raise click.ClickException(f"cannot listen on {host} port {port}: {error.strerror or error}") from None


def _address(host: str, port: int, token: str | None) -> str:
    if _is_wildcard(host):
        host = "::1" if ":" in host else "127.0.0.1"
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/" + (f"?token={token}" if token else "")


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _is_wildcard(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_unspecified
    except ValueError:
        return not host
