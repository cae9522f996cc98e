"""What every reader of files relies on."""

import pytest

from narlab.common import files
from narlab.common.errors import UsageError


def test_json_that_says_a_thing_twice_is_refused():
    assert files.parse_json('{"a": 1, "b": {"a": 2}}') == {"a": 1, "b": {"a": 2}}
    with pytest.raises(UsageError, match="'a' stands in it twice"):
        files.parse_json('{"b": {"a": 1, "a": 2}}')
