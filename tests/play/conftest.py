"""A server and a page that notices every error and every request."""

from shutil import copytree
from threading import Thread

import pytest

LIGHT, DARK = "light", "dark"


NOISES = (0.2, 0.15, 0.12, 0.1, 0.09, 0.08, 0.07, 0.06, 0.05)  # how much other weights bear changes with them


@pytest.fixture(scope="session")
def rival(tmp_path_factory):
    """A run folder with a model of depth-first search that is right, different and wrong on the page's first graph."""
    from narlab.training import pretrained
    from narlab.training.folder import Folder

    folder = Folder(copytree(pretrained.folder("dfs"), tmp_path_factory.mktemp("runs") / "rival"))
    weights, facts = folder.read_tensors("best.safetensors")
    for noise in NOISES:
        folder.write_tensors("best.safetensors", disturbed(weights, noise), facts)
        if all(counts_of_first_step(str(folder.path))):
            return str(folder.path)
    raise AssertionError(f"no noise of {NOISES} leaves answers of every kind")


def disturbed(weights, noise):
    import torch

    drawn = torch.Generator().manual_seed(0)
    return {name: value + noise * torch.randn(value.shape, generator=drawn) for name, value in sorted(weights.items())}


def counts_of_first_step(folder):
    """How many answers are right, different and wrong after one step."""
    from narlab.play import Playground, Start

    scene = Playground([folder]).scene(Start("dfs", (folder,)).request())
    return scene["answers"][0]["steps"][0]["counts"]


@pytest.fixture(scope="session")
def served(rival):
    """The address of a playground that begins with depth-first search."""
    from narlab.play import Playground, Start
    from narlab.play.server import PlayServer

    server = PlayServer(Playground([rival]), Start("dfs", ("dfs@triangle",)))
    thread = Thread(target=server.serve)
    thread.start()
    yield server.address
    server.stop()
    thread.join()


class Watched:
    """Opens pages, and says what went wrong on any of them."""

    def __init__(self, browser, home):
        self.browser, self.home, self.contexts, self.complaints = browser, home, [], []

    def open(self, address=None, *, width=1400, scheme=LIGHT, ready=True):
        context = self.browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme=scheme, permissions=["clipboard-read"]
        )
        context.set_default_timeout(120_000)  # an algorithm that is new to the machine is compiled first
        self.contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: self.complaints.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("request", self._check)
        page.goto(address or self.home)
        if ready:
            page.locator(".card").first.wait_for()
            settled(page)
        return page

    def _check(self, request):
        if not request.url.startswith((self.home, "data:", "blob:", "file://")):
            self.complaints.append(f"a request to {request.url}")


def settled(page):
    """Wait until nothing is computed and all is drawn."""
    page.locator("#app[aria-busy='false']").wait_for()
    return page


@pytest.fixture
def watched(browser, served):
    watching = Watched(browser, served)
    yield watching
    for context in watching.contexts:
        context.close()
    assert watching.complaints == []
