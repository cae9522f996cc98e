"""Floyd-Warshall (CLRS 25.2): for each pair of nodes, the last node before the end of a shortest path."""

from narlab.algorithms.engine import Algorithm, compiled, in_place, jitted, of_sample, records
from narlab.algorithms.sampling.graphs import ErdosRenyi, GraphSampler
from narlab.specs import Location, Probe, Type

PROBES = (
    Probe.input("pos", Location.NODE, Type.SCALAR),
    Probe.input("A", Location.EDGE, Type.SCALAR),
    Probe.input("adj", Location.EDGE, Type.MASK),
    Probe.output("Pi", Location.EDGE, Type.POINTER),
    Probe.hint("Pi_h", Location.EDGE, Type.POINTER),
    Probe.hint("D", Location.EDGE, Type.SCALAR),
    Probe.hint("msk", Location.EDGE, Type.MASK),
    Probe.hint("k", Location.NODE, Type.MASK_ONE),
)
Inputs, Outputs, Hints = records(__name__, PROBES)


@in_place
def probe(hints, k, Pi, D, known):
    """Write the row of node k, if rows are wanted."""
    if k < len(hints.k):
        n = len(D)
        for i in range(n):
            for j in range(n):
                hints.Pi_h[k, i, j] = Pi[i, j]
                hints.D[k, i, j] = D[i, j]
                hints.msk[k, i, j] = known[i, j]
        hints.k[k, k] = 1


@jitted
def floyd_warshall(A, adj, Pi, hints):
    """Fill `Pi`, [N, N]; return the number of rows."""
    n = len(A)
    D, known = A.copy(), adj.copy()
    for i in range(n):
        for j in range(n):
            Pi[i, j] = i
    for k in range(n):
        probe(hints, k, Pi, D, known)  # probe
        to_k, from_k = D[:, k].copy(), D[k].copy()  # negative weights would change them on the way
        for i in range(n):
            if known[i, k]:
                for j in range(n):
                    if known[k, j] and (not known[i, j] or to_k[i] + from_k[j] < D[i, j]):
                        D[i, j], Pi[i, j], known[i, j] = to_k[i] + from_k[j], Pi[k, j], 1
    return n


@compiled
def run(inputs, outputs, hints, lengths):
    for b in range(len(lengths)):
        lengths[b] = floyd_warshall(inputs.A[b], inputs.adj[b], outputs.Pi[b], of_sample(hints, b))


ALGORITHM = Algorithm(
    name="floyd_warshall",
    family="graphs",
    probes=PROBES,
    records=(Inputs, Outputs, Hints),
    sampler=GraphSampler(ErdosRenyi(0.5), weighted=True),
    run=run,
    lengths_at_16=(16, 16),
    rows=lambda n: n,
)
