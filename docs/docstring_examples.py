"""Shows the examples of docstrings as code: paragraphs that begin with a prompt, and lists of command lines.

An extension of griffe, which reads the docstrings for mkdocstrings (mkdocs.yml).
"""

import re
from typing import Any

import griffe

EXAMPLE = re.compile(r"(?:^|\n\n)(>>> .*?)(?=\n\n|\Z)", re.DOTALL)
COMMANDS = re.compile(r"^Examples?:\s+((?:narlab .*\s*)+)$", re.MULTILINE)


class DocstringExamples(griffe.Extension):
    """Puts each example of a docstring into a fence of its own."""

    def on_instance(self, *, obj: griffe.Object, **_: Any) -> None:
        if obj.docstring is not None:
            text = EXAMPLE.sub(r"\n\n```pycon\n\1\n```", obj.docstring.value)
            obj.docstring.value = COMMANDS.sub(_fenced, text)


def _fenced(commands: re.Match[str]) -> str:
    lines = (line.strip() for line in commands[1].splitlines())
    return "For example\n\n```sh\n" + "\n".join(lines) + "\n```\n"
