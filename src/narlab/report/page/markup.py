"""HTML that can't be broken by what is put into it: every text is escaped unless it is markup already."""

import base64
import re
from collections.abc import Iterable
from functools import cache, lru_cache
from html import escape

VOID = {"meta", "img", "input", "br"}


class Markup(str):
    """Text that is HTML already; only functions of this layer make it."""


def element(name: str, /, *children: str, **attributes: str | bool | None) -> Markup:
    """An element; `class_` stands for the attribute class, `data_x` for data-x, `True` for one without a value."""
    given = "".join(_attribute(key, value) for key, value in attributes.items())
    if name in VOID:
        return Markup(f"<{name}{given}>")
    return Markup(f"<{name}{given}>{joined(children)}</{name}>")


often = lru_cache(10_000, typed=True)(element)
"""An element that stands in a page many times: made once. A text and markup that reads the same are two things."""


def joined(children: Iterable[str], between: str = "") -> Markup:
    """Markup as it is and texts escaped, one after the other."""
    return Markup(between.join(child if isinstance(child, Markup) else escape(child) for child in children))


def breakable(name: str) -> Markup:
    """A name that may go to the next line after a slash or an underscore."""
    return joined(re.split(r"(?<=[/_])", name), "<wbr>")


def data_uri(content: bytes, kind: str) -> str:
    """The content as an address that needs no network."""
    return f"data:{kind};base64,{base64.b64encode(content).decode()}"


def _attribute(key: str, value: str | bool | None) -> str:
    if value is None or value is False:
        return ""
    return f" {_name(key)}" if value is True else f' {_name(key)}="{escape(value)}"'


@cache
def _name(key: str) -> str:
    """An attribute's name in HTML."""
    return key.rstrip("_").replace("_", "-")
