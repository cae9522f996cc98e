"""Erdős–Rényi in the benchmark's form: an undirected graph keeps an edge with p squared and a self-loop with p."""

from narlab.algorithms.sampling.graphs import ErdosRenyi as Family

__all__ = ["Family"]
