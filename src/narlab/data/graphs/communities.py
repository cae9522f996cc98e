"""k dense communities with few arcs from earlier to later ones, as the benchmark's strongly_connected_components."""

from narlab.algorithms.sampling.graphs import Communities as Family

__all__ = ["Family"]
