"""Makes the pages of the reference: one for each public module, one for each kind of things, one for the commands.

A hook of MkDocs (mkdocs.yml). The pages hold directives of mkdocstrings, which reads the docstrings; so a name that is
made public, or a file that is added to a folder of things, is in the reference at the next `make docs`.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

import narlab

SOURCE = Path(__file__).parents[1] / "src"
FOR_EXTENSIONS = (
    "narlab.algorithms.engine",
    "narlab.algorithms.sampling",
    "narlab.common.catalogue",
    "narlab.experiments.declaring",
    "narlab.training.recipes",
)
"""What is public beside all that some `__all__` names, for those who add things: docs/architecture.md."""


@dataclass(frozen=True)
class Kind:
    """A folder in which each file is a thing; `attribute` is what a file calls it, `""` if the module is the thing."""

    title: str
    package: str
    attribute: str = ""

    def things(self) -> Iterator[tuple[str, str]]:
        """The name of each thing, and what mkdocstrings has to show of it."""
        for file in sorted((SOURCE / self.package.replace(".", "/")).glob("[!_]*.py")):
            yield file.stem, ".".join(filter(None, (self.package, file.stem, self.attribute)))


KINDS = (
    Kind("Algorithms", "narlab.algorithms"),
    Kind("Graph families", "narlab.data.graphs", "Family"),
    Kind("Data sets", "narlab.data.datasets"),
    Kind("Processors", "narlab.models.processors", "Processor"),
    Kind("Position encodings", "narlab.models.positions", "Position"),
    Kind("Hint modes", "narlab.models.hint_modes"),
    Kind("Quantisers", "narlab.models.quantisers", "Quantiser"),
    Kind("Readouts", "narlab.models.readouts", "Readout"),
    Kind("Features of pairs", "narlab.models.pair_features", "PairFeatures"),
    Kind("Metrics", "narlab.evaluation.metrics"),
    Kind("Recipes", "narlab.training.recipes"),
    Kind("Experiments", "narlab.experiments"),
)
COMMANDS = Kind("Commands", "narlab.cli.commands")


def on_config(config: Any) -> None:
    """Append the reference to the site's navigation."""
    config.nav = [*config.nav, {"Reference": [{title: path} for path, (title, _) in pages().items()]}]


def on_files(files: Files, *, config: Any) -> Files:
    """Add the pages, which exist nowhere on the disk."""
    for path, (title, text) in pages().items():
        files.append(File.generated(config, path, content=f"# {title}\n\n{text}"))
    return files


def pages() -> dict[str, tuple[str, str]]:
    """Title and text of each page, by its path."""
    everything = {"filters": "public", "show_if_no_docstring": "true"}
    modules = {f"reference/{name}.md": (name, directive(name, everything)) for name in public_modules()}
    kinds = {f"reference/{kind.title.lower().replace(' ', '_')}.md": (kind.title, things(kind)) for kind in KINDS}
    return {**modules, **kinds, "reference/commands.md": (COMMANDS.title, commands())}


def public_modules() -> list[str]:
    """narlab, its layers that say what is public, the modules that these name, and what is for those who add things."""
    layers = [f"narlab.{file.parent.name}" for file in SOURCE.glob("narlab/*/__init__.py") if exports(file)]
    named = [f"{module}.{name}" for module in ("narlab", *layers) for name in exports(file_of(module))]
    return sorted({"narlab", *layers, *filter(file_of, named), *FOR_EXTENSIONS})


def file_of(module: str) -> Path | None:
    """The file of a module, `None` if there is none of that name."""
    path = SOURCE / module.replace(".", "/")
    return next((file for file in (path / "__init__.py", path.with_suffix(".py")) if file.exists()), None)


def exports(file: Path | None) -> list[str]:
    """The names in a module's `__all__`."""
    body = [] if file is None else ast.parse(file.read_text("utf-8")).body
    found = [node.value for node in body if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__"]
    return ast.literal_eval(found[0]) if found else []


def directive(name: str, options: dict[str, Any]) -> str:
    """What mkdocstrings replaces by the documentation of `name`."""
    lines = [f"::: {name}", *(["    options:"] if options else [])]
    return "\n".join([*lines, *(f"      {option}: {value}" for option, value in options.items())]) + "\n"


def things(kind: Kind) -> str:
    """The docstrings of all things of a kind: their own, and that of their module where the module is the thing."""
    only_text = {} if kind.attribute else {"members": "false"}
    further = probes if kind.package == narlab.algorithms.__name__ else lambda name: ""
    parts = [directive(path, {"heading": name, **only_text}) + further(name) for name, path in kind.things()]
    return f"Each is a file of `{kind.package}`.\n\n" + "\n".join(parts)


def probes(name: str) -> str:
    """A table of what an algorithm is given, answers and records."""
    of = narlab.algorithms.get(name).probes
    facts = ((probe.name, probe.stage, probe.location, probe.type) for probe in of)
    rows = "\n".join(f"| `{name}` | {stage} | {location} | {kind} |" for name, stage, location, kind in facts)
    return f"\n| probe | stage | location | type |\n|---|---|---|---|\n{rows}\n"


def commands() -> str:
    """The options of every command: the fields of its dataclass."""
    parts = (
        directive(f"{path}.{command_class(path)}", {"heading": f"narlab {name.replace('_', ' ')}"})
        for name, path in COMMANDS.things()
    )
    return "Also `narlab COMMAND --help`.\n\n" + "\n".join(parts)


def command_class(module: str) -> str:
    """The name behind `COMMAND` in a command's file."""
    body = ast.parse((SOURCE / (module.replace(".", "/") + ".py")).read_text("utf-8")).body
    (name,) = (
        node.value.id
        for node in body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Name) and node.targets[0].id == "COMMAND"
    )
    return name
