"""What a model is made of."""

from dataclasses import dataclass

TRAJECTORY = "trajectory"
WIDTH, HYBRID_WIDTH = 128, 108  # so that parameter budgets match
STEPS = 32


@dataclass(frozen=True)
class Settings:
    """The settings of a model.

    `steps` is the number of recurrent steps, or "trajectory": then each sample runs for as long as its algorithm did,
    and the model sees that length. `hint_names` limits the hints to a subset; `None` means all of them.
    """

    algorithm: str
    processor: str
    position: str
    hints: str
    hidden: int
    steps: int | str
    hint_names: tuple[str, ...] | None = None
    quantiser: str | None = None

    def uses_hint(self, name: str) -> bool:
        return self.hint_names is None or name in self.hint_names
