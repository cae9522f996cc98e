"""What all algorithms share: their description, compilation, execution, the check of arrays and validity.

Arrays by probe name go into compiled code as named tuples.
"""

from collections import namedtuple
from collections.abc import Sequence
from keyword import iskeyword

from numba.extending import overload

from narlab.algorithms.engine.algorithm import Algorithm, Execution
from narlab.algorithms.engine.validity import TOLERANCE, Defect, Validity, Verdicts
from narlab.common.compiling import compiled, in_place, jitted
from narlab.specs import Probe, Stage

__all__ = [
    "TOLERANCE",
    "Algorithm",
    "Defect",
    "Execution",
    "Validity",
    "Verdicts",
    "compiled",
    "in_place",
    "jitted",
    "of_sample",
    "records",
]


def records(module: str, probes: Sequence[Probe]) -> tuple[type, type, type]:
    """The named tuples `Inputs`, `Outputs` and `Hints` of the algorithm in `module`, a field for each probe.

    A probe whose name is a Python keyword gets a field with an underscore behind it.
    """

    def of_stage(name: str, stage: Stage) -> type:
        fields = [probe.name + "_" * iskeyword(probe.name) for probe in probes if probe.stage is stage]
        return namedtuple(name, fields, module=module)

    return of_stage("Inputs", Stage.INPUT), of_stage("Outputs", Stage.OUTPUT), of_stage("Hints", Stage.HINT)


def of_sample(batch, b):
    """The fields of sample `b`: each array of the named tuple `batch` at `b`; only in compiled code."""
    raise NotImplementedError


@overload(of_sample)
def _of_sample(batch, b):
    fields = ", ".join(f"batch[{k}][b]" for k in range(len(batch)))
    scope = {"record": batch.instance_class}
    exec(f"def of_sample(batch, b): return record({fields})", scope)
    return scope["of_sample"]
