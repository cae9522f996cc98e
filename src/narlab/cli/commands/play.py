"""`narlab play`."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import tyro

from narlab.cli.commands import OptionalPath, OptionalText, Switch
from narlab.common import say
from narlab.common.errors import UsageError, check_integer

if TYPE_CHECKING:
    from narlab.play import Playground, Start

MOST_INSTANCES = 1000  # on a page
Names = Annotated[tyro.conf.Positional[tuple[str, ...]], tyro.conf.arg(metavar="[NAME ...]", help_behavior_hint="")]


@dataclass(frozen=True)
class Play:
    """Open a page on which one steps through an algorithm and a model side by side, and edits the instance.

    Names are run folders, models that come with narlab (dfs@triangle) or algorithms (dijkstra); without any, the page
    begins with depth-first search. Two models of one algorithm are compared. Only this machine can open the page.

    With --html it writes one file instead, with all steps of the chosen instances inside, which needs no server.

    Examples:
      narlab play
      narlab play quicksort@triangle
      narlab play runs/dfs-l_clrs-mpnn_g-42 dfs@triangle --n 12 --graphs tree
      narlab play dfs@triangle quicksort@triangle --html lecture.html --count 3
    """

    names: Names = ()
    """Run folders, models that come with narlab, or algorithms."""
    n: int = 16
    """Size of the first instance."""
    seed: int = 0
    """Seed of the first instance; without --graphs it is the benchmark's first sample with this seed."""
    graphs: OptionalText = None
    """Graph family of the first instance, such as regular:k=4; only for graph algorithms."""
    input: OptionalPath = None
    """Begin with this instance of yours, .json or .npz, as `narlab predict` reads it."""
    html: OptionalPath = None
    """Write the page into this file, and open nothing."""
    count: int = 1
    """With --html: how many instances of each algorithm, with seeds from --seed on."""
    port: int = 0
    """Port of the page; 0 is any free one."""
    no_browser: Switch = False
    """Print the address, but don't open a browser."""

    def run(self) -> None:
        from narlab.play.beginning import find_starts  # here, because PyTorch takes long to load
        from narlab.play.playground import Playground

        check_integer("--count", self.count, 1, MOST_INSTANCES)
        if self.html is not None:
            from narlab.common.files import check_target

            check_target(self.html, (".html",))
        folders, starts = find_starts(self.names)
        playground = Playground(folders)
        if self.html is None:
            self._serve(playground, self._instances(starts[0])[0])
        else:
            self._write(self.html, playground, [each for start in starts for each in self._instances(start)])

    def _instances(self, start: Start) -> list[Start]:
        """The chosen instances of an algorithm."""
        if self.input is not None:
            from narlab.play.beginning import instances_in

            return [replace(start, inputs=inputs) for inputs in instances_in(self.input, start.algorithm)]
        start = replace(start, n=self.n, graphs=self.graphs)
        return [replace(start, seed=self.seed + k) for k in range(self.count)]

    def _write(self, path: Path, playground: Playground, starts: list[Start]) -> None:
        from narlab.common.files import write_whole
        from narlab.play.single_page import single_page

        content = single_page(playground, starts, f"narlab: {', '.join(dict.fromkeys(s.algorithm for s in starts))}")
        write_whole(path, content)
        say(f"{path}: {len(starts)} instances with all steps, {len(content) / 1e6:.1f} MB")

    def _serve(self, playground: Playground, start: Start) -> None:
        import webbrowser

        try:
            from narlab.play.server import PlayServer
        except ImportError:
            raise UsageError("narlab play needs the package bottle; remedy: pip install 'narlab[play]'") from None
        playground.check(start)
        server = PlayServer(playground, start, self.port)
        print(f"narlab play: {server.address}\nOnly this machine can open it. Ctrl-C ends it.", flush=True)
        if not self.no_browser:
            webbrowser.open(server.address)
        with suppress(KeyboardInterrupt):  # this is how it ends
            server.serve()


COMMAND = Play
