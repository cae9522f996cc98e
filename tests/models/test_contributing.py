"""The processor that CONTRIBUTING shows is complete and works."""

import re
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import torch

from narlab import data, models
from narlab.evaluation import loss
from narlab.models import processors

CONTRIBUTING = Path(__file__).parents[2] / "CONTRIBUTING.md"


def test_the_example_is_a_processor(tmp_path, monkeypatch):
    (code,) = re.findall(r"```python\n(.*?)```", CONTRIBUTING.read_text(), flags=re.DOTALL)
    assert len([line for line in code.splitlines() if line.strip()]) <= 35
    file = tmp_path / "max_pooling.py"
    file.write_text(code)
    spec = spec_from_file_location("narlab.models.processors.max_pooling", file)
    module = module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "narlab.models.processors.max_pooling", module)
    spec.loader.exec_module(module)
    known = (*processors.names(), "max_pooling")
    monkeypatch.setattr(processors, "names", lambda: known)
    for algorithm in ("bfs", "quicksort"):
        model = models.build(algorithm, processor="max_pooling", hidden=8, steps=3)
        batch = models.make_batch(data.custom(algorithm, n=6, count=4, seed=1))
        total = loss(model(batch), batch)
        total.backward()
        assert torch.isfinite(total)
        assert all(parameter.grad.isfinite().all() for parameter in model.processor.parameters())
