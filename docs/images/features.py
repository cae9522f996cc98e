"""Draw what single features of the pair state mean after each step, for sorting and depth-first search.

python docs/images/features.py docs/images/features.png

For each relation of two nodes, such as "j is an ancestor of i", the feature that is best correlated with it after each
step, over 64 graphs of 16 nodes; and beside it that feature on one graph, step by step, next to the relation itself.
"""

import sys

import numpy as np
import torch
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import narlab
from narlab.report.pictures.figures import save

GRAPHS, N, SEED = 64, 16, 7
SHOWN = (0, 1, 3)  # steps, and the last one
TASKS = {"quicksort": "j is sorted right before i", "dfs": "j is i's parent"}
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#000000")


def relations_of_sorting(samples: narlab.data.Dataset) -> dict[str, np.ndarray]:
    """Relations [B, N, N] of i (row) and j (column)."""
    key = samples.inputs["key"]
    rank = key.argsort(1, kind="stable").argsort(1)
    ahead = rank[:, :, None] - rank[:, None, :]
    return {
        "j's key is smaller": ahead > 0,
        TASKS["quicksort"]: ahead == 1,
        "j is sorted two before i": ahead == 2,
        "difference of ranks": ahead,
        "j stands before i in the input": np.broadcast_to(np.tri(N, N, -1), ahead.shape),
    }


def relations_of_dfs(samples: narlab.data.Dataset) -> dict[str, np.ndarray]:
    """The same, from the forest and the edges."""
    parent = samples.outputs["pi"].astype(int)
    graphs, nodes = np.arange(len(parent))[:, None], np.arange(N)
    is_parent = np.zeros((len(parent), N, N), bool)
    is_parent[graphs, nodes, parent] = True
    is_parent &= ~np.eye(N, dtype=bool)
    ancestor, above = is_parent.copy(), parent
    for _ in range(N):
        above = parent[graphs, above]
        ancestor[graphs, nodes, above] = True
    ancestor &= ~np.eye(N, dtype=bool)
    edge = samples.inputs["A"].astype(bool)
    return {
        "an edge leads from j to i": edge.transpose(0, 2, 1) & ~np.eye(N, dtype=bool),
        TASKS["dfs"]: is_parent,
        "j is i's ancestor": ancestor,
        "i is j's ancestor": ancestor.transpose(0, 2, 1),
        "j stands before i in the input": np.broadcast_to(np.tri(N, N, -1), edge.shape),
    }


RELATIONS = {"quicksort": relations_of_sorting, "dfs": relations_of_dfs}


def features(task: str, samples: narlab.data.Dataset) -> np.ndarray:
    """The pair state after each step, [T, B, N, N, D]."""
    model = narlab.pretrained(task)
    with torch.inference_mode():
        states = model.states(narlab.models.make_batch(samples))
    return np.stack([state.e.numpy() for state in states])


def correlations(states: np.ndarray, relation: np.ndarray) -> np.ndarray:
    """Of each feature after each step with the relation, over all pairs of two nodes, [T, D]."""
    apart = np.broadcast_to(~np.eye(N, dtype=bool), relation.shape)
    x, y = states[:, apart].astype(float), relation[apart].astype(float)
    x, y = x - x.mean(1, keepdims=True), y - y.mean()
    return np.einsum("tpd,p->td", x, y) / np.sqrt((x**2).sum(1) * (y**2).sum() + 1e-12)


def draw_lines(axes: Axes, task: str, found: dict[str, np.ndarray]) -> None:
    for (relation, by_feature), colour in zip(found.items(), COLOURS, strict=False):
        best = np.abs(by_feature).max(1)
        axes.plot(range(1, len(best) + 1), best, marker="o", markersize=3, color=colour, label=relation)
    axes.set(title=f"{task}: the feature that says it best", xlabel="step", ylabel="correlation", ylim=(0, 1))
    axes.legend(fontsize=6, loc="upper center", bbox_to_anchor=(0.5, -0.2), ncols=2, frameon=False)


def draw_matrix(axes: Axes, values: np.ndarray, title: str) -> None:
    limit = np.abs(values).max()
    axes.imshow(values, cmap="PuOr", vmin=-limit, vmax=limit)
    axes.set_title(title, fontsize=8)
    axes.set_xticks([])
    axes.set_yticks([])


def draw_task(row: np.ndarray, task: str) -> None:
    samples = narlab.data.custom(task, n=N, count=GRAPHS, seed=SEED)
    states, relations = features(task, samples), RELATIONS[task](samples)
    found = {name: correlations(states, relation) for name, relation in relations.items()}
    draw_lines(row[0], task, found)
    told = found[TASKS[task]][-1]
    best = int(np.abs(told).argmax())
    order = samples.inputs["key"][0].argsort() if task == "quicksort" else np.arange(N)
    for axes, step in zip(row[1:-1], (*SHOWN, len(states) - 1), strict=True):
        values = np.sign(told[best]) * states[step, 0, :, :, best]
        values = values - values.mean()
        np.fill_diagonal(values, 0)
        draw_matrix(axes, values[np.ix_(order, order)], f"feature {best} after step {step + 1}")
    draw_matrix(row[-1], relations[TASKS[task]][0][np.ix_(order, order)].astype(float), TASKS[task])
    row[1].set_ylabel("i, by rank" if task == "quicksort" else "i", fontsize=8)
    row[1].set_xlabel("j", fontsize=8)


def draw() -> Figure:
    figure = Figure(figsize=(12, 5.6), layout="constrained")
    for row, task in zip(figure.subplots(2, 6, width_ratios=(1.7, 1, 1, 1, 1, 1)), TASKS, strict=True):
        draw_task(row, task)
    return figure


if __name__ == "__main__":
    save(draw, sys.argv[1])
