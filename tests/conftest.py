"""Settings of all tests."""

from shutil import which

import pytest
import torch

from narlab import data, models
from narlab.models import processors


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--golden", default="../shared/golden", help="folder of the models' golden arrays")


def pytest_configure() -> None:
    torch.set_num_threads(1)  # tests run side by side, and threads that wait for each other are slow then


@pytest.fixture(scope="session")
def batch_of():
    """A small batch of an algorithm."""

    def make(name, *, n=6, count=3, seed=1, hints=False, **options):
        return models.make_batch(data.custom(name, n=n, count=count, seed=seed, hints=hints, **options), seed)

    return make


@pytest.fixture(scope="session")
def browser():
    """Chromium without a window and without a network."""
    from playwright.sync_api import sync_playwright

    path = which("chromium")
    assert path, "these tests need Debian's chromium; remedy: make page-test"
    options = ["--no-sandbox", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"]
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=path, args=options)
        yield chromium
        chromium.close()


@pytest.hookimpl(tryfirst=True)  # before pytest-xdist looks for groups
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run all tests of one algorithm in one process, so that each algorithm is compiled once; and those of a kernel."""
    for item in items:
        group = _compiled_for(getattr(item, "callspec", None))
        if group and item.get_closest_marker("xdist_group") is None:
            item.add_marker(pytest.mark.xdist_group(group))


def _compiled_for(call):
    """What takes long to compile and a test with these parameters needs."""
    given = call.params if call else {}
    if given.get("processor") in processors.names():
        kernel = processors.get(given["processor"]).kernel
        return kernel and kernel.__module__
    return given.get("name")
