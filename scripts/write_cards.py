"""Writes the cards of the models that come with the package.

`python scripts/write_cards.py [--sizes 16,32] [NAME ...]`, after weights under src/narlab/training/shipped were
replaced. It takes about 40 minutes of one core for all; what a card has already, of the same weights, is not measured
again, so that it can be broken off and started anew. Small sizes of all models come first.
"""

import argparse
import time

from narlab.training import cards, pretrained


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=pretrained.names(), help="such as bfs@triangle; default: all")
    parser.add_argument("--sizes", default=",".join(map(str, cards.COUNTS)), help="sizes such as 16,64; default: all")
    options = parser.parse_args()
    began = time.perf_counter()
    for size in map(int, options.sizes.split(",")):
        for name in options.names:

            def say(row: dict, name: str = name) -> None:
                where = f"{name} n={row['n']} {row['graphs'] or ''}"
                print(f"{time.perf_counter() - began:7.0f} s  {where}: {100 * row['score']:.2f}", flush=True)

            cards.write(name, sizes=(size,), done=say)


if __name__ == "__main__":
    main()
