"""An instance as text tells all probes, all steps, and stays readable."""

import numpy as np
import pytest

from narlab import algorithms
from narlab.algorithms.engine import Execution
from narlab.report.trace import WIDTH, trace

INSERTION_SORT = """\
insertion_sort: 3 nodes, 3 rows of hints

inputs
  node |    0    1    2
  pos  | 0.00 0.33 0.67
  key  | 0.30 0.10 0.20

step 0 of 2
  node   |  0  1  2
  pred_h |  0  0  1
  i = 0   j = 0

step 1 of 2
  node   |  0  1  2
  pred_h |  1  1  0
  j = 1

step 2 of 2
  node   |  0  1  2
  pred_h |  2  1  1
  j = 2

outputs
  node |  0  1  2
  pred |  2  1  1"""

BRIDGES = """\
outputs
  is_bridge   |  0  1  2
            0 |  .  1  -
            1 |  1  .  -
            2 |  -  -  ."""


def lines_of(name: str, n: int, seed: int = 0) -> list[str]:
    algorithm = algorithms.get(name)
    inputs = algorithm.sample(n, 1, seed=seed)
    return list(trace(algorithm, inputs, algorithm.execute(inputs)))


@pytest.mark.parametrize("name", algorithms.CLRS_30)
def test_every_probe_and_every_step_is_told(name: str) -> None:
    algorithm = algorithms.get(name)
    inputs = algorithm.sample(8, 1)
    execution = algorithm.execute(inputs)
    lines = list(trace(algorithm, inputs, execution))
    words = {word for line in lines for word in line.split()}
    last = int(execution.lengths[0]) - 1
    assert {probe.name for probe in algorithm.probes} <= words
    assert [line for line in lines if line.startswith("step")] == [f"step {t} of {last}" for t in range(last + 1)]


@pytest.mark.parametrize("name", algorithms.CLRS_30)
def test_lines_are_at_most_120_columns_of_plain_text(name: str) -> None:
    for line in lines_of(name, 16):
        assert len(line) <= WIDTH == 120
        assert line.isascii()
        assert line == line.rstrip()


def test_values_of_a_known_instance() -> None:
    algorithm = algorithms.get("insertion_sort")
    inputs = {"pos": np.arange(3)[None] / 3, "key": np.array([[0.3, 0.1, 0.2]])}
    assert "\n".join(trace(algorithm, inputs, algorithm.execute(inputs))) == INSERTION_SORT


def test_masked_entries_are_dashes() -> None:
    algorithm = algorithms.get("bridges")
    A = np.array([[[0, 1, 0], [1, 0, 0], [0, 0, 0]]])
    inputs = {"pos": np.arange(3)[None] / 3, "A": A, "adj": A + np.eye(3, dtype=int)}
    assert "\n".join(trace(algorithm, inputs, algorithm.execute(inputs))).endswith(BRIDGES)


def test_strings_are_letters() -> None:
    lines = lines_of("lcs_length", 8)
    (key,) = [line for line in lines if line.split()[:1] == ["key"]]
    letters = key.split("|")[1].split()
    assert len(letters) == 8
    assert set(letters) <= set("abcd")


def test_a_step_without_changes_says_so() -> None:
    algorithm = algorithms.get("bfs")
    inputs = algorithm.sample(4, 1)
    once = algorithm.execute(inputs)
    assert once.hints is not None
    twice = {name: np.repeat(rows[:, :1], 2, axis=1) for name, rows in once.hints.items()}
    lines = list(trace(algorithm, inputs, Execution(once.outputs, twice, np.array([2]))))
    at = lines.index("step 1 of 1")
    assert lines[at + 1 : at + 3] == ["  (nothing changed)", ""]


def test_long_rows_are_folded_not_cut() -> None:
    lines = lines_of("insertion_sort", 64)
    assert max(map(len, lines)) <= WIDTH
    inputs = lines[lines.index("inputs") : lines.index("step 0 of 63")]
    told = [cell for line in inputs if line.split()[:1] == ["node"] for cell in line.split("|")[1].split()]
    assert told == [str(v) for v in range(64)]
    values = [cell for line in inputs if line.split()[:1] == ["key"] for cell in line.split("|")[1].split()]
    assert values == [f"{key:.2f}" for key in algorithms.get("insertion_sort").sample(64, 1)["key"][0]]


def test_without_hints_inputs_and_outputs_are_told() -> None:
    algorithm = algorithms.get("bfs")
    inputs = algorithm.sample(4, 1)
    lines = list(trace(algorithm, inputs, algorithm.execute(inputs, hints=False)))
    assert {"inputs", "outputs"} <= set(lines)
    assert not any(line.startswith("step") for line in lines)


def test_a_batch_is_refused() -> None:
    algorithm = algorithms.get("bfs")
    inputs = algorithm.sample(4, 2)
    with pytest.raises(ValueError, match="one sample, got a batch of 2"):
        list(trace(algorithm, inputs, algorithm.execute(inputs)))
