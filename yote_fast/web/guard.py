"""Who may talk to the server, and how much: a layer around the application.

A page of another site must not reach a board on this machine. So the Host must be a name of this server (which stops DNS
rebinding), a browser's Origin must be the server itself, and a server for other machines asks for a token, which the first
request brings in its address and a cookie keeps.
"""

from __future__ import annotations

import ipaddress
import re
import secrets
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs, urlencode

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

MAX_URL = 2048
LOOPBACK_NAMES = frozenset({"localhost", "127.0.0.1", "[::1]"})
TOKEN = re.compile(r"[A-Za-z0-9_.~-]{8,200}")

CONTENT_SECURITY_POLICY = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    ]
)
SECURITY_HEADERS = {
    "Content-Security-Policy": CONTENT_SECURITY_POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Cache-Control": "no-cache",
}


@dataclass(frozen=True)
class Policy:
    """Whom the server answers."""

    names: Collection[str] = LOOPBACK_NAMES
    """Hosts, without a port, that this server goes by."""
    any_address: bool = False
    """Whether it also goes by any IP address, as a server on all interfaces does; an address cannot be rebound."""
    token: str | None = None


class Guard:
    """The application, for those whom a policy allows."""

    def __init__(self, app: ASGIApp, policy: Policy) -> None:
        self.app = app
        self.policy = policy

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return

        async def send_safely(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(SECURITY_HEADERS)
            await send(message)

        refusal = self._refusal(scope)
        if refusal is None:
            await self.app(scope, receive, send_safely)
        elif scope["type"] == "http":
            await refusal(scope, receive, send_safely)
        else:
            await send({"type": "websocket.close", "code": 1008})

    def _refusal(self, scope: Scope) -> Response | None:
        """Why a request is not answered; None if it is."""
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if not self._is_ours(host):
            return _refuse(421, f"This server does not go by the name {host[:100]!r}.")
        # A browser always sends the origin of a script's request. Where there is none, it is a link, or no browser.
        origin = headers.get("origin")
        if origin is not None and origin not in (f"http://{host}", f"https://{host}"):
            return _refuse(403, "Requests from pages of other sites are not answered.")
        if len(scope["path"]) + len(scope["query_string"]) > MAX_URL:
            return _refuse(414, f"The address is longer than {MAX_URL} characters.")
        if headers.get("content-length", "0") != "0" or "transfer-encoding" in headers:
            return _refuse(413, "This server takes no request bodies.")
        return self._ask_for_token(scope, headers)

    def _is_ours(self, host: str) -> bool:
        name = re.sub(r":[0-9]{1,5}$", "", host.lower())
        return name in self.policy.names or (self.policy.any_address and _is_address(name))

    def _ask_for_token(self, scope: Scope, headers: Headers) -> Response | None:
        token = self.policy.token
        if token is None:
            return None
        cookie = f"yote_token_{(scope.get('server') or ('', 0))[1]}"
        if _same(_cookie(headers, cookie), token):
            return None
        query = parse_qs(scope["query_string"].decode("latin-1"))
        given = query.pop("token", [""])[0]
        if not _same(given, token):
            return _refuse(401, "This server wants an access token: open the whole address that `yote serve` printed.")
        if scope["type"] == "websocket":
            return None
        # The token goes into a cookie and out of the address, where it could be passed on by mistake.
        rest = urlencode(query, doseq=True)
        path = "/" + scope["path"].lstrip("/")
        response = RedirectResponse(path + ("?" + rest if rest else ""), 303)
        response.set_cookie(cookie, token, httponly=True, samesite="lax", secure=scope["scheme"] == "https")
        return response


def _refuse(status: int, why: str) -> Response:
    return PlainTextResponse(why + "\n", status)


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name.removeprefix("[").removesuffix("]"))
    except ValueError:
        return False
    return True


def _cookie(headers: Headers, name: str) -> str:
    try:
        cookies = SimpleCookie(headers.get("cookie", ""))
    except CookieError:
        return ""
    return cookies[name].value if name in cookies else ""


def _same(given: str, token: str) -> bool:
    return secrets.compare_digest(given.encode(errors="replace"), token.encode())


def check_token(token: str) -> str:
    """The token, if it can be part of an address and is not too easily guessed; ValueError if not."""
    if not TOKEN.fullmatch(token):
        raise ValueError("the token must have 8 to 200 characters, all of them letters, digits or one of _ . ~ -")
    return token


def with_names(names: Iterable[str]) -> frozenset[str]:
    """The names of this machine itself, and others."""
    return LOOPBACK_NAMES | {f"[{name}]" if ":" in name and not name.startswith("[") else name.lower() for name in names}
