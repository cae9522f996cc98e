"""`narlab bench peers`."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from narlab.cli.commands import ListOfNames, OptionalInteger, OptionalPath, names_in
from narlab.cli.commands.bench_train import MOST, announce, measured, show
from narlab.common.errors import UsageError, check_integer
from narlab.common.files import check_target, write_whole

if TYPE_CHECKING:
    from narlab.bench.presentation import Presentation

BEGIN, END = "<!-- narlab bench peers -->", "<!-- end of narlab bench peers -->"
SUSPECT = "seconds come out too long, and most so for those that use both cores at once"
SIZES = {"batch_size": "graphs", "hidden": "hidden", "depth": "depth"}


@dataclass(frozen=True)
class BenchPeers:
    """Measure a training step of narlab against those of dm-clrs (JAX), PyTorch Geometric and eager PyTorch.

    All take the same number of message-passing steps of the same width on batches of the same sizes, without hints:
    forward, backward, clipping and Adam. They are measured in turns, each in a process of its own on all cores; the
    best run counts. What is not installed is named and left out.

    Examples:
      narlab bench peers
      narlab bench peers --algorithms bfs --repeats 3 --json peers.json
      narlab bench peers --docs docs/speed.md
    """

    algorithms: ListOfNames = None
    """Only these of the table: bfs, insertion_sort, quicksort."""
    repeats: int = 7
    """The best of this many runs counts."""
    batch_size: OptionalInteger = None
    """Graphs in a batch, in place of 32."""
    hidden: OptionalInteger = None
    """Width, in place of 128."""
    depth: OptionalInteger = None
    """Message-passing steps, in place of 32."""
    json: OptionalPath = None
    """Write everything that was measured to this file, too."""
    docs: OptionalPath = None
    """Put the table into this Markdown file, between its lines `<!-- narlab bench peers -->` and `<!-- end ... -->`."""

    def run(self) -> None:
        self._check()
        from dataclasses import replace
        from functools import partial

        from narlab.bench import peers  # PyTorch takes seconds to load
        from narlab.bench.benches import Bench

        changes = {field: value for name, field in SIZES.items() if (value := getattr(self, name)) is not None}
        cases = [replace(case, **changes) for case in peers.chosen(names_in("--algorithms", self.algorithms))]
        for line in peers.missing():
            print(line)
        facts = announce(None, SUSPECT)
        bench = Bench([partial(peers.row, case, repeats=self.repeats) for case in cases], peers.of_peers)
        rows = measured(bench)
        show(bench.present(rows), rows, SUSPECT)
        self._write({**facts, "repeats": self.repeats, "peers": [asdict(row) for row in rows]}, bench.present(rows))

    def _check(self) -> None:
        for name in ("repeats", *SIZES):
            if getattr(self, name) is not None:
                check_integer(f"--{name.replace('_', '-')}", getattr(self, name), 1, MOST[name])
        if self.json is not None:
            check_target(self.json, (".json",))
        if self.docs is not None:
            with_table(self.docs, "")  # says at once what is missing

    def _write(self, report: dict[str, Any], shown: "Presentation") -> None:
        if self.json is not None:
            write_whole(self.json, (json.dumps(report, indent=1) + "\n").encode())
        if self.docs is not None:
            write_whole(self.docs, with_table(self.docs, markdown(shown)).encode())


def with_table(page: Path, table: str) -> str:
    """The text of a page with the table in its place."""
    if not page.is_file():
        raise UsageError(f"there is no file {str(page)!r} to put the table into")
    text = page.read_text()
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        raise UsageError(f"{str(page)!r} has no place for the table; write these two lines there: {BEGIN} {END}")
    return f"{before}{BEGIN}\n\n{table}\n\n{END}{after}"


def markdown(shown: "Presentation") -> str:
    rule = ["---:" if column in shown.numbers else "---" for column in shown.columns]
    lines = [f"| {' | '.join(cells)} |" for cells in (shown.columns, *shown.rows)]
    return "\n".join([lines[0], f"|{'|'.join(rule)}|", *lines[1:]])


COMMAND = BenchPeers
