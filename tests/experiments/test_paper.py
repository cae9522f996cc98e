"""The paper's numbers ship with the package and say what the paper says."""

import pytest

from narlab.algorithms import DISTINCT, names
from narlab.experiments import main
from narlab.experiments.declaring import paper
from narlab.experiments.declaring.outcome import Number
from narlab.experiments.declaring.selection import Selection


def test_all_tables_can_be_read():
    assert len(paper.names()) == 12
    for name in paper.names():
        assert paper.read(name).cells, name


def test_names_are_narlabs():
    assert paper.read("main_test_scalar_index").get("bfs", "two_wl") == Number(100.0, 0.0)
    assert paper.read("main_summary").get("random_scalar", "hybrid_average") == Number(74.33)
    assert paper.read("hybrid_ablation").get("mean", "hybrid_average:mpnn_g+mpnn_g") == Number(68.77, 0.61)
    rows = {row for row, _ in paper.read("hints_vs_no_hints").cells}
    assert rows - {"mean", "validation_score_mean"} == set(names())


def test_an_unknown_table_is_named():
    with pytest.raises(ValueError, match="unknown table of the paper 'low_dat'; did you mean 'low_data'"):
        paper.read("low_dat")


@pytest.mark.parametrize("position", main.POSITIONS)
def test_its_means_are_the_means_of_its_cells(position):
    numbers = paper.read(f"main_test_{position}_index")
    for processor in main.PROCESSORS:
        said = numbers.get("mean", processor)
        assert numbers.mean(tuple(DISTINCT), processor).mean == pytest.approx(said.mean, abs=0.011)


def test_its_weighted_means_have_our_weights():
    numbers = paper.read("main_test_random_scalar_index")
    for processor in main.PROCESSORS:
        said = numbers.get("weighted_mean", processor)
        assert numbers.mean(tuple(DISTINCT), processor, DISTINCT).mean == pytest.approx(said.mean, abs=0.011)


def test_a_mean_needs_all_of_its_rows():
    numbers = paper.read("low_data")
    assert numbers.mean(["bfs", "minimum"], "mpnn_g") is None
    assert numbers.mean([], "mpnn_g") is None
    assert numbers.mean(["bfs", "dfs"], "mpnn_g") == Number(pytest.approx((100 + 26.19) / 2))


def test_the_wins_of_table_1_follow_from_its_numbers(tmp_path):
    outcome = Selection.of("hints", budget="paper").outcome(tmp_path)
    wins = next(table for table in outcome.tables if table.name == "wins")
    said = {column: wins.cells["wins", column].paper.mean for column in wins.columns}
    assert said == {
        "mpnn_fc/hints": 8,
        "mpnn_fc/no_hints": 22,
        "pgn/hints": 10,
        "pgn/no_hints": 20,
        "gat/hints": 14,
        "gat/no_hints": 16,
    }


def test_tables_show_the_papers_means(tmp_path):
    means = {
        ("controlled-shift", "graph_level"): [45.17, 50.75, 57.77],
        ("positions", "mpnn_fc"): [54.85, 63.24, 61.23],
        ("low-data", "test"): [70.07, 66.61, 72.37],
        ("hybrids", "test"): [68.77, 69.57, 70.92, 71.98],
        ("main", "validation_scalar"): [96.46, 97.95, 98.30, 98.55],
    }
    for (experiment, name), expected in means.items():
        tables = Selection.of(experiment, budget="paper").outcome(tmp_path).tables
        table = next(table for table in tables if table.name == name)
        assert [table.cells["mean", column].paper.mean for column in table.columns] == expected
