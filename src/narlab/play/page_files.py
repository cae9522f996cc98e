"""The files of the page, as the browser gets them."""

from importlib.resources import files

KINDS = {".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}


def page_files() -> dict[str, bytes]:
    """The files of the page by name."""
    folder = files("narlab.play") / "page"
    return {file.name: file.read_bytes() for file in folder.iterdir() if file.name.endswith(tuple(KINDS))}
