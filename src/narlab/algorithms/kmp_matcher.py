"""Knuth–Morris–Pratt string matching (CLRS 32.4): the first place of the haystack where the needle stands."""

import numpy as np

from narlab.algorithms.engine import Algorithm, compiled, in_place, jitted, of_sample, records
from narlab.algorithms.engine.checking import check_strings
from narlab.algorithms.parts.strings import read, two_index_chains
from narlab.algorithms.parts.valid_matches import MATCHED
from narlab.algorithms.sampling.strings import HaystackSampler
from narlab.specs import Location, Meaning, Probe, Type

PROBES = (
    Probe.input("string", Location.NODE, Type.MASK, meaning="0 for the haystack, 1 for the needle"),
    Probe.input("pos", Location.NODE, Type.SCALAR, meaning=Meaning.POS_OF_STRINGS),
    Probe.input("key", Location.NODE, Type.CATEGORICAL, categories=4, meaning=Meaning.LETTER),
    Probe.output(
        "match",
        Location.NODE,
        Type.MASK_ONE,
        meaning="where the needle begins in the haystack, the first time; without a match the needle's first letter",
    ),
    Probe.hint("pred_h", Location.NODE, Type.POINTER, meaning=Meaning.TWO_INDEX_ORDERS),
    Probe.hint(
        "pi",
        Location.NODE,
        Type.POINTER,
        meaning="the prefix function: the letter of the needle to go on from after a mismatch",
    ),
    Probe.hint("is_reset", Location.NODE, Type.MASK, meaning="whether a mismatch there leads back to nothing"),
    Probe.hint(
        "k", Location.NODE, Type.MASK_ONE, meaning="the letter of the needle that the prefix function has matched"
    ),
    Probe.hint("k_reset", Location.GRAPH, Type.MASK, meaning="whether it has matched none"),
    Probe.hint("q", Location.NODE, Type.MASK_ONE, meaning="the letter of the needle that is matched so far"),
    Probe.hint("q_reset", Location.GRAPH, Type.MASK, meaning="whether none is"),
    Probe.hint("s", Location.NODE, Type.MASK_ONE, meaning="where the needle would begin"),
    Probe.hint("i", Location.NODE, Type.MASK_ONE, meaning="the letter of the haystack that is looked at"),
    Probe.hint(
        "phase", Location.GRAPH, Type.MASK, meaning="0 while the prefix function is found, 1 while the haystack is read"
    ),
)
Inputs, Outputs, Hints = records(__name__, PROBES)
NONE = -1  # the state in which no letter of the needle matches
BUILD, SCAN = range(2)


@in_place
def probe(hints, t, h, pi, k, q, q_reset, s, i, phase):
    """Write row t. State NONE is shown as the needle's first node with a reset flag."""
    two_index_chains(h, hints.pred_h[t])
    for v in range(h):
        hints.pi[t, v] = v
    for j in range(len(pi)):
        hints.pi[t, h + j] = h + max(pi[j], 0)
        hints.is_reset[t, h + j] = pi[j] == NONE
    hints.k[t, h + max(k, 0)] = hints.q[t, h + max(q, 0)] = hints.s[t, s] = hints.i[t, i] = 1
    hints.k_reset[t], hints.q_reset[t], hints.phase[t] = k == NONE, q_reset, phase


@jitted
def compute_prefix_function(P, h, pi, hints):
    """Fill `pi`: pi[q] is the last letter of the longest prefix that ends, too, at letter q; return state and rows."""
    rows, t = len(hints.phase), 0
    m = len(P)
    for q in range(m):
        pi[q] = q  # a link that is not known yet points to itself
    pi[0] = k = NONE
    if t < rows:
        probe(hints, t, h, pi, k, min(1, m - 1), True, 0, 0, BUILD)
    t += 1
    for q in range(1, m):
        while k > NONE and P[k + 1] != P[q]:
            k = pi[k]
            if t < rows:
                probe(hints, t, h, pi, k, q, True, 0, 0, BUILD)
            t += 1
        if P[k + 1] == P[q]:
            k += 1
        pi[q] = k
        if t < rows:
            probe(hints, t, h, pi, k, q, True, 0, 0, BUILD)
        t += 1
    return k, t


@jitted
def kmp_matcher(T, P, pi, hints):
    """Return the first alignment at which P stands in T, or len(T) if there is none, and the number of rows."""
    rows = len(hints.phase)
    h, m = len(T), len(P)
    k, t = compute_prefix_function(P, h, pi, hints)
    q = NONE
    for i in range(h):
        s = max(0, i - m + 1)
        if t < rows:
            probe(hints, t, h, pi, k, q, q == NONE, s, i, SCAN)
        t += 1
        while q > NONE and P[q + 1] != T[i]:
            q = pi[q]
            if t < rows:
                probe(hints, t, h, pi, k, q, q == NONE, s, i, SCAN)
            t += 1
        if P[q + 1] == T[i]:
            if q == m - 2:
                return s, t
            q += 1
    return h, t


@compiled
def run(inputs, outputs, hints, lengths):
    n = inputs.string.shape[1]
    letters, links = np.zeros(n, np.int64), np.zeros(n, np.int64)
    for b in range(len(lengths)):
        h = read(inputs.string[b], inputs.key[b], letters)
        match, lengths[b] = kmp_matcher(letters[:h], letters[h:], links[h:], of_sample(hints, b))
        outputs.match[b, match] = 1


ALGORITHM = Algorithm(
    name="kmp_matcher",
    family="strings",
    probes=PROBES,
    records=(Inputs, Outputs, Hints),
    sampler=HaystackSampler(),
    run=run,
    lengths_at_16=(6, 21),
    multiplier=64,
    smallest=3,
    check=check_strings,
    validity=MATCHED,
)
