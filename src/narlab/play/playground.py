"""What can be asked on the page, and the answers: the algorithms and models that there are, and scenes of instances."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any

from narlab import __version__, algorithms
from narlab.common.errors import UsageError, check_integer, unknown
from narlab.data import Dataset, graphs
from narlab.data.single import single_inputs
from narlab.evaluation.user_instances import as_dataset
from narlab.models import Network
from narlab.play.descriptions import describe
from narlab.play.scene import make_scene
from narlab.training import load, pretrained
from narlab.training.folder import Folder

MOST_NODES = 64  # that a picture has room for
MOST_MODELS = 2  # side by side
REQUEST = ("algorithm", "inputs", "n", "seed", "graphs", "models", "places")


@dataclass(frozen=True)
class Start:
    """What the page shows first."""

    algorithm: str
    models: tuple[str, ...] = ()
    n: int = 16
    seed: int = 0
    graphs: str | None = None
    inputs: Mapping[str, Any] | None = None

    def request(self) -> dict[str, Any]:
        """What `Playground.scene` is to be asked for it."""
        how = {"n": self.n, "seed": self.seed, "graphs": self.graphs} if self.inputs is None else {}
        inputs = {} if self.inputs is None else {"inputs": self.inputs}
        return {"algorithm": self.algorithm, "models": list(self.models), **how, **inputs}


class Playground:
    """The algorithms, the models that come with narlab and those of `folders`, which may also be names of the former.

    Models are loaded when they are first asked. One scene is made at a time, whatever thread asks for it.

    >>> scene = Playground().scene({"algorithm": "bfs", "n": 4, "models": ["bfs@triangle"]})
    >>> scene["outputs"]["pi"] == scene["answers"][0]["steps"][-1]["outputs"]["pi"]
    True
    """

    def __init__(self, folders: Sequence[str] = ()) -> None:
        own = {name: Folder(name).run_as_written().algorithm for name in folders if name not in pretrained.names()}
        self.models = own | {name: name.partition("@")[0] for name in pretrained.names()}
        """The names of all models, each with its algorithm's; those of `folders` come first."""
        self.algorithms = tuple(dict.fromkeys((*algorithms.names(), *self.models.values())))
        self._loaded: dict[str, Network] = {}
        self._lock = Lock()

    def described(self) -> dict[str, Any]:
        """All that there is to choose from, for the page."""
        return {
            "version": __version__,
            "algorithms": [describe(name) for name in self.algorithms],
            "models": [{"name": name, "algorithm": algorithm} for name, algorithm in self.models.items()],
            "families": list(graphs.names()),
            "mostNodes": MOST_NODES,
        }

    def check(self, start: Start) -> None:
        """Raise a `UsageError` if there is no such instance as the page is to begin with, or no such model."""
        with self._lock:
            _instance(start.request())
            self._models([*start.models], start.algorithm)

    def scene(self, request: Any) -> dict[str, Any]:
        """The scene that the page asks for.

        `request` names an algorithm, gives the `inputs` of one instance in the form of `narlab predict --input` or says
        how to draw it (`n`, `seed`, `graphs`), and names up to two `models`; with `places` false, no layout is made.
        """
        if not isinstance(request, Mapping):
            raise UsageError(f"a request must be a dict, got {type(request).__name__}")
        for key in request:
            if key not in REQUEST:
                raise unknown("part of a request", key, REQUEST)
        with self._lock:
            if (name := request.get("algorithm")) not in self.algorithms:
                raise unknown("algorithm", name, self.algorithms)
            dataset = _instance(request)
            models = self._models(request.get("models") or [], dataset.algorithm)
            return make_scene(dataset, models, laid_out=request.get("places") is not False)

    def _models(self, names: Any, algorithm: str) -> dict[str, Network]:
        if not isinstance(names, list) or len(names) > MOST_MODELS:
            raise UsageError(f"models must be a list of at most {MOST_MODELS} names, got {names!r}")
        known = [name for name, task in self.models.items() if task == algorithm]
        for name in names:
            if name not in known:
                raise unknown(f"model of {algorithm}", name, known)
            if name not in self._loaded:
                self._loaded[name] = load(pretrained.run_folder(name))
        return {name: self._loaded[name] for name in names}


def _instance(request: Mapping[str, Any]) -> Dataset:
    """The instance of a request, executed."""
    name = request["algorithm"]
    if (inputs := request.get("inputs")) is None:
        n = check_integer("n", request.get("n", 16), 1)
        _check_nodes(n)
        inputs = single_inputs(name, n=n, seed=request.get("seed", 0), graphs=request.get("graphs"))
    else:
        _check_nodes(_nodes(inputs))
    dataset = as_dataset(algorithms.get(name), inputs, hints=True)
    if len(dataset) != 1:
        raise UsageError(f"the page shows one instance, got {len(dataset)}")
    return dataset


def _nodes(inputs: Any) -> int:
    """How many nodes inputs claim to have; whether they are inputs at all is for `as_dataset` to say."""
    pos = inputs.get("pos") if isinstance(inputs, Mapping) else None
    return len(pos[0]) if isinstance(pos, list) and pos and isinstance(pos[0], list) else 0


def _check_nodes(nodes: int) -> None:
    if nodes > MOST_NODES:
        raise UsageError(f"the page draws instances of up to {MOST_NODES} nodes, got {nodes}")
