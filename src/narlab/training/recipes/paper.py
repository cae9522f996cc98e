"""The paper's training: Adam with 1e-4, a cosine to 0 over 20,000 steps, the last among the best validations.

The paper evaluates every 10 steps; 100 and 1,000 cost less and rarely choose another model.
"""

from narlab.training.recipes._recipe import Recipe

RECIPE = Recipe()
