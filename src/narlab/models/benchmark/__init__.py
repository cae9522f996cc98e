"""How long models take: a training step, an evaluation, and how both grow, with compiled kernels and without.

The loss is the mean square of the logits: what a step costs does not hang on it, and losses are another layer's.
"""
