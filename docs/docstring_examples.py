"""Shows the examples of docstrings as code: paragraphs that begin with a prompt are set in a fence.

An extension of griffe, which reads the docstrings for mkdocstrings (mkdocs.yml).
"""

import re
from typing import Any

import griffe

EXAMPLE = re.compile(r"(?:^|\n\n)(>>> .*?)(?=\n\n|\Z)", re.DOTALL)


class DocstringExamples(griffe.Extension):
    """Puts each example of a docstring into a fence of its own."""

    def on_instance(self, *, obj: griffe.Object, **_: Any) -> None:
        if obj.docstring is not None:
            obj.docstring.value = EXAMPLE.sub(r"\n\n```pycon\n\1\n```", obj.docstring.value)
