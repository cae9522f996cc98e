"""The private parts of tyro that one-line messages are made with: a version without them is noticed here."""

import importlib.metadata

import pytest
from tyro import _errors

from narlab.cli import main


def test_tyro_has_the_errors_that_we_read():
    assert importlib.metadata.version("tyro").startswith("1.0.")
    for name in ("BadValue", "InstantiationFailure", "InvalidChoice", "MissingArgs", "UnrecognizedArgs"):
        assert isinstance(getattr(_errors, name), type)
    assert callable(_errors.on_parse_error)


def test_a_mistake_of_ours_shows_where_it_is(monkeypatch):
    """An error that is no user's mistake, such as NumPy's or a plugin's, is not shown as one."""

    def broken():
        raise ValueError("operands could not be broadcast together")

    monkeypatch.setattr("narlab.algorithms.names", broken)
    with pytest.raises(ValueError, match="broadcast"):
        main(["algorithms"])
