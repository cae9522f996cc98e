"""Values of probes in the form that people read."""

import numpy as np

from narlab.specs import Probe, Type


def indices(probe: Probe, values: np.ndarray) -> np.ndarray:
    """`values` with one-hot codes as indices, -1 where an entry is masked; other types as they are.

    >>> from narlab.specs import Location
    >>> source = Probe.input("s", Location.NODE, Type.MASK_ONE)
    >>> indices(source, np.array([[0, 0, 1], [1, 0, 0]])).tolist()
    [2, 0]
    """
    if probe.type not in (Type.CATEGORICAL, Type.MASK_ONE):
        return values
    return np.where((values == -1).any(-1), -1, values.argmax(-1))
