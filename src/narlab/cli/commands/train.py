"""`narlab train`."""

import sys
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from tyro.conf import Positional, arg

from narlab.cli.commands import (
    ListOfNames,
    OptionalInteger,
    OptionalNumber,
    OptionalPath,
    OptionalText,
    Switch,
    integers_in,
)
from narlab.common.catalogue import split_list
from narlab.common.errors import UsageError

if TYPE_CHECKING:
    from narlab.training import Result, Run
    from narlab.training.reporting import Reporter

MEANINGS = (
    "val: the score on validation data, by which the model is chosen; test: that on test data. A score is the share of "
    "right elements in percent, of marks F1; at graph level, of graphs in which all elements are right"
)


@dataclass(frozen=True)
class Train:
    """Train a model and choose it by its validation score; test scores are recorded, never used to choose.

    Without options: MPNN-G on L-CLRS with the random scalar index and the paper's recipe. A run is stopped with
    Ctrl-C and goes on with --resume, to the same bits.

    Examples:
      narlab train bfs --steps 1000
      narlab train bfs --dataset clrs --recipe clrs
      narlab train dfs --recipe ladder --steps 300
      narlab train bfs --recipe paper:warm_up=100,averaging=0.999 --learning-rate 1e-3
      narlab train dfs --dataset l_clrs_len --processor two_wl --seed 43 --out runs/dfs
      narlab train bfs --report csv,wandb:project=mine,mode=offline
      narlab train --resume runs/dfs
      narlab train --resume runs/dfs --steps 40000      (a run that is done goes on for longer)
      narlab train dfs --seeds 1,2,3                    (one run after another)
      narlab train dijkstra --recipe ladder --warm-start bellman_ford@triangle
    """

    algorithm: Annotated[Positional[str | None], arg(metavar="[ALGORITHM]", help_behavior_hint="")] = None
    """Name of the algorithm, as `narlab algorithms` lists them."""
    out: OptionalPath = None
    """The run's folder; default: a name made of the settings, under runs/."""
    config: OptionalPath = None
    """Read the run from this TOML file; other options go before it."""
    resume: OptionalPath = None
    """Go on with the run in this folder; with --steps, for more steps than it had."""
    warm_start: OptionalText = None
    """Begin with the weights of another run, its folder or a name such as bfs@triangle, as far as they fit."""
    seeds: OptionalText = None
    """Train a run of each of these seeds, such as 1,2,3; with --out, in its subfolders seed-1, seed-2, ..."""
    dataset: OptionalText = None
    """Data set: clrs, l_clrs, l_clrs_len, l_clrs_deg, l_clrs_len_deg, ladder, or custom with --n; default: the
    recipe's (paper: l_clrs)."""
    processor: OptionalText = None
    """Processor, as `narlab models` lists them; default: the recipe's (paper: mpnn_g)."""
    position: OptionalText = None
    """Position encoding; default: the recipe's (paper: random_scalar)."""
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
    """How outputs are read from the states: paper or pairs; default: the recipe's (paper: paper)."""
    relations: Switch = False
    """Tell the model its inputs as relations of pairs of nodes: differences, comparisons, both ways of an edge."""
    no_relations: Switch = False
    """Tell it the inputs as they are, where the recipe has relations."""
    pair_features: OptionalText = None
    """Features of pairs that are made of the inputs before the first step, with commas between: potentials, intervals,
    areas, resistances; or none. Default: the recipe's (paper: none)."""
    recipe: OptionalText = None
    """How it is trained and chosen, which also decides on data and model where nothing is said: paper (default), clrs
    or ladder, with options as in paper:warm_up=100,averaging=0.999."""
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
    initial_seed: OptionalInteger = None
    """Draw the initial weights by this seed instead; default: by the seed."""
    validate_every: OptionalInteger = None
    """Steps between validations, which choose the model; default: the recipe's (paper: 100, where the paper itself has
    10; ladder: a tenth)."""
    test_every: OptionalInteger = None
    """Steps between tests, which choose nothing; default: the recipe's (paper: 1000, where the paper itself has 10)."""
    metrics: OptionalText = None
    """What is recorded, with commas between; default: score,graph_score, which it must hold."""
    samples: OptionalInteger = None
    """Train on the first so many samples only, of each rung where there are several."""
    test_samples: OptionalInteger = None
    """Test on the first so many samples only; default: all."""
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
    """How many cores to use; default: all. Trainings side by side want a share each, or they wait for each other."""
    compile: Switch = False
    """Have PyTorch compile the processor's step, for GPUs; on a CPU it stands in for our own kernels."""
    report: ListOfNames = None
    """Where evaluations are written beside the run's own log, with commas between: csv, tensorboard, wandb, with
    options as in wandb:project=mine,mode=offline."""
    tensorboard: Switch = False
    """The same as --report tensorboard."""

    def run(self) -> None:
        from narlab.common.machine import keep_freed_memory  # PyTorch takes seconds to load

        run, out = self._run_and_folder()
        if self.threads is not None and self.threads < 1:
            raise UsageError(f"--threads must be at least 1, got {self.threads}")
        keep_freed_memory()  # of the whole process, which is ours here
        if self.seeds is None:
            self._train(run, out)
            return
        results = [self._train(run, out) for run, out in self._of_seeds(run, out)]
        print(f"{'seed':>10}  {'val':>6}  {'test':>6}")
        for result in results:
            print(f"{result.run.seed:>10}  {100 * result.val:6.2f}  {100 * result.test:6.2f}")

    def _of_seeds(self, run: "Run", out: Path | None) -> list[tuple["Run", Path | None]]:
        """A run for each of the seeds, with its folder; none is trained if one can't be."""
        for option in ("seed", "resume"):
            if getattr(self, option) is not None:
                raise UsageError(f"--seeds and --{option} exclude each other: leave one out")
        assert self.seeds is not None
        seeds = integers_in("--seeds", self.seeds)
        runs = [replace(run, seed=seed).resolved() for seed in seeds]
        return [(run, None if out is None else out / f"seed-{run.seed}") for run in runs]

    def _train(self, run: "Run", out: Path | None) -> "Result":
        from narlab.common import say
        from narlab.training import train

        result = train(
            run, out, device=self.device, threads=self.threads, compile=self.compile, reporter=self._reporter()
        )
        print(MEANINGS)
        print(
            f"chosen at step {result.step}: val {100 * result.val:.2f}  test {100 * result.test:.2f}  "
            f"graph level: val {100 * result.val_graph:.2f}  test {100 * result.test_graph:.2f}"
        )
        if result.protocol:
            print(f"depth {result.depth}, protocol {result.protocol}")
        say(result.folder)
        return result

    def _run_and_folder(self) -> tuple["Run", Path | None]:
        from narlab.training import Run
        from narlab.training.folder import Folder

        given = {field.name: getattr(self, field.name) for field in fields(Run)}
        given = {name: value for name, value in given.items() if value is not None and value is not False}
        if self.no_relations:
            if self.relations:
                raise UsageError("--relations and --no-relations exclude each other: leave one out")
            given["relations"] = False
        if "depth" in given and given["depth"].isdecimal() and len(given["depth"]) < 20:
            given["depth"] = int(given["depth"])
        if "pair_features" in given:
            text = given["pair_features"].strip()
            given["pair_features"] = () if text == "none" else tuple(name.strip() for name in text.split(","))
        if "metrics" in given:
            given["metrics"] = tuple(name.strip() for name in given["metrics"].split(","))
        if self.resume is not None:
            others = [name for name in given if name != "steps"]
            if others or self.config or self.out:
                name = next(iter(others), "config" if self.config else "out")
                raise UsageError(f"--resume takes the run as it is in its folder: leave {name!r} out")
            if self.steps is not None:
                from narlab.training.warm_start import extend

                return extend(self.resume, self.steps), self.resume
            return Folder(self.resume).run(), self.resume
        if self.config is not None:
            return Run.from_toml(self.config, given), self.out
        if self.algorithm is None:
            raise UsageError("missing: ALGORITHM, --config or --resume; see narlab train --help")
        return Run(**given), self.out

    def _reporter(self) -> "Reporter":
        from narlab.training.reporting import PlainLines

        shown: Reporter = PlainLines()
        if sys.stdout.isatty():
            from narlab.cli.live import Live

            shown = Live()
        if self.report is not None or self.tensorboard:
            from narlab.training.reporters import reporting_to

            named = [] if self.report is None else split_list("reporter", self.report, example="wandb")
            shown = reporting_to(dict.fromkeys([*named, *["tensorboard"] * self.tensorboard]), shown)
        return shown


COMMAND = Train
