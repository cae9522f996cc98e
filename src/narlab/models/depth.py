"""How many recurrent steps a model makes: a number, a rule of the graph's size n, or as many as the algorithm made."""

import math
import re
from dataclasses import dataclass
from fractions import Fraction
from numbers import Integral

from narlab.common.errors import UsageError, brief

TRAJECTORY = "trajectory"
PAPER = 32
NUMBER = r"\d+(?:\.\d+)?"
RULE = re.compile(rf"(?:(?P<factor>{NUMBER})\*)?(?P<base>n|log2\(n\))(?:/(?P<divisor>{NUMBER}))?")
LARGEST = 100_000  # steps, and a factor of n a thousandth of it: more would never end
LONGEST = 40  # letters of a rule
VALID = f"an integer from 1 to {LARGEST}, {TRAJECTORY!r} or a rule such as 'n', 'n/2' or '4*log2(n)'"
ALMOST = 1e-9  # a logarithm that is an integer may come out a little above it


@dataclass(frozen=True)
class Depth:
    """`factor` times `base`, rounded up; with the base "1" a plain number, with "trajectory" what the samples bring.

    >>> [parse("n/2").of(n) for n in (16, 17, 64)]
    [8, 9, 32]
    >>> parse("4*log2(n)").of(64), parse(32).of(64), str(parse("0.5 * n"))
    (24, 32, 'n/2')
    """

    factor: Fraction
    base: str

    @property
    def is_trajectory(self) -> bool:
        """Whether each sample runs for as long as its algorithm did."""
        return self.base == TRAJECTORY

    @property
    def setting(self) -> int | str:
        """What `parse` takes for it, in one form only."""
        return int(self.factor) if self.base == "1" else str(self)

    def of(self, n: int) -> int:
        """The number of steps on graphs of `n` nodes, at least 1."""
        assert not self.is_trajectory, "the length of a trajectory is the sample's, not the graph's"
        if self.base == "log2(n)":
            return max(1, math.ceil(self.factor * Fraction(math.log2(n)) - Fraction(ALMOST)))
        return max(1, math.ceil(self.factor * (n if self.base == "n" else 1)))

    def __str__(self) -> str:
        if self.base == "1":
            return str(self.factor)
        multiple = "" if self.factor.numerator == 1 else f"{self.factor.numerator}*"
        return multiple + self.base + ("" if self.factor.denominator == 1 else f"/{self.factor.denominator}")


def parse(depth: int | str) -> Depth:
    """The depth that a setting stands for; raises a `UsageError` if it is none."""
    if isinstance(depth, Integral) and not isinstance(depth, bool) and 1 <= depth <= LARGEST:
        return Depth(Fraction(int(depth)), "1")
    if isinstance(depth, str) and len(depth) <= LONGEST:
        text = depth.replace(" ", "")
        if text == TRAJECTORY:
            return Depth(Fraction(1), TRAJECTORY)
        if text.isdecimal() and 1 <= int(text) <= LARGEST:
            return Depth(Fraction(int(text)), "1")
        if found := RULE.fullmatch(text):
            factor, divisor = (Fraction(found[part] or 1) for part in ("factor", "divisor"))
            if factor > 0 and divisor > 0 and factor / divisor <= LARGEST / 1000:
                return Depth(factor / divisor, found["base"])
    raise UsageError(f"depth must be {VALID}, got {brief(depth)}")
