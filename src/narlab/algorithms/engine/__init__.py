"""What all algorithms share: their description, compilation, execution, the check of arrays and validity."""

from narlab.algorithms.engine.algorithm import Algorithm, Execution
from narlab.algorithms.engine.records import of_sample, records
from narlab.algorithms.engine.validity import TOLERANCE, Defect, Validity, Verdicts
from narlab.common.compiling import compiled, in_place, jitted

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
