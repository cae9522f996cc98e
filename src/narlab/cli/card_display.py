"""Cards of the models that come with narlab, in a terminal."""

from typing import Any

from narlab.cli.terminal import print_table
from narlab.common import duration
from narlab.training import cards, pretrained

SHOWN = {"score": "score %", "graph_score": "graph score %", "valid": "valid %"}
LISTED = (16, 64, 256)  # sizes


def print_list() -> None:
    """All models, with what they are worth on their own distribution at some sizes."""
    rows = []
    for name in pretrained.names():
        card = cards.read(name)
        own = {row["n"]: row for row in card["scores"] if row["graphs"] is None}
        scores = [_percent(own[n], "score") if n in own else "-" for n in LISTED]
        rows.append([name, *scores, f"{100 * card['official_test']['score']:.2f}", str(len(card["known_failures"]))])
    columns = ["model", *(f"n={n}" for n in LISTED), "official test", "known failures"]
    print_table(columns, rows, numbers=columns[1:])
    print("scores in percent: the share of right elements on graphs drawn anew, and on the benchmark's test set")
    print(
        "narlab models NAME --pretrained shows a card; narlab evaluate NAME and narlab.pretrained(NAME) use the model"
    )


def print_card(name: str) -> None:
    """All that is known of one model."""
    card = cards.read(name)
    session = card["sessions"][-1] if card["sessions"] else {}
    rungs = card["trained_on"]["rungs"]
    facts = {
        "trained on": f"{card['trained_on']['dataset']}, {len(rungs)} kinds of instances: {_few(rungs)}",
        "command": card["command"],
        "seed": card["seed"],
        "versions": ", ".join(f"{part} {session[part]}" for part in ("narlab", "python", "torch") if session.get(part)),
        "machine": f"{session.get('cpu')}, {session.get('device')}, {session.get('began')}",
        "time": f"{card['trained_on']['steps']} steps, {duration(card['seconds'])}",
        "protocol": f"{card['protocol']}, chosen at step {card['chosen_at_step']}, depth {card['depth']}",
        "official test": f"{100 * card['official_test']['score']:.2f} %",
        "checksum": card["checksum"],
    }
    print(card["name"])
    for fact, value in facts.items():
        print(f"  {fact:13}  {value}")
    rows = [[str(row["n"]), row["graphs"] or "own", str(row["count"]), *_cells(row)] for row in card["scores"]]
    print_table(["n", "graphs", "count", *SHOWN.values()], rows, numbers=["n", "count", *SHOWN.values()])
    print("with 95 % intervals; score: right elements, graph score: graphs right in all, valid: a correct answer")
    for line in card["known_failures"] or ["none in what was measured"]:
        print(f"known failure: {line}" if card["known_failures"] else f"known failures: {line}")


def _cells(row: dict[str, Any]) -> list[str]:
    return [
        f"{_percent(row, name)} [{_percent(row, f'{name}_low')}, {_percent(row, f'{name}_high')}]" for name in SHOWN
    ]


def _percent(row: dict[str, Any], name: str) -> str:
    return f"{100 * row[name]:.2f}" if name in row else "-"


def _few(names: list[str]) -> str:
    return ", ".join(names) if len(names) <= 4 else f"{', '.join(names[:2])}, ..., {names[-1]}"
