"""Protocols: how a number came about, as a short name that stands beside it.

Numbers of the same protocol can be compared, whatever the model, the algorithm and the seed: data, depth, what models
are chosen on, and the metric were the same.
"""

import hashlib
import json

from narlab.common.catalogue import split_options
from narlab.training.run import Run


def protocol_name(run: Run) -> str:
    """The recipe's name and a digest of what `Recipe.protocol` says.

    >>> protocol_name(Run("bfs")) == protocol_name(Run("dfs", processor="two_wl", seed=1, steps=5))
    True
    """
    filled = run.resolved()
    facts = filled.training_recipe().protocol(filled)
    digest = hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()[:6]
    return f"{split_options(filled.recipe)[0]}-{digest}"
