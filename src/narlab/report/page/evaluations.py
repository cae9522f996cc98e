"""What `narlab evaluate` has left in a run's folder, as a table: a line for each data set, a column for each metric."""

from collections.abc import Mapping, Sequence
from typing import Any

from narlab.report.page.markup import Markup, element
from narlab.report.table_words import EMPTY

FACTS = ("data", "n", "graphs", "count")
Record = Mapping[str, Any]


def table(evaluations: Sequence[Record]) -> Markup:
    """All evaluations of a run with their 95 % intervals, the oldest first; nothing where there is none."""
    if not evaluations:
        return Markup("")
    metrics = {name: facts for record in evaluations for name, facts in record["metrics"].items()}
    facts = FACTS if all(record.get("depth") is None for record in evaluations) else (*FACTS, "depth")
    titles = [name.replace("_", " ") + (" %" if is_share(facts) else "") for name, facts in metrics.items()]
    head = element("tr", *(element("th", name, scope="col") for name in (*facts, *titles)))
    rows = [element("tr", *_cells(record, facts, metrics)) for record in evaluations]
    caption = element("caption", "Evaluations of the chosen model, with 95 % intervals")
    return element(
        "div",
        element("table", caption, element("thead", head), element("tbody", *rows)),
        class_="evaluations",
    )


def is_share(facts: Any) -> bool:
    """Whether a metric's values are from 0 to 1, shown in percent."""
    return isinstance(facts, Mapping) and bool(facts.get("is_share"))


def _cells(record: Record, known_facts: Sequence[str], metrics: Mapping[str, Any]) -> list[Markup]:
    known = [element("td", str(record.get(fact) or EMPTY)) for fact in known_facts]
    return known + [element("td", _value(record, name, share=is_share(facts))) for name, facts in metrics.items()]


def _value(record: Record, name: str, *, share: bool) -> str:
    """A value with its interval."""
    if name not in record["metrics"]:
        return EMPTY
    value, low, high = (_number(record.get(key), share=share) for key in (name, f"{name}_low", f"{name}_high"))
    return f"{value} [{low}, {high}]"


def _number(value: object, *, share: bool) -> str:
    if not isinstance(value, int | float):
        return EMPTY
    return f"{100 * value:.2f}" if share else f"{value:.4g}"
