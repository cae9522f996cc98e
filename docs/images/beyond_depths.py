"""Draw scores against the number of steps: all models of three seeds, asked about the same graphs of 32 nodes.

python docs/images/beyond_depths.py docs/images/beyond_depths.png; it takes about ten minutes of one core, and prints
the table.
"""

import sys

from choosing import models

from narlab.experiments.beyond import DEPTH_SIZE, DEPTHS, SIZES, ask_depths, depths_plot
from narlab.report.pictures.figures import save
from narlab.report.pictures.plots import figure


def told() -> dict[str, list[dict[str, float]]]:
    """What each model of a task scores by depth; prints it."""
    found: dict[str, list[dict[str, float]]] = {}
    print(f"| task | seed | {' | '.join(DEPTHS)} |", f"|---|---|{'---:|' * len(DEPTHS)}", sep="\n")
    for (task, seed), model in sorted(models().items()):
        scores = ask_depths(model, {DEPTH_SIZE: SIZES[DEPTH_SIZE]}, lambda _: None)
        print(f"| {task} | {seed} | {' | '.join(f'{scores[rule]:.2f}' for rule in DEPTHS)} |", flush=True)
        found.setdefault(task, []).append(scores)
    return found


if __name__ == "__main__":
    plot = depths_plot(told(), DEPTH_SIZE)
    save(lambda: figure(plot), sys.argv[1])
