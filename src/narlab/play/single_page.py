"""One HTML file with everything inside: the page, its modules and scenes with all steps. It needs no server."""

import json
import re
from base64 import b64encode
from collections.abc import Sequence
from html import escape
from typing import Any

from narlab.play.page_files import page_files
from narlab.play.playground import Playground, Start

POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' data:; style-src 'unsafe-inline'; img-src blob: data:; "
    "base-uri 'none'; form-action 'none'"
)
ENTRY = "main.js"
IMPORT = re.compile(r'(from|import) "\./([\w.]+\.js)"')


def single_page(playground: Playground, starts: Sequence[Start], title: str) -> bytes:
    """The page with the scenes of `starts`.

    Modules can't import their neighbours in a file that was not served, so each goes into an import map as a data URL.
    """
    described = playground.described()
    shown = {start.algorithm for start in starts}
    content = {
        **described,
        "algorithms": [each for each in described["algorithms"] if each["name"] in shown],
        "models": [],
        "scenes": [{**playground.scene(start.request()), "seed": start.seed} for start in starts],
    }
    files = {name: content.decode() for name, content in page_files().items()}
    return _assembled(files, content, title).encode()


def _assembled(files: dict[str, str], content: dict[str, Any], title: str) -> str:
    modules = {f"narlab/{name}": _data_url(source) for name, source in files.items() if name.endswith(".js")}
    head = [
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">',
        f"<style>{files['style.css']}</style>",
        f'<script type="importmap">{json.dumps({"imports": modules})}</script>',
        f'<script type="application/json" id="content">{_inside_script(content)}</script>',
        f'<script type="module">import "narlab/{ENTRY}"</script>',
    ]
    page = re.sub(r'\s*<link rel="(?:stylesheet|icon)"[^>]*>', "", files["index.html"])
    page = re.sub(r"<title>.*?</title>", lambda _: f"<title>{escape(title)}</title>", page)
    own = f'<script type="module" src="{ENTRY}"></script>'
    assert own in page, "the page starts by its entry module"
    return page.replace(own, "\n".join(head))


def _data_url(source: str) -> str:
    named = IMPORT.sub(r'\1 "narlab/\2"', source)
    return "data:text/javascript;base64," + b64encode(named.encode()).decode()


def _inside_script(content: dict[str, Any]) -> str:
    """JSON that no `</script>` ends."""
    return json.dumps(content, allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")
