"""Benchmarks of models: the arithmetic is what is really done, and every measurement has a process of its own."""

import os
import subprocess
import sys
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
import torch

from narlab import kernels, models
from narlab.bench import evaluations, flops, pivots, presentation, processes, scaling, training_steps
from narlab.bench.cases import Case, training_step
from narlab.bench.cases import evaluation as evaluation_of
from narlab.bench.machine_load import used_by_others
from narlab.bench.processes import Measured, Workload

HIDDEN, STEPS = 3, 2


class CountedNumPy:
    """NumPy whose matrix products are counted, and with it those of `kernels.matrices`."""

    def __init__(self):
        self.flops = 0

    def __getattr__(self, name):
        return getattr(np, name)

    def dot(self, left, right, out):
        self.flops += 2 * left.shape[0] * left.shape[1] * right.shape[1]
        return np.dot(left, right, out)

    def multiply_panels(self, x, panels, start, stride, lowest, out):
        count, width = out.shape
        (matrix,), first = panels, start.reshape(-1)
        self.flops += 2 * count * len(matrix) * width
        starts = np.stack([first[i * stride : i * stride + width] for i in range(count)])
        np.maximum(starts + x @ matrix[:, :width], lowest[:width], out=out)

    def add_transposed_product(self, left, right, total):
        self.flops += 2 * left.shape[0] * left.shape[1] * right.shape[1]
        total += left.T @ right


@pytest.fixture
def counted(monkeypatch):
    """The kernels as plain Python, with all of their products counted."""
    numpy = CountedNumPy()
    stand_ins = {
        "flat": lambda x: x.reshape(-1),
        "multiply": numpy.multiply_panels,
        "add_transposed_product": numpy.add_transposed_product,
    }
    files = Path(kernels.__file__).parent.glob("*.py")
    names = [file.stem for file in files if file.stem not in ("__init__", "graphs")]  # these have no models
    for module in [import_module(f"narlab.kernels.{name}") for name in names]:
        for name, value in list(vars(module).items()):
            plain = getattr(value, "py_func", None) or getattr(value, "__wrapped__", None)
            if plain is not None:
                monkeypatch.setattr(module, name, plain)
        for name, plain in stand_ins.items():
            if hasattr(module, name):
                monkeypatch.setattr(module, name, plain)
        if hasattr(module, "np"):
            monkeypatch.setattr(module, "np", numpy)
    count_winners(monkeypatch, numpy)
    return numpy


def count_winners(monkeypatch, numpy):
    """Products by the rows of winning messages are loops in a kernel: one row for the message and one for W2."""
    module = import_module("narlab.kernels.message_passing")
    plain = module.spread_to_winners

    def spread(messages, winner, d_inbox, out_rows, tile, gradients):
        numpy.flops += 2 * 2 * (tile[2] - tile[1]) * winner.shape[1] * messages.shape[1]
        return plain(messages, winner, d_inbox, out_rows, tile, gradients)

    monkeypatch.setattr(module, "spread_to_winners", spread)


def build(name, processor, steps=STEPS):
    torch.manual_seed(1)
    return models.build(name, processor=processor, hidden=HIDDEN, depth=steps)


@pytest.mark.parametrize(
    "processor",
    [
        *("mpnn_fc", "mpnn_g", "pgn", "gat", "two_wl"),
        *("hybrid_sigmoid", "hybrid_average:two_wl+two_wl", "hybrid_average:mpnn_g+mpnn_fc"),
    ],
)
@pytest.mark.parametrize("name", ["bfs", "minimum"])
def test_the_arithmetic_of_kernels_is_what_they_do(name, processor, batch_of, counted):
    model, batch = build(name, processor), batch_of(name, n=5, count=2)
    with torch.inference_mode():
        model(batch)
    assert counted.flops == flops.by_kernels(model, batch, backward=False) > 0
    counted.flops = 0
    sum(logits.sum() for logits in model(batch).outputs.values()).backward()
    assert counted.flops == flops.by_kernels(model, batch, backward=True)


@pytest.mark.parametrize("processor", ["mpnn_g", "gat"])
def test_so_it_is_with_hints(processor, batch_of, counted):
    """Pointers among hints are edges of their steps."""
    torch.manual_seed(1)
    model = models.build("bfs", processor=processor, hidden=HIDDEN, hints="encoded_decoded")
    batch = batch_of("bfs", n=5, count=2, hints=True)
    sum(logits.sum() for logits in model(batch).outputs.values()).backward()
    assert counted.flops == flops.by_kernels(model, batch, backward=True) > 0


def test_so_it_is_with_several_tiles_of_edges(batch_of, counted, monkeypatch):
    for module in [import_module(f"narlab.kernels.{name}") for name in ("messages", "message_passing")]:
        monkeypatch.setattr(module, "TILE", 8, raising=False)
    monkeypatch.setattr(flops, "TILE", 8)
    model, batch = build("bfs", "mpnn_g"), batch_of("bfs", n=7, count=3)
    sum(logits.sum() for logits in model(batch).outputs.values()).backward()
    assert counted.flops == flops.by_kernels(model, batch, backward=True)


def test_on_all_pairs_a_step_forward_is_that_of_the_plain_path(batch_of):
    def plain(steps):
        model = build("quicksort", "mpnn_fc", steps)
        model.uses_kernels = False
        return flops.by_pytorch(lambda: model(batch))

    batch = batch_of("quicksort")
    assert plain(3) - plain(2) == flops.by_kernels(build("quicksort", "mpnn_fc", 1), batch, backward=False) > 0


def test_processors_without_kernels_are_counted_by_pytorch_alone(batch_of):
    assert flops.by_kernels(build("bfs", "two_wl_all_pairs"), batch_of("bfs"), backward=True) == 0
    assert training_step(Case("two_wl_all_pairs", "bfs", 2, n=4, hidden=4, depth=2), kernels=True).flops > 0


def test_evaluation_is_counted_for_all_graphs():
    case = Case("mpnn_fc", "quicksort", 4, n=4, hidden=4, depth=2)
    one, all_of_them = (evaluation_of(case, at_a_time=size) for size in (1, 2))
    kernels = flops.by_kernels(case.build(), models.make_batch(case.samples()), backward=False)
    assert one.flops > all_of_them.flops > kernels  # weights are folded once per batch
    all_of_them.run()


def pid_of_the_process():
    return Workload(lambda: None, os.getpid())


def failing():
    raise ValueError("no such thing")


def ending():
    os._exit(3)


def ending_at_work():
    return Workload(ending, 1.0)


@pytest.mark.slow
def test_every_measurement_has_a_process_of_its_own():
    first, second = processes.in_turns([pid_of_the_process] * 2, repeats=2, threads=1)
    assert len({first.flops, second.flops, os.getpid()}) == 3
    assert first.memory > 1e8
    assert processes.alone(os.getpid, threads=1) != os.getpid()


@pytest.mark.slow
def test_a_failure_in_a_process_is_told():
    with pytest.raises(ValueError, match="no such thing"):
        processes.in_turns([failing], repeats=1, threads=1)
    for make in (ending, ending_at_work):
        with pytest.raises(processes.ProcessDiedError, match="code 3"):
            processes.in_turns([make], repeats=1, threads=1)


@pytest.mark.skipif(not Path("/proc/stat").exists(), reason="only Linux tells who works")
def test_a_process_that_works_is_seen_by_others():
    with subprocess.Popen([sys.executable, "-c", "while True: pass"]) as busy:
        try:
            assert used_by_others(0.5) > 0.25
        finally:
            busy.kill()


def measured(seconds, flops=1e9):
    return Measured(seconds, flops, 10**9, 0.0)


def test_goals_are_scaled_by_the_machine_and_by_parts():
    case, goal = Case("mpnn_fc", "quicksort", 32), training_steps.Goal(0.4, 1.6)
    twice_as_fast = measured(1.0, 220e9)
    row = training_steps.Row(case, goal, measured(0.1), measured(0.3), twice_as_fast, ())
    assert row.goal_seconds == pytest.approx(0.2)
    assert row.ratio == pytest.approx(3)
    hybrid = training_steps.Row(
        case, training_steps.NONE, measured(0.1), measured(0.3), twice_as_fast, (measured(1), measured(2))
    )
    assert hybrid.goal_seconds == pytest.approx(3.3)
    assert evaluations.Row(case, evaluations.Goal(3.0), 1, measured(1), twice_as_fast).goal_seconds == pytest.approx(
        1.5
    )


def test_the_time_of_an_edge_stands_beside_that_of_mpnn_g():
    cases = [Case(name, "bfs", 2, n=4, hidden=4, depth=2) for name in ("mpnn_g", "gat")]
    cases.append(replace(cases[1], hints="encoded_decoded"))
    times = (4e-6, 1e-6, 2e-6)
    mpnn, gat, hinted = rows = [
        training_steps.Row(case, training_steps.NONE, measured(seconds), measured(1.0), measured(1.0), ())
        for case, seconds in zip(cases, times, strict=True)
    ]
    edges = cases[0].build().graphs_of(models.make_batch(cases[0].samples())).adjacency.sum().item()
    assert mpnn.seconds_per_edge == pytest.approx(4e-6 / (2 * edges))
    assert gat.seconds_per_edge == pytest.approx(mpnn.seconds_per_edge / 4)
    assert hinted.seconds_per_edge is None
    shown = presentation.of_training(rows)
    assert len(shown.lines) == 1
    assert "ns per edge and step, 0.25 times those of mpnn_g" in shown.lines[0]
    assert [row[shown.columns.index("T")] for row in shown.rows] == ["2", "2", "hints"]


def test_a_case_with_hints_makes_the_steps_of_its_algorithm():
    case = Case("gat", "bfs", 2, n=4, hidden=4, depth=2, hints="encoded_decoded")
    step = training_step(case, kernels=True)
    assert step.flops > training_step(replace(case, hints="none"), kernels=True).flops
    step.run()


def test_a_hybrid_has_parts_of_its_width():
    parts = training_steps.parts_of(Case("hybrid_average", "bfs", 16))
    assert [(part.processor, part.width, part.graphs) for part in parts] == [("mpnn_g", 108, 16), ("two_wl", 108, 16)]
    named = training_steps.parts_of(Case("hybrid_average:mpnn_g+mpnn_g", "bfs", 16, hidden=8))
    assert [(part.processor, part.width) for part in named] == [("mpnn_g", 8)] * 2
    assert training_steps.parts_of(Case("two_wl", "bfs", 16)) == []


def test_rows_are_chosen_by_name():
    assert len(training_steps.chosen((), ())) == len(training_steps.TABLE) == 25
    assert {case.algorithm for case in training_steps.chosen(("two_wl",), ())} == {"quicksort", "bfs"}
    (case,) = training_steps.chosen(("two_wl",), ("dfs",))
    assert (case.processor, case.algorithm, case.graphs) == ("two_wl", "dfs", 16)
    for case in (*training_steps.TABLE, *evaluations.TABLE, *(growth.at(128, 128) for growth in scaling.GROWTHS)):
        case.check()


def test_a_triangle_step_is_counted(batch_of):
    """Per pair at width 32: 88 factors in whole lanes, 128 features to 64, 64 to 64; 8 counts of a node to 128.

    Before: 32 numbers to 16 values, 80 inputs to 64, 64 to 32, 80 inputs to 64 + 88.
    """
    batch = batch_of("bfs", n=5, count=2)
    model = models.build("bfs", processor="triangle", depth=3)
    pairs, nodes = 2 * 5 * 5, 2 * 5
    forward = 2 * (pairs * (32 * 88 + 128 * 64 + 64 * 64) + nodes * 8 * 128)
    start = 2 * pairs * (32 * 16 + 80 * 64 + 64 * 32 + 80 * 152)
    assert flops.by_kernels(model, batch, backward=False) == start + 3 * forward
    assert flops.by_kernels(model, batch, backward=True) == 3 * start + 3 * (3 * forward + 2 * pairs * 32 * 88)


@pytest.mark.slow
def test_products_over_pivots_have_a_rate():
    assert pivots.makers_of(Case("mpnn_g", "bfs", 2)) == []
    products, at_best = (make() for make in pivots.makers_of(Case("triangle", "bfs", 2, n=6)))
    products.run()
    assert products.flops % (6**3 * 80) == 0
    assert at_best.run() > 0
    assert at_best.flops > 1e8


def test_the_exponent_is_that_of_a_power():
    points = [SimpleNamespace(case=SimpleNamespace(nodes=n), seconds_per_graph=7e-6 * n**2.5) for n in scaling.SIZES]
    assert scaling.exponent(points) == pytest.approx(2.5)


def test_smaller_graphs_are_more():
    growth = scaling.Growth(Case("mpnn_fc", "quicksort", 4), 2, "about 2")
    assert [(growth.at(n, 128).n, growth.at(n, 128).graphs) for n in (128, 8)] == [(128, 4), (8, 1024)]
