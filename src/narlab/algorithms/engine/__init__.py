"""What all algorithms share: their description, compilation, execution and the check of inputs."""

from narlab.algorithms.engine.algorithm import Algorithm, Execution
from narlab.algorithms.engine.records import of_sample, records
from narlab.common.compiling import compiled, in_place, jitted

__all__ = ["Algorithm", "Execution", "compiled", "in_place", "jitted", "of_sample", "records"]
