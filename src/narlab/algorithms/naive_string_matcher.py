"""Naive string matching (CLRS 32.1): the first place of the haystack where the needle stands, by trying each one."""

import numpy as np

from narlab.algorithms.engine import Algorithm, compiled, in_place, jitted, of_sample, records
from narlab.algorithms.engine.checking import check_strings
from narlab.algorithms.parts.strings import read, two_index_chains
from narlab.algorithms.parts.valid_matches import MATCHED
from narlab.algorithms.sampling.strings import HaystackSampler
from narlab.common.errors import UsageError
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
    Probe.hint("s", Location.NODE, Type.MASK_ONE, meaning="where the needle would begin"),
    Probe.hint("i", Location.NODE, Type.MASK_ONE, meaning="the letter of the haystack that is compared"),
    Probe.hint("j", Location.NODE, Type.MASK_ONE, meaning="the letter of the needle that it is compared with"),
)
Inputs, Outputs, Hints = records(__name__, PROBES)


@in_place
def probe(hints, t, h, s, j):
    """Write row t: needle letter j is held against the haystack at alignment s."""
    two_index_chains(h, hints.pred_h[t])
    hints.s[t, s] = hints.i[t, s + j] = hints.j[t, h + j] = 1


@jitted
def naive_string_matcher(T, P, hints):
    """Return the first alignment at which P stands in T, or len(T) if there is none, and the number of rows."""
    rows, t = len(hints.pred_h), 0
    h, m = len(T), len(P)
    for s in range(h - m + 1):
        j = 0
        if t < rows:
            probe(hints, t, h, s, j)
        t += 1
        while T[s + j] == P[j]:
            if j == m - 1:
                return s, t
            j += 1
            if t < rows:
                probe(hints, t, h, s, j)
            t += 1
    return h, t


@compiled
def run(inputs, outputs, hints, lengths):
    letters = np.zeros(inputs.string.shape[1], np.int64)
    for b in range(len(lengths)):
        h = read(inputs.string[b], inputs.key[b], letters)
        match, lengths[b] = naive_string_matcher(letters[:h], letters[h:], of_sample(hints, b))
        outputs.match[b, match] = 1


def check_lengths(arrays: dict[str, np.ndarray]) -> None:
    """The needle fits into the haystack: otherwise there is no alignment to try, and no row."""
    check_strings(arrays)
    needle = arrays["string"].sum(axis=1, dtype=np.int64)
    haystack = arrays["string"].shape[1] - needle
    if (needle > haystack).any():
        sample = int(np.flatnonzero(needle > haystack)[0])
        raise UsageError(
            f"input 'string' must have a needle (1) that is no longer than its haystack (0), "
            f"got {needle[sample]} and {haystack[sample]} nodes in sample {sample}"
        )


ALGORITHM = Algorithm(
    name="naive_string_matcher",
    family="strings",
    probes=PROBES,
    records=(Inputs, Outputs, Hints),
    sampler=HaystackSampler(),
    run=run,
    lengths_at_16=(3, 20),
    multiplier=64,
    smallest=3,
    check=check_lengths,
    validity=MATCHED,
)
