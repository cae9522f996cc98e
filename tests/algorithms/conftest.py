"""Settings of these tests: small graphs, and all that is said about an answer to one."""

import numpy as np
import pytest

from narlab import algorithms


@pytest.fixture(scope="session")
def graph_inputs():
    """The inputs of one graph, given by its arcs (u, v, weight), in `both` directions or one."""

    def make(name, arcs, n, *, source=0, both=False):
        A = np.zeros((1, n, n))
        for u, v, weight in arcs:
            A[0, u, v] = weight
            if both:
                A[0, v, u] = weight
        inputs = {"pos": np.arange(n)[None] / n, "A": A, "adj": (A != 0) | np.eye(n, dtype=bool)}
        if any(probe.name == "s" for probe in algorithms.get(name).inputs):
            inputs["s"] = np.eye(n)[[source]]
        return inputs

    return make


@pytest.fixture(scope="session")
def judged():
    """(valid, elements of the first output, gap, texts of defects) of one answer; they must fit together."""

    def judge(name, inputs, **outputs):
        algorithm = algorithms.get(name)
        arrays = {key: np.array(value)[None] for key, value in outputs.items()}
        valid, elements, gap = algorithm.verdicts(inputs, arrays)
        defects = algorithm.defects(inputs, arrays)[0]
        assert bool(valid[0]) == (not defects)
        return bool(valid[0]), elements[0][0].tolist(), float(gap[0]), [defect.text for defect in defects]

    return judge
