"""Draw what chooses a model against what the test says, a point per run, and print how well each foretells the test.

python docs/images/choosing.py docs/images/choosing.png
"""

import sys
from pathlib import Path

import numpy as np
from scipy.stats import spearmanr

from narlab.experiments.beyond import Models, choosing
from narlab.experiments.declaring.results import Finished
from narlab.report.pictures.figures import save
from narlab.report.pictures.plots import figure
from narlab.training.folder import Folder

ROOT = Path(__file__).parents[2]
HOMES = ("src/narlab/training/shipped/triangle", "results/beyond")


def models() -> Models:
    """The models that come with the package, and those of other seeds."""
    found: Models = {}
    for path in sorted(file.parent for home in HOMES for file in (ROOT / home).glob("*/result.json")):
        run, result = Folder(path).run().resolved(), Folder(path).result()
        assert result is not None
        found[run.algorithm, run.seed] = Finished(run, path, result)
    return found


if __name__ == "__main__":
    plot = choosing(models())
    for series in (series for panel in plot.panels.values() for series in panel):
        rank, apart = spearmanr(series.x, series.y).statistic, np.abs(np.subtract(series.x, series.y)).mean()
        print(f"{series.label}: {len(series.x)} runs, rank correlation with the test {rank:.2f}, {apart:.2f} apart")
    save(lambda: figure(plot), sys.argv[1])
