"""The table of docs/validity.md: what makes an answer valid, for each of the 30 algorithms, in its file's own words."""

from narlab import algorithms
from narlab.algorithms.engine.validity import validity_of

COLUMNS = ("algorithm", "an answer is valid if", "what is checked", "tie or error", "an element is right if", "gap of")


def validity_table() -> str:
    """Markdown, a line for each algorithm.

    >>> print(validity_table().splitlines()[0])
    | algorithm | an answer is valid if | what is checked | tie or error | an element is right if | gap of |
    """
    lines = [COLUMNS, ("---",) * len(COLUMNS), *map(_row, algorithms.CLRS_30)]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def _row(name: str) -> tuple[str, ...]:
    found = validity_of(algorithms.get(name))
    texts = (found.rule, found.theorem, found.ties, found.elements, found.value or "-")
    return (f"`{name}`", *(text.replace("|", r"\|") for text in texts))


if __name__ == "__main__":
    print(validity_table(), end="")
