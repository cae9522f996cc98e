"""When the answer of a string matcher is valid: one judge for all matchers, because they answer one question."""

import numpy as np

from narlab.algorithms.engine.validity import Arrays, Defect, Validity
from narlab.algorithms.parts.strings import read
from narlab.compiling import compiled, in_place


@in_place
def occurs_at(letters, h, s):
    """Whether the needle, all letters from h on, stands in the haystack, the first h letters, at alignment s."""
    if s + len(letters) - h > h:
        return False
    for k in range(len(letters) - h):
        if letters[s + k] != letters[h + k]:
            return False
    return True


@in_place
def occurs(letters, h):
    """Whether the needle stands anywhere in the haystack."""
    for s in range(h):
        if occurs_at(letters, h, s):
            return True
    return False


@compiled
def judge(inputs, outputs, verdicts):
    letters = np.zeros(inputs.string.shape[1], np.int64)
    for b in range(len(verdicts.valid)):
        h = read(inputs.string[b], inputs.key[b], letters)
        match = np.argmax(outputs.match[b])
        right = occurs_at(letters, h, match) or (match == h and not occurs(letters, h))
        verdicts.valid[b] = verdicts.elements.match[b] = right


def defects(inputs: Arrays, outputs: Arrays) -> list[Defect]:
    h, letters = int((inputs["string"] == 0).sum()), inputs["key"].argmax(-1)
    haystack, needle = letters[:h].tolist(), letters[h:].tolist()
    match = int(outputs["match"].argmax())
    places = [s for s in range(h) if haystack[s : s + len(needle)] == needle]
    if match in places or (match == h and not places):
        return []
    if match >= h and places:
        text = f"node {match} is in the needle, but that stands in the haystack at node {places[0]}"
        return [Defect(text, (match, places[0]))]
    if match >= h:
        text = f"node {match} is in the needle; that it stands nowhere is said by its first node, {h}"
        return [Defect(text, (match, h))]
    return [mismatch(match, haystack, needle)]


def mismatch(match: int, haystack: list[int], needle: list[int]) -> Defect:
    """The first letter of the needle that does not stand in the haystack at `match`."""
    h = len(haystack)
    for k, letter in enumerate(needle):
        if match + k >= h:
            return Defect(f"the needle does not fit behind node {match}: it has {len(needle)} letters", (match,))
        if haystack[match + k] != letter:
            text = f"at node {match} the needle's letter {k} is {letter}, but node {match + k} is {haystack[match + k]}"
            return Defect(text, (match, match + k, h + k))
    raise AssertionError("the needle stands there")


MATCHED = Validity(
    judge=judge,
    defects=defects,
    rule="the needle stands in the haystack at the given node; if it stands nowhere, the needle's first node is given",
    theorem="the string-matching problem (CLRS 32): a valid shift s has T[s + 1 .. s + m] = P[1 .. m]",
    ties="every occurrence is as good as the first one",
    elements="the verdict on the only answer",
    value=None,
)
