"""The processor that CONTRIBUTING shows is complete and works."""

import re
from pathlib import Path

import torch

from narlab import data, models
from narlab.evaluation import loss

CONTRIBUTING = Path(__file__).parents[2] / "CONTRIBUTING.md"


def test_the_example_is_a_processor(tmp_path, monkeypatch):
    (code,) = re.findall(r"```python\n(.*?)```", CONTRIBUTING.read_text(), flags=re.DOTALL)
    assert len([line for line in code.splitlines() if line.strip()]) <= 35
    (tmp_path / "max_pooling.py").write_text(code)
    monkeypatch.syspath_prepend(tmp_path)
    for algorithm in ("bfs", "quicksort"):
        model = models.build(algorithm, processor="max_pooling:Processor", hidden=8, depth=3)
        batch = models.make_batch(data.custom(algorithm, n=6, count=4, seed=1))
        total = loss(model(batch), batch)
        total.backward()
        assert torch.isfinite(total)
        assert all(parameter.grad.isfinite().all() for parameter in model.processor.parameters())
