"""`narlab models`."""

from __future__ import annotations

from dataclasses import dataclass
from inspect import getmodule
from typing import TYPE_CHECKING, Annotated

from tyro.conf import Positional, arg

from narlab.cli.commands import Switch
from narlab.cli.terminal import print_table
from narlab.common.errors import UsageError

if TYPE_CHECKING:
    from types import ModuleType

    from narlab.models import Network


@dataclass(frozen=True)
class Models:
    """List what a model can be made of: processors, position encodings, pair features, uses of hints, with parameters.

    With --pretrained, list the trained models that come with narlab, or show the card of one.

    Examples:
      narlab models
      narlab models --algorithm floyd_warshall
      narlab models --pretrained
      narlab models bfs@triangle --pretrained
    """

    name: Annotated[Positional[str | None], arg(metavar="[NAME]", help_behavior_hint="")] = None
    """With --pretrained: show the card of this model, such as bfs@triangle."""
    pretrained: Switch = False
    """List the models that come with narlab: narlab evaluate NAME and narlab.pretrained(NAME) use them."""
    algorithm: str = "bfs"
    """The algorithm that parameters are counted for, as `narlab algorithms` lists them."""

    def run(self) -> None:
        if self.name is not None and not self.pretrained:
            raise UsageError(f"a card is shown by narlab models {self.name} --pretrained")
        if self.pretrained:
            from narlab.cli.card_display import print_card, print_list

            return print_list() if self.name is None else print_card(self.name)
        return self._parts()

    def _parts(self) -> None:
        self._processors()
        self._positions()
        self._pair_features()
        self._hints()

    def _processors(self) -> None:
        from narlab import models  # here, because PyTorch takes long to load

        rows = []
        for name in models.processors.names():
            model = models.build(self.algorithm, processor=name)
            width, seen = str(model.settings.hidden), str(model.processor.pairs)
            rows.append([name, seen, width, _parameters(model), _summary(getmodule(type(model.processor)))])
        print(f"Processors, and the parameters of a model of {self.algorithm}.")
        print("A: the graph and the node pointers of the input, both ways, with self-loops.")
        columns = ["processor", "pairs seen", "width", "parameters", "what it is"]
        print_table(columns, rows, numbers=["width", "parameters"])

    def _positions(self) -> None:
        from narlab import models

        rows = []
        for name in models.positions.names():
            model = models.build(self.algorithm, processor="mpnn_fc", position=name)
            rows.append([name, _parameters(model), _summary(getmodule(type(model.position)))])
        print("Position encodings, with mpnn_fc.")
        print_table(["position", "parameters", "what it is"], rows, numbers=["parameters"])

    def _pair_features(self) -> None:
        from narlab import models

        rows = []
        for name in models.pair_features.names():
            model = models.build(self.algorithm, processor="triangle", pair_features=[name])
            width = str(models.pair_features.get(name).width)
            rows.append([name, width, _parameters(model), _summary(getmodule(models.pair_features.get(name)))])
        print("Features of pairs that are made of the inputs, with triangle.")
        print_table(["pair features", "features", "parameters", "what it is"], rows, numbers=["features", "parameters"])

    def _hints(self) -> None:
        from narlab import models

        rows = []
        for name in models.hint_modes.names():
            mode = models.hint_modes.get(name)
            model = models.build(self.algorithm, processor="mpnn_fc", hints=name)
            facts = (mode.encoded, mode.decoded, mode.carries_state, mode.masks_updates)
            rows.append([name, *("yes" if fact else "no" for fact in facts), _parameters(model)])
        print("Uses of hints, with mpnn_fc.")
        columns = ["hints", "encoded", "decoded", "state is carried", "updates are gated", "parameters"]
        print_table(columns, rows, numbers=["parameters"])


def _parameters(model: Network) -> str:
    return f"{sum(parameter.numel() for parameter in model.parameters()):,}"


def _summary(module: ModuleType | None) -> str:
    assert module is not None
    return (module.__doc__ or "").splitlines()[0]


COMMAND = Models
