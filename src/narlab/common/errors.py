"""Errors that are the user's to mend."""


class UsageError(ValueError):
    """A user's mistake, in one line: the value, the valid ones, the remedy.

    The command line shows it without a traceback and exits with 2. Any other error is a bug and shows where.
    """
