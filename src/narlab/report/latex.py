"""Pieces of LaTeX: text that means only itself, and tables with the rules of booktabs."""

from collections.abc import Sequence

SPECIAL = {
    "\\": r"\textbackslash{}",
    **{mark: "\\" + mark for mark in "{}$&#_%"},
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "\n": " ",
    "[": "{[}",  # at the beginning of a row it would belong to the end of the row before it, and so would *
    "*": "{*}",
    **{sign: rf"\ensuremath{{{name}}}" for sign, name in (("±", r"\pm"), ("×", r"\times"), ("−", "-"))},
    **{sign: rf"\ensuremath{{\{name}}}" for sign, name in (("→", "to"), ("≤", "leq"), ("≥", "geq"), ("Δ", "Delta"))},
}
FITTED = r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%"  # never wider than the page


def escape(text: str) -> str:
    """`text` as LaTeX prints it."""
    return "".join(SPECIAL.get(letter, letter) for letter in text)


def ruled(groups: Sequence[tuple[str, Sequence[str]]], body: Sequence[Sequence[str]]) -> list[str]:
    """A tabular: named groups of columns over their heads, then rows that are LaTeX already."""
    names, rules, heads, first = [""], [], [""], 2
    for name, columns in groups:
        last = first + len(columns) - 1
        names.append(rf"\multicolumn{{{len(columns)}}}{{c}}{{{escape(name)}}}")
        rules.append(rf"\cmidrule(lr){{{first}-{last}}}")
        heads += columns
        first = last + 1
    has_heads = any(len(columns) > 1 for _, columns in groups)
    head = [_row(names), *(["".join(rules), _row(heads)] if has_heads else [])]
    form = "l" + "r" * (first - 2)
    lines = [r"\toprule", *head, r"\midrule", *map(_row, body), r"\bottomrule"]
    return [rf"\begin{{tabular}}{{{form}}}", *lines, r"\end{tabular}"]


def environment(tabular: Sequence[str], caption: str, label: str, below: Sequence[str]) -> str:
    """A float with the tabular, and small lines of text below it."""
    small = [rf"\par\smallskip{{\footnotesize {escape(text)}}}" for text in below]
    head = [r"\begin{table}[t]", r"\centering", rf"\caption{{{escape(caption)}}}", rf"\label{{{label}}}", FITTED]
    return "\n".join([*head, *tabular, "}", *small, r"\end{table}", ""])


def _row(texts: Sequence[str]) -> str:
    return " & ".join(texts).strip() + r" \\"
