"""`narlab algorithms`."""

from dataclasses import dataclass
from inspect import getmodule

from narlab import algorithms
from narlab.algorithms.engine import Algorithm
from narlab.cli.commands import OptionalAlgorithmName
from narlab.cli.terminal import print_table
from narlab.specs import Location, Probe, Stage, Type

TYPES = {
    Type.SCALAR: "number",
    Type.CATEGORICAL: "one of {categories}",
    Type.MASK: "yes or no",
    Type.MASK_ONE: "one node",
    Type.POINTER: "a node each",
}
"""What the benchmark's types mean; its own words are printed beside."""


@dataclass(frozen=True)
class Algorithms:
    """List the 30 algorithms: family, probes, and the number of hint rows T at n=16; or explain one.

    Examples:
      narlab algorithms
      narlab algorithms bfs       (each probe with stage, location, type, shape and meaning)
    """

    algorithm: OptionalAlgorithmName = None
    """Explain this one."""

    def run(self) -> None:
        if self.algorithm is not None:
            _explain(algorithms.get(self.algorithm))
            return
        rows = []
        for name in algorithms.names():
            algorithm = algorithms.get(name)
            probes = (_listed(each) for each in (algorithm.inputs, algorithm.outputs, algorithm.hints))
            rows.append([name, algorithm.family, *probes, _steps(algorithm)])
        print_table(["algorithm", "family", "inputs", "outputs", "hints", "T at n=16"], rows, numbers=["T at n=16"])
        print("More on one of them: narlab algorithms bfs")


def _listed(probes: tuple[Probe, ...]) -> str:
    return " ".join(probe.name for probe in probes)


def _steps(algorithm: Algorithm) -> str:
    shortest, longest = algorithm.lengths_at_16
    return str(longest) if shortest == longest else f"{shortest}-{longest}"


def _explain(algorithm: Algorithm) -> None:
    module = getmodule(algorithm.run)
    print(f"{algorithm.name} ({algorithm.family}): {((module and module.__doc__) or '').splitlines()[0]}")
    print("A model is given the inputs and asked for the outputs; hints show what the algorithm does at each step.")
    rows = [
        [probe.name, probe.stage, probe.location, _type(probe), _shape(probe), probe.meaning]
        for probe in algorithm.inputs + algorithm.outputs + algorithm.hints
    ]
    print_table(["probe", "stage", "location", "type", "shape", "meaning"], rows)
    print(f"N: nodes; T: steps, {_steps(algorithm)} at n=16. The smallest n is {algorithm.smallest}.")
    if algorithm.validity is not None:
        print(f"An answer is valid if {algorithm.validity.rule}.")
    print(f"An example: narlab show {algorithm.name} --json mine.json; then narlab predict RUN --input mine.json")


def _type(probe: Probe) -> str:
    return f"{probe.type} ({TYPES[probe.type].format(categories=probe.categories)})"


def _shape(probe: Probe) -> str:
    time = ["T"] if probe.stage is Stage.HINT else []
    axes = {Location.NODE: ["N"], Location.EDGE: ["N", "N"], Location.GRAPH: []}[probe.location]
    return "[" + ", ".join([*time, *axes, *([str(probe.categories)] if probe.categories else [])]) + "]"


COMMAND = Algorithms
