"""The playground in a browser on this machine: one page, its files, and scenes as JSON.

Only this machine can connect, and only who knows the token in the address gets anything. A browser must have been sent
by the page itself: requests for other hosts, or from other origins, are refused. The page may load and ask nothing but
this server. A mistake is answered in one line; what went wrong inside is told in the terminal only.
"""

import json
import secrets
import sys
import traceback
from collections.abc import Callable
from http import HTTPStatus
from socketserver import ThreadingMixIn
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

from bottle import Bottle, HTTPError, HTTPResponse, request, response

from narlab.common.errors import UsageError
from narlab.play.page_files import KINDS, page_files
from narlab.play.playground import Playground, Start
from narlab.training.environment import Machine

LOOPBACK = "127.0.0.1"
LARGEST_REQUEST = 2**20  # bytes; an instance of 64 nodes has a tenth of it
PATIENCE = 30  # seconds for a request to come in
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


class PlayServer:
    """Serves a playground at `address` until it is stopped."""

    def __init__(self, playground: Playground, start: Start, port: int = 0) -> None:
        self.playground, self.start, self.token = playground, start, secrets.token_urlsafe(24)
        self.files = page_files()
        try:
            self._server = make_server(LOOPBACK, port, self._application(), _Server, _Handler)
        except (OSError, OverflowError) as error:
            raise UsageError(f"port {port} can't be used: {error}; leave --port out for a free one") from None
        self.hosts = tuple(f"{name}:{self._server.server_port}" for name in (LOOPBACK, "localhost"))

    @property
    def address(self) -> str:
        return f"http://{self.hosts[0]}/{self.token}/"

    def serve(self) -> None:
        """Answer until `stop` is called from another thread, or the process is interrupted."""
        try:
            with Machine.of("cpu", 1).limited():  # one instance is too little work to share
                self._server.serve_forever(poll_interval=0.1)
        finally:
            self._server.server_close()

    def stop(self) -> None:
        self._server.shutdown()

    def _application(self) -> Bottle:
        app = Bottle()
        app.default_error_handler = _error
        app.add_hook("before_request", self._check)
        app.add_hook("after_request", lambda: response.headers.update(HEADERS))
        app.route("/<token>/", callback=lambda token: self._file("index.html"))
        app.route("/<token>/<name>", callback=lambda token, name: self._file(name))
        app.route("/<token>/ask/start", callback=self._answer(lambda: self._start()))
        app.route("/<token>/ask/scene", method="POST", callback=self._answer(lambda: self._scene()))
        return app

    def _check(self) -> None:
        """Refuse whoever does not come from our own page."""
        host, origin = request.get_header("Host", ""), request.get_header("Origin")
        if host not in self.hosts:
            raise HTTPError(HTTPStatus.MISDIRECTED_REQUEST, f"this server is {self.hosts[0]}, not {host!r}")
        if origin is not None and origin not in [f"http://{name}" for name in self.hosts]:
            raise HTTPError(HTTPStatus.FORBIDDEN, f"requests from {origin!r} are refused")
        if not secrets.compare_digest(request.path.split("/")[1].encode(), self.token.encode()):
            raise HTTPError(HTTPStatus.FORBIDDEN, "the address lacks the token that `narlab play` has printed")

    def _file(self, name: str) -> HTTPResponse:
        if name not in self.files:
            raise HTTPError(HTTPStatus.NOT_FOUND, f"there is no file {name!r}")
        kind = KINDS[name[name.rindex(".") :]]
        return HTTPResponse(self.files[name], headers={"Content-Type": f"{kind}; charset=utf-8", **HEADERS})

    def _start(self) -> dict[str, Any]:
        return {**self.playground.described(), "start": self.start.request()}

    def _scene(self) -> dict[str, Any]:
        if not request.content_type.startswith("application/json"):
            raise HTTPError(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "a request must be application/json")
        if not 0 <= request.content_length <= LARGEST_REQUEST:
            most = f"a request must say its length, and have at most {LARGEST_REQUEST} bytes"
            raise HTTPError(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, most)
        try:
            asked = json.loads(request.body.read(LARGEST_REQUEST))
        except (ValueError, RecursionError) as error:
            raise HTTPError(HTTPStatus.BAD_REQUEST, f"a request must be JSON: {error}") from None
        return self.playground.scene(asked)

    def _answer(self, work: Callable[[], dict[str, Any]]) -> Callable[..., HTTPResponse]:
        """What `work` returns as JSON; a user's mistake as one line, any other error as one and in the terminal."""

        def answer(token: str) -> HTTPResponse:
            try:
                return _as_json(HTTPStatus.OK, work())
            except UsageError as error:
                return _as_json(HTTPStatus.UNPROCESSABLE_ENTITY, {"error": _one_line(error)})
            except HTTPResponse:
                raise
            except Exception as error:
                traceback.print_exc(file=sys.stderr)
                said = f"narlab failed on this ({type(error).__name__}); the terminal says more"
                return _as_json(HTTPStatus.INTERNAL_SERVER_ERROR, {"error": said})

        return answer


def _one_line(error: object) -> str:
    return " ".join(str(error).split())


def _as_json(status: HTTPStatus, content: dict[str, Any]) -> HTTPResponse:
    body = json.dumps(content, allow_nan=False, separators=(",", ":")).encode()
    return HTTPResponse(body, int(status), headers={"Content-Type": "application/json", **HEADERS})


def _error(error: HTTPError) -> str:
    """The answer to what no route took: one line, never a traceback."""
    response.content_type = "application/json"
    response.headers.update(HEADERS)
    return json.dumps({"error": _one_line(error.body)})


class _Server(ThreadingMixIn, WSGIServer):
    daemon_threads = True


class _Handler(WSGIRequestHandler):
    timeout = PATIENCE

    def log_message(self, format: str, *arguments: Any) -> None:
        """Nobody wants to read of every request."""
