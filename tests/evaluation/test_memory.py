"""Large graphs fit into 4 GB."""

import subprocess
import sys

import pytest

CODE = """
import resource, sys
from narlab import data, evaluation, models

processor, n = sys.argv[1], int(sys.argv[2])
model = models.build("bfs", processor=processor)
evaluation.evaluate(model, data.custom("bfs", n=n, count=3, graphs="regular:k=4"))
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)
"""


@pytest.mark.slow
@pytest.mark.parametrize(("processor", "n"), [("mpnn_g", 256), ("two_wl", 64)])
def test_large_graphs_fit_into_4_gb(processor, n):
    command = [sys.executable, "-c", CODE, processor, str(n)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert int(done.stdout) < 4e9
