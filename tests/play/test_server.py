"""The server: who may ask, what it answers, and that nobody else hears anything."""

import http.client
import json
import socket
import sys
from contextlib import contextmanager
from threading import Thread

import pytest

from narlab.cli import main
from narlab.play import Playground, Start
from narlab.play.page_files import page_files
from narlab.play.server import HEADERS, LARGEST_REQUEST, PlayServer

MOST_BYTES = 300_000


@contextmanager
def serving(start=None, port=0):
    server = PlayServer(Playground(), start or Start("bfs", n=5), port)
    thread = Thread(target=server.serve)
    thread.start()
    try:
        yield server
    finally:
        server.stop()
        thread.join()


@pytest.fixture(scope="module")
def server():
    with serving() as running:
        yield running


def ask(server, path, *, method="GET", body=None, headers=None):
    """Status, headers and text; `path` stands behind the token unless it begins with a slash."""
    host, port = server.hosts[0].split(":")
    connection = http.client.HTTPConnection(host, int(port), timeout=60)
    where = path if path.startswith("/") else f"/{server.token}/{path}"
    connection.request(method, where, body, headers or {})
    response = connection.getresponse()
    text = response.read().decode()
    connection.close()
    return response.status, dict(response.getheaders()), text


def post(server, request, **headers):
    body = request if isinstance(request, str) else json.dumps(request)
    headers = {"Content-Type": "application/json"} | headers
    status, _, text = ask(server, "ask/scene", method="POST", body=body, headers=headers)
    return status, json.loads(text)


def test_the_page_and_its_files_are_small_and_its_own(server):
    files = page_files()
    assert sum(map(len, files.values())) < MOST_BYTES
    for name, content in files.items():
        status, headers, text = ask(server, "" if name == "index.html" else name)
        assert (status, text) == (200, content.decode())
        assert "://" not in text.replace("http://www.w3.org/2000/svg", "")
        assert {key: headers[key] for key in HEADERS} == HEADERS
    assert "default-src 'none'" in HEADERS["Content-Security-Policy"]


def test_a_scene(server):
    status, start = ask(server, "ask/start")[::2]
    assert status == 200
    request = json.loads(start)["start"]
    status, scene = post(server, request)
    assert (status, scene["algorithm"], len(scene["outputs"]["pi"])) == (200, "bfs", 5)
    again = post(server, {"algorithm": "bfs", "inputs": scene["inputs"], "places": False})[1]
    assert (again["outputs"], again["places"]) == (scene["outputs"], None)


def test_only_this_machine_can_connect(server):
    assert server.address.startswith("http://127.0.0.1:")
    port = int(server.hosts[0].split(":")[1])
    with socket.socket() as other:
        other.bind(("127.0.0.2", port))  # would be taken if the server listened everywhere


def test_nothing_without_the_token(server):
    almost = server.token[:-1] + ("y" if server.token.endswith("x") else "x")
    for path in ("/", "/style.css", f"/{almost}/", "/ask/start", f"/x{server.token}/ask/start", "//"):
        status, _, text = ask(server, path)
        assert (status, list(json.loads(text))) == (403, ["error"]), path
        assert server.token not in text


@pytest.mark.parametrize("host", ["narlab.example", "127.0.0.1", "127.0.0.1:1", "localhost.example:80", ""])
def test_foreign_hosts_are_refused(server, host):
    assert ask(server, "", headers={"Host": host})[0] == 421


@pytest.mark.parametrize("origin", ["http://narlab.example", "null", "https://127.0.0.1", "http://127.0.0.1:1"])
def test_foreign_origins_are_refused(server, origin):
    assert ask(server, "ask/start", headers={"Origin": origin})[0] == 403
    assert post(server, {"algorithm": "bfs"}, Origin=origin)[0] == 403


def test_our_own_origin_is_welcome(server):
    own = [f"http://{host}" for host in server.hosts]
    assert [post(server, {"algorithm": "bfs", "n": 4}, Origin=origin)[0] for origin in own] == [200, 200]


@pytest.mark.parametrize(
    ("request_", "status", "said"),
    [
        ({"algorithm": "bsf"}, 422, "did you mean 'bfs'"),
        ({"algorithm": "bfs", "inputs": {"pos": [["a"]]}}, 422, "input 'pos' must be an array of numbers"),
        ({"algorithm": "bfs", "inputs": {"pos": {}}}, 422, "input 'pos' must be an array of numbers"),
        ({"algorithm": "bfs", "inputs": {"pos": [[[1], [1, 2]]], "s": 0, "A": 0, "adj": 0}}, 422, "one array"),
        ({"algorithm": "minimum", "inputs": {"pos": [[0.0]], "key": [[float("nan")]]}}, 422, "must be finite"),
        ({"algorithm": "minimum", "inputs": {"pos": [[0.0]], "key": [[{}]]}}, 422, "array of numbers"),
        ({"algorithm": ["bfs"]}, 422, "unknown algorithm"),
        ({"algorithm": "bfs", "seed": "x"}, 422, "seed must be an integer"),
        ({"algorithm": "bfs", "graphs": 5}, 422, "graph family is written as text"),
        ("{", 400, "must be JSON"),
        ("[" * 100_000, 400, "must be JSON"),
        ("[]", 422, "must be a dict"),
    ],
)
def test_mistakes_are_one_line(server, request_, status, said, capsys):
    got, answer = post(server, request_)
    assert got == status
    assert said in answer["error"]
    assert "\n" not in answer["error"]
    assert capsys.readouterr().err == ""


def test_our_own_mistakes_show_no_traceback_to_the_page(server, monkeypatch, capsys):
    monkeypatch.setattr(server.playground, "scene", lambda request: 1 / 0)
    status, answer = post(server, {})
    assert (status, list(answer)) == (500, ["error"])
    assert "Traceback" not in answer["error"]
    assert "ZeroDivisionError: " in capsys.readouterr().err


def test_what_can_not_be_asked(server):
    assert ask(server, "nothing.js")[0] == 404
    assert ask(server, "../server.py")[0] in (403, 404)
    assert ask(server, "ask/scene")[0] == 405
    assert post(server, {}, **{"Content-Type": "text/plain"})[0] == 415
    too_long = {"Content-Type": "application/json", "Content-Length": str(LARGEST_REQUEST + 1)}
    for headers in (too_long, {"Content-Type": "application/json", "Transfer-Encoding": "chunked"}):
        status, _, text = ask(server, "ask/scene", method="POST", headers=headers)
        assert (status, list(json.loads(text))) == (413, ["error"])


def test_a_port_that_is_taken(server):
    from narlab.common.errors import UsageError

    port = int(server.hosts[0].split(":")[1])
    with pytest.raises(UsageError, match=f"port {port} can't be used"):
        PlayServer(Playground(), Start("bfs"), port)


def test_the_command_serves_until_it_is_interrupted(monkeypatch, capsys):
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)

    def interrupted(self):
        self._server.server_close()
        raise KeyboardInterrupt

    monkeypatch.setattr(PlayServer, "serve", interrupted)
    main(["play", "bfs", "--n", "4"])
    said = capsys.readouterr().out
    assert opened == [said.split()[2]]
    main(["play", "bfs", "--n", "4", "--no-browser"])
    assert len(opened) == 1


def test_without_bottle_the_command_says_what_to_install(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "bottle", None)
    monkeypatch.delitem(sys.modules, "narlab.play.server")
    with pytest.raises(SystemExit):
        main(["play", "bfs"])
    assert "pip install 'narlab[play]'" in " ".join(capsys.readouterr().err.split())
