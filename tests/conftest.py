"""Settings of all tests."""

import gc
from shutil import which

import pytest
import torch

from narlab import data, models
from narlab.models import processors


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--golden", default="../shared/golden", help="folder of the models' golden arrays")


def pytest_configure() -> None:
    torch.set_num_threads(1)  # tests run side by side, and threads that wait for each other are slow then


def pytest_collection_finish() -> None:
    gc.collect()
    gc.freeze()  # what is loaded by now stays, and need not be looked through for garbage again and again
    gc.set_threshold(100_000, 50, 100)


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
    """Compile everything once: tests of one algorithm in one process, then those of one kernel, then the others.

    Tests of kernels go through many algorithms, and would wait for the other process to have compiled them.
    """
    first = {}
    for item in items:
        algorithm, kernel = _compiled_for(getattr(item, "callspec", None))
        if (kernel or algorithm) and item.get_closest_marker("xdist_group") is None:
            item.add_marker(pytest.mark.xdist_group(kernel or algorithm))
        grouped = item.get_closest_marker("xdist_group") is not None  # those that stand alone fill what is left of time
        first[item] = 1 if kernel else 0 if algorithm else 2 if grouped else 3
    items.sort(key=first.__getitem__)


def _compiled_for(call):
    """The algorithm and the kernel that take long to compile and that a test with these parameters needs."""
    given = call.params if call else {}
    kernel = given.get("processor") in processors.names() and processors.get(given["processor"]).kernel
    return given.get("name"), kernel and kernel.__module__
