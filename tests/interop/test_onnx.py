"""Exported models in onnxruntime: PyTorch's logits, at sizes that nothing was exported at."""

import json
from importlib.util import find_spec

import numpy as np
import pytest
import torch

import narlab
from narlab.cli import main
from narlab.common.errors import UsageError
from narlab.interop import onnx
from narlab.models import AbstractProcessor, pair_features, processors
from narlab.models.topology import State

MISSING = [name for name in ("onnxruntime", "onnxscript") if find_spec(name) is None]
pytestmark = pytest.mark.skipif(bool(MISSING), reason="ONNX is not installed: pip install 'narlab[onnx]'")

PRETRAINED = ("quicksort", "bfs", "floyd_warshall", "lcs_length")
BUILT = {
    **{name: {"processor": name} for name in processors.names()},
    "hybrid_sigmoid": {"processor": "hybrid_sigmoid", "position": "scalar"},
    "gat": {"processor": "gat", "position": "sinusoidal", "depth": "4*log2(n)"},
    "pivotal_attention": {"processor": "pivotal_attention", "position": "edge_position", "readout": "pairs"},
    "pair_features": {"processor": "triangle", "position": "order", "pair_features": pair_features.names()},
    "hints": {"hints": "encoded_decoded"},
    "pair_hints": {"processor": "triangle", "hints": "encoded_decoded", "position": "order"},
    "gate": {"processor": "mpnn_fc", "hints": "update_mask"},
    "quantised": {"processor": "pgn", "quantiser": "vector_quantisation", "depth": "trajectory"},
}


def batch_at(model, n, count):
    dataset = narlab.data.custom(model.algorithm, n=n, count=count, hints=model.mode.needs_hints, seed=5)
    return narlab.models.make_batch(dataset, 3)


@pytest.mark.slow
def test_logits_at_other_sizes(tmp_path):
    """Of a readout that takes the pairs of large graphs in parts."""
    torch.manual_seed(0)
    model = narlab.models.build("bfs", processor="pgn", position="scalar", hidden=4, depth="n/8")
    session = onnx.session_of(onnx.export(model, tmp_path / "model.onnx"))
    for n, count in ((4, 1), (16, 5), (33, 2)):
        assert onnx.difference(model, session, batch_at(model, n, count)) <= 1e-4
    onnx.set_depth(model, "n")
    assert onnx.difference(model, session, batch_at(model, 16, 1)) > 1e-3  # so depth is a rule, and another one tells


@pytest.mark.slow
def test_the_command_writes_a_file_that_answers_by_itself(tmp_path, capsys):
    path = tmp_path / "minimum.onnx"
    main(["export", "minimum@triangle", "--onnx", str(path), "--depth", "n"])
    assert (
        "depth n\ninputs: pos [batch, nodes], key [batch, nodes]\noutputs: min [batch, nodes]"
        in capsys.readouterr().out
    )
    session = onnx.session_of(path)
    key = np.array([[0.7, 0.2, 0.9, 0.4, 0.6]], np.float32)
    pos = np.arange(5, dtype=np.float32)[None] / 5
    names = [output.name for output in session.get_outputs()]
    answer = dict(zip(names, session.run(names, {"pos": pos, "key": key}), strict=True))
    assert answer["min"].tolist() == [[0, 1, 0, 0, 0]]
    assert answer["min_logits"].argmax() == 1
    facts = session.get_modelmeta().custom_metadata_map
    assert (facts["narlab.algorithm"], facts["narlab.depth"]) == ("minimum", "n")
    assert json.loads(facts["narlab.settings"])["processor"] == "triangle"


@pytest.mark.slow
@pytest.mark.parametrize("name", PRETRAINED)
def test_pretrained_models(name, tmp_path):
    model = narlab.pretrained(name)
    session = onnx.session_of(onnx.export(model, tmp_path / "model.onnx"))
    for n, count in ((16, 3), (40, 1)):
        assert onnx.difference(model, session, batch_at(model, n, count)) <= 1e-4


@pytest.mark.slow
@pytest.mark.parametrize("settings", BUILT.values(), ids=BUILT)
def test_all_kinds_of_models(settings, tmp_path):
    """Every processor, and more.

    With hints on short trajectories: where a model's own hints are a close call, PyTorch does not equal itself.
    """
    torch.manual_seed(0)
    has_hints = "hints" in settings
    given = {"hidden": 8, **({} if has_hints else {"depth": 4}), **settings}
    model = narlab.models.build("bfs" if has_hints else "dfs", **given)
    if model.pair_features is not None:
        torch.nn.init.normal_(model.pair_features.share, std=0.1)  # they begin without a say
    session = onnx.session_of(onnx.export(model, tmp_path / "model.onnx"))
    for n, count in ((7, 1), (12 if has_hints else 24, 2)):
        assert onnx.difference(model, session, batch_at(model, n, count)) <= 1e-4


class UnrolledProcessor(AbstractProcessor):
    """Loops over nodes in Python, which an export can't see."""

    def __init__(self, hidden):
        super().__init__()
        self.layer = torch.nn.Linear(hidden, hidden)

    def prepare(self, features, topology):
        return features.node

    def step(self, state, prepared):
        total = sum(prepared[:, i] * (i + 1) for i in range(prepared.shape[1]))
        return State(self.layer(state.h + prepared + total[:, None]))


@pytest.mark.slow
def test_a_loop_over_nodes_is_found_out(tmp_path):
    model = narlab.models.build("bfs", processor=UnrolledProcessor, hidden=8, depth=2)
    with pytest.raises(UsageError, match=r"can't be exported.*narlab\.models\.loops"):
        onnx.export(model, tmp_path / "model.onnx")
    assert not list(tmp_path.iterdir())


def test_mistakes(tmp_path, capsys):
    with pytest.raises(SystemExit):
        main(["export", "minimum@triangle", "--onnx", str(tmp_path / "model.txt")])
    assert "must end in .onnx" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main(["export", "minimum@triangle", "--onnx", str(tmp_path / "m.onnx"), "--depth", "trajectory"])
    assert "does not go with a model whose own depth is 'n/2'" in capsys.readouterr().err
