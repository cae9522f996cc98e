"""All that is random about a run, as functions of its seed: nothing has to be saved to go on with the same bits."""

from functools import lru_cache

import numpy as np
import torch

WEIGHTS, BATCHES, ORDER, EVALUATION, ASKING, RUNGS = range(6)


def number(seed: int, purpose: int, step: int = 0) -> int:
    """A seed for one purpose at one step."""
    return int(np.random.SeedSequence([seed, purpose, step]).generate_state(1, np.uint64)[0] >> np.uint64(1))


def generator(seed: int, purpose: int, step: int) -> torch.Generator:
    """The random stream of one purpose at one step."""
    return torch.Generator().manual_seed(number(seed, purpose, step))


@lru_cache(maxsize=2)
def order(seed: int, epoch: int, count: int) -> np.ndarray:
    """The order in which one pass over the training samples sees them."""
    keys = np.random.Generator(np.random.Philox(key=number(seed, ORDER, epoch))).random(count)
    return keys.argsort(kind="stable")


@lru_cache(maxsize=2)
def rungs(seed: int, count: int, steps: int) -> np.ndarray:
    """Which of `count` rungs each of `steps` training steps is on, [steps]; more steps begin with the same."""
    draws = np.random.Generator(np.random.Philox(key=number(seed, RUNGS))).random(steps)
    return (draws * count).astype(np.int64)


def indices(seed: int, start: int, stop: int, count: int) -> np.ndarray:
    """The samples, of `count`, that training sees from place `start` to `stop`: passes go on without a break."""
    epochs = range(start // count, -(-stop // count))
    parts = [order(seed, epoch, count)[max(start - epoch * count, 0) : stop - epoch * count] for epoch in epochs]
    return np.concatenate(parts)
