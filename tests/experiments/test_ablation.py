"""The ablation: its columns, and what its table of differences says."""

import pytest

from narlab.experiments import ablation
from narlab.experiments.declaring.design import DesignScores


def scores_of(columns):
    """Scores of two tasks and a seed or two: `columns` maps a column to the values of each task by seed."""
    values = {(task, column): found for column, of_tasks in columns.items() for task, found in of_tasks.items()}
    return DesignScores(("dfs", "bridges"), ("dfs", "bridges"), tuple(columns), values)


def test_the_final_model_is_a_column_of_both_designs_and_is_trained_once():
    found = ablation.runs(ablation.ALGORITHMS, [42, 43, 44])
    assert len(found) == len(set(found)) == 19 * 8 * 3
    assert all(ablation.FINAL in design.columns for _, design in ablation.DESIGNS.values())


def test_each_column_is_compared_with_the_one_before_or_with_the_final_model():
    built_up = ablation.COMPARED["built_up"]
    assert (built_up["+ learning rate"], built_up["final"]) == ("the paper's", "+ choice by the ladder")
    assert set(ablation.COMPARED["taken_away"].values()) == {"final"}


def test_a_difference_is_that_of_the_tasks_and_seeds_that_both_columns_have():
    scores = scores_of(
        {
            "final": {"dfs": {42: 90.0, 43: 80.0}, "bridges": {42: 100.0}},
            "less": {"dfs": {42: 70.0}, "bridges": {43: 10.0}},
        }
    )
    assert ablation.differences(scores, "less", "final") == [-20.0]
    assert ablation.differences(scores, "final", "final") == [0.0, 0.0]


def test_the_table_has_the_mean_difference_between_its_bounds():
    scores = scores_of(
        {
            "final": {"dfs": {42: 90.0}, "bridges": {42: 100.0}},
            "less": {"dfs": {42: 70.0}, "bridges": {42: 90.0}},
            "not run": {"dfs": {}, "bridges": {}},
        }
    )
    table = ablation.worth("worth", "title", scores, {"less": "final", "not run": "final"})
    mean, low, high = (table.cells["less", label].number.mean for label in ablation.WORTH)
    assert (mean, low, high) == (-15.0, -20.0, -10.0)
    assert all(not table.cells["not run", label].ours for label in ablation.WORTH)


def test_equal_differences_leave_no_doubt():
    assert ablation.interval([3.0, 3.0, 3.0]) == pytest.approx((3.0, 3.0))
