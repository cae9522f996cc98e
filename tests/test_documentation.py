"""Every code block of the documentation does what it says.

The blocks of a page are run in order, in one folder and one Python session, as a reader would. Their languages say how:

- `python` is run; with prompts, its results are compared;
- `python title="mine.py"`, likewise `toml` and `json`, is written to that file;
- `sh` and `console` are commands, a console's behind `$ ` and with what they print;
- `text` is anything else: diagrams, output.

A comment above a block may say `<!-- slow: why -->`, and the block is left to `make slow`, or `<!-- not run: why -->`:
then its commands must at least be ones that can be read. So it is with `make`, `git` and `pip`, which change the
machine; but a package of the checkout that a page installs is installed, beside the page's other files.
"""

import doctest
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from narlab.cli import command_class, command_names, main

ROOT = Path(__file__).parents[1]
OUTSIDE = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "examples/extension/README.md")]
PAGES = [*OUTSIDE, *sorted((ROOT / "docs").rglob("*.md"))]
FENCE = re.compile(
    r"(?:^<!-- (?P<mark>[\w ]+): (?P<reason>[^>]+) -->\n)?"
    r"^```(?P<language>\w*)(?: title=\"(?P<title>[^\"]+)\")?\n(?P<text>.*?)^```$",
    re.DOTALL | re.MULTILINE,
)
SHELL, SHOWN = ("sh", "console"), ("text",)
PARSERS = {"json": json.loads, "toml": tomllib.loads}
OF_A_SHELL = re.compile(r"[|<>&;=]")  # what only a shell understands


@dataclass(frozen=True)
class Block:
    """A code block and where it is."""

    page: str
    line: int
    language: str
    text: str
    title: str | None
    mark: str | None

    @property
    def commands(self) -> list[str]:
        """The command lines of a shell block, without what they print."""
        lines = self.text.replace("\\\n", " ").splitlines()
        if self.language == "console":
            lines = [line.removeprefix("$ ") for line in lines if line.startswith("$ ")]
        return [line for line in lines if line.strip() and not line.startswith("#")]


def blocks(page: Path) -> list[Block]:
    text, name = page.read_text("utf-8"), page.relative_to(ROOT).as_posix()
    return [
        Block(name, text[: m.start("text")].count("\n") + 1, m["language"], m["text"], m["title"], m["mark"])
        for m in FENCE.finditer(text)
    ]


BLOCKS = {page.relative_to(ROOT).as_posix(): blocks(page) for page in PAGES}
RUN = {name: found for name, found in BLOCKS.items() if any(block.language not in SHOWN for block in found)}
WITH_SLOW = [name for name, found in RUN.items() if any(block.mark == "slow" for block in found)]


@pytest.mark.parametrize("page", sorted(BLOCKS))
def test_every_block_says_what_it_is(page):
    text = (ROOT / page).read_text("utf-8")
    fences = re.findall(r"^\s*```", text, re.MULTILINE)
    assert len(fences) == 2 * len(BLOCKS[page]), f"{page}: a fence that is not understood"
    for block in BLOCKS[page]:
        where = f"{page}:{block.line}"
        assert block.language in (*SHELL, *PARSERS, *SHOWN, "python"), f"{where}: name the language, text if it is none"
        assert block.mark in (None, "slow", "not run"), f"{where}: {block.mark!r} is no mark; slow and not run are"
        if block.language in SHOWN:
            assert not re.search(r"^(\$ )?(narlab|pip|make) ", block.text, re.MULTILINE), f"{where}: these are commands"


@pytest.mark.parametrize("page", OUTSIDE, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_to_files(page):
    links = re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text("utf-8"))  # those of the site, MkDocs looks at
    assert links
    assert [link for link in links if not (page.parent / link).exists()] == []


@dataclass
class Reader:
    """Somebody who follows a page: types its commands, runs its Python, writes its files."""

    folder: Path
    names: dict = field(default_factory=lambda: {"__name__": "__main__"})
    installed: Path | None = None  # where the page's packages are; they are seen by new processes only

    def follow(self, block: Block) -> None:
        if block.title is not None:
            (self.folder / block.title).write_text(block.text)
        elif block.language in SHELL:
            for command in block.commands:
                self.type(command)
        elif block.language == "python":
            self.run(block)
        elif block.language in PARSERS:
            PARSERS[block.language](block.text)

    def type(self, command: str) -> None:
        words = shlex.split(command, comments=True)
        if words[:2] == ["pip", "install"] and words[-1].startswith("./"):
            self.install(ROOT / words[-1])
        elif words[0] in READABLE:
            READABLE[words[0]](words[1:])
        elif words[0] != "narlab" or self.installed or OF_A_SHELL.search(command.partition(" #")[0]):
            self.start(["bash", "-euo", "pipefail", "-c", command])
        else:
            main(words[1:])

    def run(self, block: Block) -> None:
        if self.installed:
            self.start([sys.executable, "-c", block.text])
        elif ">>> " in block.text:
            test = doctest.DocTestParser().get_doctest(block.text, self.names, block.page, block.page, block.line - 1)
            told: list[str] = []
            runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
            assert runner.run(test, out=told.append, clear_globs=False).failed == 0, "".join(told)
            self.names.update(test.globs)
        else:
            exec(compile("\n" * (block.line - 1) + block.text, block.page, "exec"), self.names)

    def start(self, command: list[str]) -> None:
        """Run a command in a process of its own."""
        found = os.pathsep.join([*([str(self.installed)] if self.installed else []), *sys.path])
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
        environment = {**os.environ, "PATH": path, "PYTHONPATH": found}
        done = subprocess.run(command, cwd=self.folder, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{command[-1]}\n{done.stdout}\n{done.stderr}"

    def install(self, package: Path) -> None:
        """Build it from a copy: building leaves files beside the sources."""
        self.installed = self.folder / "installed"
        shutil.copytree(package, self.folder / "source")
        offline = ["--quiet", "--no-deps", "--no-build-isolation", "--no-index", "--target", str(self.installed)]
        self.start([sys.executable, "-m", "pip", "install", *offline, str(self.folder / "source")])


def read_make(targets: list[str]) -> None:
    """Refuse targets that the Makefile does not have."""
    known = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert set(targets) <= set(known), f"make {targets}: the Makefile has {known}"


def read_pip(words: list[str]) -> None:
    """Refuse extras that narlab does not have."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    asked = [name for word in words for listed in re.findall(r"\[(.+)\]", word) for name in listed.split(",")]
    assert set(asked) <= set(extras), f"pip {words}: the extras are {list(extras)}"


READABLE = {"make": read_make, "pip": read_pip, "git": lambda words: None}


@pytest.fixture
def read_only(monkeypatch):
    """Have every command of narlab read its arguments, and do nothing."""
    for name in command_names():
        monkeypatch.setattr(command_class(name), "run", lambda self: None)


def follow(page: str, folder: Path, *, slow: bool) -> None:
    reader = Reader(folder)
    for block in RUN[page]:
        if block.mark is None or (block.mark == "slow" and slow):
            reader.follow(block)


@pytest.mark.parametrize("page", sorted(set(RUN)))
def test_quick_blocks(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)  # a page's own modules
    follow(page, tmp_path, slow=False)


@pytest.mark.slow
@pytest.mark.parametrize("page", WITH_SLOW)
def test_all_blocks(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    follow(page, tmp_path, slow=True)


@pytest.mark.parametrize("page", sorted(RUN))
def test_commands_can_be_read(page, read_only, capsys):
    for block in RUN[page]:
        for command in block.commands if block.language in SHELL else ():
            words = shlex.split(command, comments=True)
            if words[0] == "narlab":
                main(words[1:])
            elif words[0] in READABLE:
                READABLE[words[0]](words[1:])
