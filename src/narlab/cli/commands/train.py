"""`narlab train`."""

from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from tyro.conf import Positional, arg

from narlab.cli.options import OptionalInteger, OptionalNumber, OptionalPath, OptionalText, Switch
from narlab.common.errors import UsageError

if TYPE_CHECKING:
    from narlab.training import Run
    from narlab.training.reporting import Reporter


@dataclass(frozen=True)
class Train:
    """Train a model and choose it by its validation score; test scores are recorded, never used to choose.

    Without options: MPNN-G on L-CLRS with the random scalar index and the paper's recipe. A run is stopped with
    Ctrl-C and goes on with --resume, to the same bits.

    Examples:
      narlab train bfs --steps 1000
      narlab train bfs --dataset clrs --recipe clrs
      narlab train bfs --recipe paper:warm_up=100,averaging=0.999 --learning-rate 1e-3
      narlab train dfs --dataset l_clrs_len --processor two_wl --seed 43 --out runs/dfs
      narlab train --resume runs/dfs
    """

    algorithm: Annotated[Positional[str | None], arg(metavar="[ALGORITHM]", help_behavior_hint="")] = None
    """Name of the algorithm, as `narlab algorithms` lists them."""
    out: OptionalPath = None
    """The run's folder; default: a name made of the settings, under runs/."""
    config: OptionalPath = None
    """Read the run from this TOML file; other options go before it."""
    resume: OptionalPath = None
    """Go on with the run in this folder."""
    dataset: OptionalText = None
    """Data set: clrs, l_clrs (default), l_clrs_len, l_clrs_deg, l_clrs_len_deg, or custom with --n."""
    processor: OptionalText = None
    """Processor, as `narlab models` lists them; default mpnn_g."""
    position: OptionalText = None
    """Position encoding; default random_scalar."""
    hints: OptionalText = None
    """none (default), encoded_decoded, decoded_only, markovian or update_mask."""
    hint_names: Annotated[tuple[str, ...] | None, arg(metavar="[HINT ...]", help_behavior_hint="")] = None
    """Only these hints; default: all."""
    quantiser: OptionalText = None
    """Quantise the state: straight_through, gumbel_softmax or vector_quantisation."""
    hidden: OptionalInteger = None
    """Width; default: the processor's (128; 108 for hybrids; 32 for triangle and pivotal_attention)."""
    depth: OptionalText = None
    """Recurrent steps T, such as 16, n/2 or trajectory; default: the recipe's, or 32, or trajectory with hints."""
    readout: OptionalText = None
    """How outputs are read from the states: paper (default) or pairs."""
    relations: Switch = False
    """Tell the model its inputs as relations of pairs of nodes: differences, comparisons, both ways of an edge."""
    recipe: OptionalText = None
    """How it is trained and chosen: paper (default) or clrs, with options as in paper:warm_up=100,averaging=0.999."""
    steps: OptionalInteger = None
    """Training steps; default: the recipe's (paper: 20000)."""
    batch_size: OptionalInteger = None
    """Graphs in a batch; default: the recipe's, or the processor's (32; 16 for 2WL and all hybrids)."""
    learning_rate: OptionalNumber = None
    """Largest learning rate; default: the recipe's (paper: 1e-4, and a cosine takes it to 0)."""
    clip: OptionalNumber = None
    """Largest norm of the gradient; default: the recipe's (paper: 1)."""
    seed: OptionalInteger = None
    """Decides everything that is random; default 42."""
    validate_every: OptionalInteger = None
    """Steps between validations; default: the recipe's (paper: 100, where the paper itself has 10)."""
    test_every: OptionalInteger = None
    """Steps between tests; default: the recipe's (paper: 1000, where the paper itself has 10)."""
    metrics: OptionalText = None
    """What is recorded, with commas between; default: score,graph_score, which it must hold."""
    samples: OptionalInteger = None
    """Train on the first so many samples only."""
    n: OptionalInteger = None
    """Size of the training graphs of a custom data set."""
    test_n: OptionalInteger = None
    """Size of its test graphs."""
    graphs: OptionalText = None
    """Its graph family, such as regular:k=4."""
    bfloat16: Switch = False
    """Multiply matrices of training steps in half the bits, for GPUs; loss and evaluations stay in single precision."""
    device: str = "cpu"
    """Where to train: cpu, cuda, ..."""
    threads: OptionalInteger = None
    """How many cores to use; default: all."""
    compile: Switch = False
    """Have PyTorch compile the processor's step, for GPUs; on a CPU it stands in for our own kernels."""
    tensorboard: Switch = False
    """Write the metrics for TensorBoard, too."""

    def run(self) -> None:
        from narlab.common.memory import keep_freed_memory  # PyTorch takes seconds to load
        from narlab.training import train

        run, out = self._run_and_folder()
        if self.threads is not None and self.threads < 1:
            raise UsageError(f"--threads must be at least 1, got {self.threads}")
        keep_freed_memory()  # of the whole process, which is ours here
        result = train(
            run, out, device=self.device, threads=self.threads, compile=self.compile, reporter=self._reporter()
        )
        print(
            f"chosen at step {result.step}: val {100 * result.val:.2f}  test {100 * result.test:.2f}  "
            f"graph level: val {100 * result.val_graph:.2f}  test {100 * result.test_graph:.2f}"
        )
        print(f"{result.folder}")

    def _run_and_folder(self) -> tuple["Run", Path | None]:
        from narlab.training import Run
        from narlab.training.folder import Folder

        given = {field.name: getattr(self, field.name) for field in fields(Run)}
        given = {name: value for name, value in given.items() if value is not None and value is not False}
        if "depth" in given and given["depth"].isdecimal():
            given["depth"] = int(given["depth"])
        if "metrics" in given:
            given["metrics"] = tuple(name.strip() for name in given["metrics"].split(","))
        if self.resume is not None:
            if given or self.config or self.out:
                name = next(iter(given), "config" if self.config else "out")
                raise UsageError(f"--resume takes the run as it is in its folder: leave {name!r} out")
            return Folder(self.resume).run(), self.resume
        if self.config is not None:
            return Run.from_toml(self.config, given), self.out
        if self.algorithm is None:
            raise UsageError("missing: ALGORITHM, --config or --resume; see narlab train --help")
        return Run(**given), self.out

    def _reporter(self) -> "Reporter":
        from narlab.cli.live import reporter

        return reporter(tensorboard=self.tensorboard)


COMMAND = Train
