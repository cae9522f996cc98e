"""What measures speed: making data, a training step, an evaluation, and how they grow.

The loss is the mean square of the logits: what a step costs does not hang on it, and losses are another layer's.
"""
