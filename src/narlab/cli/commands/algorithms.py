"""`narlab algorithms`."""

from dataclasses import dataclass

from narlab import algorithms
from narlab.cli.terminal import print_table
from narlab.specs import Probe


@dataclass(frozen=True)
class Algorithms:
    """List the 30 algorithms: family, probes, and the number of hint rows T at n=16.

    Example: narlab algorithms
    """

    def run(self) -> None:
        rows = []
        for name in algorithms.names():
            algorithm = algorithms.get(name)
            shortest, longest = algorithm.lengths_at_16
            steps = str(longest) if shortest == longest else f"{shortest}-{longest}"
            probes = (_listed(each) for each in (algorithm.inputs, algorithm.outputs, algorithm.hints))
            rows.append([name, algorithm.family, *probes, steps])
        print_table(["algorithm", "family", "inputs", "outputs", "hints", "T at n=16"], rows, numbers=["T at n=16"])


def _listed(probes: tuple[Probe, ...]) -> str:
    return " ".join(probe.name for probe in probes)


COMMAND = Algorithms
