"""`python -m narlab`, and what the command `narlab` calls first: Ctrl-C counts from the beginning."""

import sys


def main() -> None:
    """Run the command line, whose libraries take a moment to load."""
    try:
        from narlab.cli import main as run
    except KeyboardInterrupt:
        print("narlab: interrupted", file=sys.stderr)
        sys.exit(130)
    run()


if __name__ == "__main__":
    main()
