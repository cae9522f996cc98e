"""Recipes, one file each: how a model is trained and chosen.

A file declares `RECIPE`, a `Recipe`; its name is the file's. Options that a run has no setting for follow a colon:
`paper:warm_up=100,averaging=0.999`.
"""

from dataclasses import fields, replace
from functools import lru_cache
from typing import Any

from narlab.common.catalogue import Catalogue, read_options, split_options, write_option
from narlab.common.errors import UsageError
from narlab.training.recipes._recipe import Recipe

__all__ = ["CATALOGUE", "MEANT_FOR", "OVERRIDES", "Recipe", "describe", "get", "names", "parse", "with_options"]

CATALOGUE = Catalogue(
    kind="recipe",
    folder="narlab.training.recipes",
    attribute="RECIPE",
    group="narlab.recipes",
    accepts=lambda thing: isinstance(thing, Recipe),
    wanted="a narlab.training.recipes.Recipe",
)
OVERRIDES = ("steps", "batch_size", "learning_rate", "clip", "validate_every", "test_every", "metrics")
"""What a run has settings of its own for, as it has for `MEANT_FOR`."""
MEANT_FOR = ("dataset", "processor", "position", "readout", "relations", "pair_features", "depth")
"""What of data and model a recipe decides where the run says nothing."""


def names() -> tuple[str, ...]:
    """The names of all recipes.

    >>> {"clrs", "paper"} <= set(names())
    True
    """
    return CATALOGUE.names()


def get(recipe: str | Recipe) -> Recipe:
    """The recipe that a name, a text `package.module:NAME` or a `Recipe` stands for.

    >>> get("clrs").depth
    'trajectory'
    """
    return CATALOGUE.get(recipe)


def parse(text: str | Recipe) -> Recipe:
    """The recipe that a text with options names.

    >>> parse("paper:warm_up=100").warm_up
    100
    """
    return _parse(text) if isinstance(text, str) else get(text)


@lru_cache(maxsize=1024)  # for each of a thousand runs several times
def _parse(text: str) -> Recipe:
    name, pieces = split_options(text)
    recipe = get(name)
    if not pieces:
        return recipe
    values = read_options("recipe", name, pieces, of=type(recipe), known=_options(recipe))
    return replace(recipe, **values)


def describe(recipe: str | Recipe) -> str:
    """The text that `parse` reads back as `recipe`, without options that are as the recipe has them.

    >>> describe(replace(get("paper"), warm_up=100))
    'paper:warm_up=100'
    """
    if isinstance(recipe, str):
        return _with_options(recipe, parse(recipe))
    try:
        return CATALOGUE.name_of(recipe)
    except UsageError:
        for name in names():
            if type(get(name)) is type(recipe) and _differ_in_options_only(get(name), recipe):
                return _with_options(name, recipe)
        raise


def with_options(text: str, **options: Any) -> str:
    """The text of a recipe that has other options.

    >>> with_options("ladder", choose_on=("val",))
    'ladder:choose_on=val'
    """
    return _with_options(text, replace(parse(text), **options))


def _options(recipe: Recipe) -> list[str]:
    return [field.name for field in fields(recipe) if field.name not in (*OVERRIDES, *MEANT_FOR)]


def _with_options(text: str, recipe: Recipe) -> str:
    name, _ = split_options(text)
    named = get(name)
    found = [key for key in _options(recipe) if getattr(recipe, key) != getattr(named, key)]
    return name + ":" * bool(found) + ",".join(f"{key}={write_option(getattr(recipe, key))}" for key in found)


def _differ_in_options_only(named: Recipe, recipe: Recipe) -> bool:
    return all(getattr(named, key) == getattr(recipe, key) for key in (*OVERRIDES, *MEANT_FOR))
