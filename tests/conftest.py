"""Settings of all tests."""

import pytest


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--golden", default="../shared/golden", help="folder of the models' golden arrays")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run all tests of one algorithm in one process, so that each algorithm is compiled once."""
    for item in items:
        name = getattr(item, "callspec", None) and item.callspec.params.get("name")
        if name:
            item.add_marker(pytest.mark.xdist_group(name))
