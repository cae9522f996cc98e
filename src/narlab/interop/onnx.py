"""Models for ONNX: one file that runs on graphs of any size, in batches of any size, without narlab and PyTorch.

The file's inputs go by the names of the algorithm's probes, all float32 but pointers, which are int64 [B, N]; its
outputs are the answers by name, and the logits as `NAME_logits`. The recurrent steps are a loop in the file, and their
number is computed there from the inputs: by the model's rule from N, or, with depth "trajectory", from `lengths`.
Beside the probes the file takes

- `random_features` [B, N, 16], unless the model is told relations: the first columns of a random orthogonal matrix;
- `lengths` [B] with depth "trajectory": the number of rows of each sample's hints;
- the first row of each hint that the model is told.
"""

import copy
import json
import logging
import math
import os
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import torch

import narlab
from narlab import data
from narlab.common.errors import UsageError
from narlab.common.files import check_target, write_whole
from narlab.evaluation.prediction import evaluating
from narlab.interop._program import LENGTHS, RANDOM_FEATURES, Program, input_tensors
from narlab.models import Batch, Network, make_batch
from narlab.models import depth as depths
from narlab.models.batch import Tensors
from narlab.models.depth import ALMOST, Depth
from narlab.specs import Location

__all__ = ["difference", "export", "inputs_of", "session_of", "set_depth"]

OPSET = 20
TOLERANCE = 1e-2  # what is wrong is further off; 32 steps make 1e-4 of rounding errors in a model without training
ROUNDS = "rounds"
EXAMPLE, CHECKED = (3, 9), (2, 12)  # graphs, and nodes above the smallest number, of the trace and of the comparison
INSTALL = "ONNX needs onnx, onnxscript and onnxruntime; get them with: pip install 'narlab[onnx]'"
TRACE_NOISE = ("torch.onnx", "torch.export", "torch.fx", "torch._dynamo", "onnxscript", "onnx_ir")


def export(model: Network, path: str | os.PathLike) -> Path:
    """Write `model` to the ONNX file `path`, once it is known to give PyTorch's logits at another size of graphs."""
    target = check_target(path, (".onnx",))
    _check_installed()
    training = model.training
    model.eval()
    try:
        content = _exported(model)
        _check_equal(model, content)
    finally:
        model.train(training)
    return write_whole(target, content)


def set_depth(model: Network, depth: int | str) -> None:
    """Give a model another depth; one that runs as long as its algorithm keeps its own."""
    rule = depths.parse(depth)
    if rule.is_trajectory is not model.depth.is_trajectory:
        raise UsageError(f"depth={depth!r} does not go with a model whose own depth is {str(model.depth)!r}")
    model.depth = rule


def inputs_of(model: Network, batch: Batch) -> dict[str, np.ndarray]:
    """What the exported `model` is to be given for `batch`: `session.run(None, inputs_of(model, batch))`.

    >>> batch = narlab.models.make_batch(narlab.data.custom("minimum", n=6, count=2))
    >>> {name: array.shape for name, array in inputs_of(narlab.pretrained("minimum"), batch).items()}
    {'pos': (2, 6), 'key': (2, 6)}
    """
    return {name: tensor.numpy() for name, tensor in input_tensors(model, batch).items()}


def _check_installed() -> None:
    for package in ("onnx", "onnxscript", "onnxruntime"):
        try:
            import_module(package)
        except ImportError:
            raise UsageError(INSTALL) from None


def _example(model: Network, size: tuple[int, int]) -> Batch:
    count, more = size
    algorithm = model.algorithm
    return make_batch(
        data.custom(algorithm, n=algorithm.smallest + more, count=count, hints=model.mode.needs_hints, seed=1)
    )


def _exported(model: Network) -> bytes:
    """The whole file."""
    named = input_tensors(model, _example(model, EXAMPLE))
    outputs = [probe.name for probe in model.algorithm.outputs]
    free_rounds = {0: torch.export.Dim(ROUNDS, min=1)}
    try:
        with _quiet(), torch.no_grad():
            program = torch.onnx.export(
                Program(model),
                (torch.arange(1, 6), *named.values()),
                dynamo=True,
                opset_version=OPSET,
                input_names=[ROUNDS, *named],
                output_names=[*outputs, *(f"{name}_logits" for name in outputs)],
                dynamic_shapes={ROUNDS: free_rounds, "tensors": _free_axes(model, named)},
                custom_translation_table={torch.ops.aten.sort.stable: _stable_sort},
                report=False,
                verbose=False,
            )
    except torch.onnx.OnnxExporterError as error:
        raise _cannot(model, str(error.__cause__ or error).strip().splitlines()[0]) from error
    assert program is not None
    _tidy(program.model)
    return _finished(model, program.model_proto).SerializeToString()


def _free_axes(model: Network, named: Tensors) -> tuple[dict[int, Any], ...]:
    """The axes of each input that may have any size: the batch, and those that count nodes."""
    batch, nodes = torch.export.Dim("batch", min=1), torch.export.Dim("nodes", min=2)
    counted = {RANDOM_FEATURES: 1, LENGTHS: 0}
    for probe in (*model.algorithm.inputs, *model.hints):
        counted[probe.name] = {Location.NODE: 1, Location.EDGE: 2, Location.GRAPH: 0}[probe.location]
    return tuple(dict(enumerate([batch, *[nodes] * counted[name]])) for name in named)


def _stable_sort(values: Any, stable: bool = True, dim: int = -1, descending: bool = False) -> Any:
    """Of equal numbers ONNX's TopK takes the one with the least index first, as a stable sort does."""
    from onnxscript import opset20

    op: Any = opset20
    size = op.Gather(op.Shape(values), op.Constant(value_ints=[dim]))
    return op.TopK(values, size, axis=dim, largest=int(descending), sorted=1)


def _tidy(model: Any) -> None:
    """Take out what nothing uses: onnxruntime would say so at every start."""
    from onnx_ir.passes.common import RemoveUnusedNodesPass

    RemoveUnusedNodesPass()(model)


def _finished(model: Network, proto: Any) -> Any:
    """With steps that are counted inside, and words on what it is."""
    from onnx import helper, parser

    graph, counting = proto.graph, parser.parse_graph(_counting_steps(model.depth))
    nodes, inputs = [*counting.node, *graph.node], [value for value in graph.input if value.name != ROUNDS]
    del graph.node[:], graph.input[:]
    graph.node.extend(nodes)
    graph.input.extend(inputs)
    graph.initializer.extend(counting.initializer)
    proto.producer_name, proto.producer_version = "narlab", narlab.__version__
    proto.doc_string = f"A model of {model.algorithm.name}; its inputs: see narlab.interop.onnx"
    settings = json.dumps(asdict(model.settings))
    facts = {"algorithm": model.algorithm.name, "depth": str(model.depth), "settings": settings}
    helper.set_model_props(proto, {f"narlab.{name}": text for name, text in facts.items()})
    return proto


def _counting_steps(depth: Depth) -> str:
    """The graph that counts the steps after the first, 1, 2, ..., T - 1, or 0 alone for T = 1, in ONNX's own words."""
    if depth.is_trajectory:
        given, numbers = f"int64[batch] {LENGTHS}", ["int64 one = {1}"]
        body = f"longest = ReduceMax <keepdims = 0> ({LENGTHS}) but_one = Sub (longest, one) steps = Max (but_one, one)"
    else:
        given, (numbers, rule) = "float[batch, nodes] pos", _rule(depth)
        size = "nodes_axis = Shape <start = 1> (pos) no_axis = Constant <value_ints = [-1]> ()"
        body = f"{size} nodes = Reshape (nodes_axis, no_axis) {rule}"
    head = f"steps ({given}) => (int64[rounds] {ROUNDS}) <{', '.join(numbers)}>"
    counting = f"others = Sub (steps, one) first = Min (others, one) {ROUNDS} = Range (first, steps, one)"
    return f"{head} {{ {body} {counting} }}"


def _rule(depth: Depth) -> tuple[list[str], str]:
    """Numbers, and how `steps` are computed from `nodes` with them."""
    factor = depth.factor
    if depth.base == "log2(n)":
        numbers = [f"double factor = {{{float(factor) / math.log(2.0)!r}}}", f"double almost = {{{ALMOST!r}}}"]
        rule = (
            "real = Cast <to = 11> (nodes) log = Log (real) product = Mul (factor, log) less = Sub (product, almost) "
        )
        return ["int64 one = {1}", *numbers], rule + "up = Ceil (less) steps = Cast <to = 7> (up)"
    base = "nodes" if depth.base == "n" else "one"
    numbers = [f"int64 factor = {{{factor.numerator}}}", f"int64 divisor = {{{factor.denominator}}}"]
    rule = f"product = Mul (factor, {base}) more = Add (product, rest) steps = Div (more, divisor)"
    return ["int64 one = {1}", *numbers, f"int64 rest = {{{factor.denominator - 1}}}"], rule


def session_of(path: str | os.PathLike | bytes) -> Any:
    """A session of onnxruntime on the CPU, of a file or its content."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 3  # errors
    content = path if isinstance(path, bytes) else os.fspath(path)
    return onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])


def difference(model: Network, session: Any, batch: Batch) -> float:
    """How far the logits of an exported model are from those of PyTorch on a batch, at most."""
    expected = _plain_logits(model, batch)
    found = session.run([f"{name}_logits" for name in expected], inputs_of(model, batch))
    return _apart(dict(zip(expected, map(torch.from_numpy, found), strict=True)), expected)


def _plain_logits(model: Network, batch: Batch) -> Tensors:
    """Those without kernels, which sum in another order: the file does what PyTorch does."""
    plain = copy.copy(model)
    plain.uses_kernels = False
    with evaluating(plain):
        return plain(batch).outputs


def _rounding(model: Network, batch: Batch) -> float:
    """How far PyTorch is from itself in double precision: models that are told their own hints may go astray."""
    return _apart(_plain_logits(copy.deepcopy(model).double(), batch), _plain_logits(model, batch))


def _apart(found: Tensors, expected: Tensors) -> float:
    return max(float((found[name] - logits).abs().max()) for name, logits in expected.items())


def _check_equal(model: Network, content: bytes) -> None:
    """The file against PyTorch, at a size that it was not traced at."""
    batch, session = _example(model, CHECKED), session_of(content)
    named = input_tensors(model, batch)
    for axes, taken in zip(_free_axes(model, named), session.get_inputs(), strict=True):
        if any(isinstance(taken.shape[axis], int) for axis in axes):
            raise _cannot(model, f"its input {taken.name!r} would take no other size than {taken.shape}")
    apart = difference(model, session, batch)
    if not apart <= TOLERANCE and not apart <= 10 * _rounding(model, batch):
        raise _cannot(model, f"on graphs of another size its logits are {apart:.2g} apart from PyTorch's")


def _cannot(model: Network, reason: str) -> UsageError:
    remedy = "does it loop over nodes other than by narlab.models.loops?"
    return UsageError(f"a model with the processor {model.settings.processor!r} can't be exported: {reason}; {remedy}")


@contextmanager
def _quiet() -> Iterator[None]:
    """PyTorch tells its own developers a lot while it exports."""
    loggers = [logging.getLogger(name) for name in TRACE_NOISE]
    levels = [logger.level for logger in loggers]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            for logger in loggers:
                logger.setLevel(logging.ERROR)
            yield
        finally:
            for logger, level in zip(loggers, levels, strict=True):
                logger.setLevel(level)
