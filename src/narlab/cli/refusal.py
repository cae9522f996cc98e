"""One line for every command line that can't be read."""

import re
from dataclasses import fields
from typing import Any

from tyro._errors import (
    BadValue,
    InstantiationFailure,
    InvalidChoice,
    MissingArgs,
    ParseErrorEvent,
    UnrecognizedArgs,
)

from narlab.common.errors import UsageError, did_you_mean

KINDS = {"INT": "an integer", "FLOAT": "a number", "LOW HIGH": "two numbers"}


def refuse(event: ParseErrorEvent, command: type) -> None:
    """Raise a `ValueError` that says what is wrong with the arguments of `command`."""
    remedy = f"see {event.prog} --help"
    match event:
        case UnrecognizedArgs():
            given = next((token for token in event.tokens if token.startswith("-")), event.tokens[0])
            known = [f"--{field.name.replace('_', '-')}" for field in fields(command)]
            raise UsageError(f"unknown option {given!r}; {did_you_mean(given, known)}{remedy}")
        case MissingArgs():
            raise UsageError(f"missing: {', '.join(_name(each.arg) for each in event.missing_arguments)}; {remedy}")
        case InvalidChoice():
            raise UsageError(f"{_name(event.argument)} can't be {event.value!r}; known: {', '.join(event.choices)}")
        case InstantiationFailure() if event.argument is not None:
            metavar = re.sub(r".*\|", "", str(event.argument.lowered.metavar))
            value = "".join(f", got {value!r}" for value in re.findall(r"'([^']*)'", event.message)[:1])
            raise UsageError(f"{_name(event.argument)} must be {KINDS.get(metavar, metavar)}{value}; {remedy}")
        case BadValue():
            raise UsageError(f"{_name(event.argument)} lacks a value; {remedy}")
        case _:
            raise UsageError(f"can't read this command line; {remedy}")


def _name(argument: Any) -> str:
    return str(argument.lowered.metavar) if argument.is_positional() else argument.lowered.name_or_flags[0]
