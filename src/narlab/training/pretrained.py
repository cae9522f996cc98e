"""Trained models that come with the package: run folders without what only training needs.

A model is called ALGORITHM@PROCESSOR; the algorithm's name alone stands for the one of `DEFAULT`.
"""

from pathlib import Path

from narlab.common.errors import UsageError, unknown
from narlab.models import Network
from narlab.training.loop import load

FOLDER = Path(__file__).parent / "shipped"
DEFAULT = "triangle"
FILES = ("run.toml", "best.safetensors", "result.json", "metrics.jsonl", "environment.json", "card.json")
"""What a shipped run folder holds."""


def names() -> tuple[str, ...]:
    """The models that come with the package.

    >>> "quicksort@triangle" in names()
    True
    """
    return tuple(sorted(f"{path.parent.name}@{path.parent.parent.name}" for path in FOLDER.glob("*/*/run.toml")))


def folder(name: str) -> Path:
    """The run folder of the model called `name`.

    >>> folder("quicksort").name
    'quicksort'
    """
    algorithm, separator, processor = name.lower().partition("@")
    processor = processor if separator else DEFAULT
    if f"{algorithm}@{processor}" not in names():
        raise unknown("pretrained model", name, names())
    return FOLDER / processor / algorithm


def run_folder(text: str | Path) -> Path:
    """The folder that a user means: one on the disk, or that of a pretrained model, `quicksort@triangle`."""
    path = Path(text)
    if "@" in path.name and not path.exists() and path.name == str(text):
        return folder(path.name)
    return path


def pretrained(name: str, device: str = "cpu") -> Network:
    """A trained model that comes with the package, ready to predict.

    Arguments:
        name: `quicksort@triangle`, or the algorithm's name alone for the triangle model.
        device: where its weights go.

    >>> import narlab
    >>> model = narlab.pretrained("quicksort")
    >>> model.settings.processor, str(model.depth)
    ('triangle', 'n/2')
    """
    if not isinstance(name, str):
        raise UsageError(f"the name of a pretrained model is a text such as 'quicksort@triangle', got {name!r}")
    return load(folder(name), device)
