"""A brisk recipe: few steps, a larger learning rate that warms up, and averaged weights."""

from narlab.training.recipes import Recipe

RECIPE = Recipe(steps=500, learning_rate=1e-3, warm_up=50, averaging=0.99, validate_every=50, test_every=500)
