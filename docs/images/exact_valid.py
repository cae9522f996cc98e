"""Draw exact_valid.png from what `narlab evaluate --json` wrote: exact against valid scores of trained models.

python docs/images/exact_valid.py bfs.json dfs.json ... docs/images/exact_valid.png
"""

import json
import sys
from pathlib import Path

from narlab.experiments.declaring.outcome import Plot, Series
from narlab.report.pictures.figures import save
from narlab.report.pictures.plots import figure

SCORES = {"elements": ("score", "valid_elements"), "whole instances": ("graph_score", "valid")}


def series(evaluation: dict, n: int, exact: str, valid: str) -> Series:
    """One task's point, with the 95 % interval of its valid score."""
    (found,) = (result for result in evaluation["results"] if result["n"] == n)
    half = 50 * (found[f"{valid}_high"] - found[f"{valid}_low"])
    return Series(evaluation["algorithm"], (100 * found[exact],), (100 * found[valid],), (half,))


def main(files: list[str], target: str) -> None:
    evaluations = [json.loads(Path(file).read_text()) for file in files]
    panels = {
        f"{level}, n={n}": tuple(series(evaluation, n, *names) for evaluation in evaluations)
        for level, names in SCORES.items()
        for n in (16, 64)
    }
    plot = Plot("exact_valid", "Exact against valid", "exact score, %", "valid score, %", panels, True, True)
    save(lambda: figure(plot), target)


if __name__ == "__main__":
    main(sys.argv[1:-1], sys.argv[-1])
