"""A training step of dm-clrs's baseline model in JAX, through its public interface."""

import logging
import os
import tempfile
import warnings
from typing import Any

import numpy as np

from narlab.bench.cases import SEED, Case
from narlab.bench.processes import Workload

PROCESSORS = {"mpnn_fc": "mpnn", "mpnn_g": "pgn"}
"""What dm-clrs calls them: messages over all pairs, and over the edges."""


def training_step(case: Case) -> Workload:
    """A step on one batch without hints, compiled beforehand."""
    warnings.simplefilter("ignore")  # of its libraries, about each other
    logging.disable(logging.WARNING)
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"  # TensorFlow, which dm-clrs loads, greets in this process, too
    import clrs
    import jax

    sampler, spec = clrs.build_sampler(case.algorithm, num_samples=case.graphs, length=case.nodes, seed=SEED)
    batches = iter(lambda: sampler.next(case.graphs), None)
    spec, batches = clrs.process_permutations(spec, batches, enforce_permutations=True)
    batch = _of_depth(clrs, next(batches), case.depth)
    model = clrs.models.BaselineModel(
        spec=spec,
        dummy_trajectory=batch,
        processor_factory=clrs.get_processor_factory(PROCESSORS[case.processor], use_ln=True, nb_triplet_fts=0),
        hidden_dim=case.width,
        encode_hints=False,
        decode_hints=False,
        learning_rate=1e-3,
        grad_clip_max_norm=1.0,
        checkpoint_path=tempfile.gettempdir(),  # nothing is written
    )
    model.init(batch.features, SEED)
    key = jax.random.PRNGKey(SEED)

    def run() -> None:
        jax.block_until_ready((model.feedback(key, batch), model.params))

    run()
    return Workload(run, 0.0)


def _of_depth(clrs: Any, batch: Any, depth: int) -> Any:
    """The batch with so many rows of hints that the model takes `depth` steps: one less than there are rows."""
    rows = depth + 1
    hints = tuple(
        clrs.DataPoint(hint.name, hint.location, hint.type_, np.resize(hint.data, (rows, *hint.data.shape[1:])))
        for hint in batch.features.hints
    )
    lengths = np.full_like(batch.features.lengths, rows)
    return batch._replace(features=batch.features._replace(hints=hints, lengths=lengths))
