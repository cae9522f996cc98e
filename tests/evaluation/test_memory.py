"""Large graphs fit into 4 GB."""

import subprocess
import sys

import pytest
import torch

from narlab import data, evaluation, models
from narlab.common.errors import UsageError
from narlab.models.readouts import paper

CODE = """
import resource, sys
from narlab import data, evaluation, models

processor, n = sys.argv[1], int(sys.argv[2])
model = models.build("bfs", processor=processor)
evaluation.evaluate(model, data.custom("bfs", n=n, count=2, graphs="regular:k=4"))
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)
"""


@pytest.mark.slow
@pytest.mark.parametrize(("processor", "n"), [("mpnn_g", 256), ("mpnn_g", 2048), ("two_wl", 64)])
def test_large_graphs_fit_into_4_gb(processor, n):
    command = [sys.executable, "-c", CODE, processor, str(n)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert int(done.stdout) < 4e9


def test_a_graph_that_does_not_fit_is_refused_with_what_it_needs(monkeypatch):
    monkeypatch.setattr("narlab.common.machine.free_memory", lambda: 10**8)
    monkeypatch.setattr("narlab.common.machine.WORTH_A_LOOK", 0)
    model = models.build("bfs", processor="triangle")
    with pytest.raises(
        UsageError, match=r"a graph of 1000 nodes with this model needs at least 0\.3 GB of memory, and"
    ):
        evaluation.evaluate(model, data.custom("bfs", n=1000, count=1))


def test_large_graphs_are_read_a_few_rows_at_a_time_to_the_same_logits(monkeypatch):
    model = models.build("bfs", hidden=16).eval()
    batch = models.make_batch(data.custom("bfs", n=24, count=2))
    with torch.inference_mode():
        whole = model(batch).outputs["pi"]
        monkeypatch.setattr(paper, "MOST_NUMBERS", 5 * 2 * 24 * 16)
        few = model(batch).outputs["pi"]
    torch.testing.assert_close(few, whole)
    assert paper._parts_of_rows(torch.zeros(2, 24, 1, 16)) == [slice(None)]  # a gradient needs all of them
    with torch.no_grad():
        assert paper._parts_of_rows(torch.zeros(2, 24, 1, 16))[-1] == slice(20, 25)
