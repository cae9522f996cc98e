"""The benchmark's own training, as the paper's Table 1 has it without hints ("the same configuration").

A reading: the benchmark's first example has 3e-3 and 5,000 steps, its later one 1e-3 and 10,000, which are taken here.
The learning rate is constant, batches have 32 graphs, and T is the trajectory's own length.
"""

from narlab.models.depth import TRAJECTORY
from narlab.training.recipes._recipe import Recipe

RECIPE = Recipe(steps=10_000, batch_size=32, learning_rate=1e-3, schedule="constant", depth=TRAJECTORY)
