"""Each mistake gets one line that says what is wrong and what is valid."""

import re

import numpy as np
import pytest
import torch

from narlab import models
from narlab.models import positions, processors, quantisers

DEPTHS = "an integer from 1 to 100000, 'trajectory' or a rule such as 'n', 'n/2' or '4*log2(n)'"


def refused(message, call, *arguments, **settings):
    """See that `message` comes back, in one line."""
    with pytest.raises(ValueError, match=re.escape(message)) as error:
        call(*arguments, **settings)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("message", "settings"),
    [
        ("unknown processor 'mpn_g'; did you mean 'mpnn_g'? Known: gat, hybrid_average, ", {"processor": "mpn_g"}),
        ("unknown processor 'two-wl'; did you mean 'two_wl'? Known: gat, ", {"processor": "two-wl"}),
        ("unknown processor ''; Known: gat, ", {"processor": ""}),
        ("None is no processor: it must be a name, package.module:Name or a subclass of Abst", {"processor": None}),
        ("unknown processor '__init__'; Known: gat, ", {"processor": "__init__"}),
        ("unknown position encoding 'scaler'; did you mean 'scalar'? Known: edge_position, ", {"position": "scaler"}),
        ("None is no position encoding: it must be a name, package.module:Name or a subcl", {"position": None}),
        ("unknown hint mode 'decoded'; did you mean 'decoded_only'? Known: decoded_only, ", {"hints": "decoded"}),
        ("None is no hint mode: it must be a name, package.module:Name or a HintMode", {"hints": None}),
        ("True is no hint mode: it must be a name, package.module:Name or a HintMode", {"hints": True}),
        (
            "unknown hint of bfs 'pi'; did you mean 'pi_h'? Known: reach_h, pi_h",
            {"hints": "markovian", "hint_names": ("pi",)},
        ),
        (
            "hint_names must be one or more names in a tuple, got 'pi_h'",
            {"hints": "markovian", "hint_names": "pi_h"},
        ),
        ("hint_names must be one or more names in a tuple, got ()", {"hints": "markovian", "hint_names": ()}),
        ("hint_names has no meaning with hints='none'", {"hint_names": ("pi_h",)}),
        ("unknown quantiser 'gumbel'; did you mean 'gumbel_softmax'? Known: gumbel_softmax, ", {"quantiser": "gumbel"}),
        ("gumbel_softmax needs a width that 4 divides, got hidden=10", {"quantiser": "gumbel_softmax", "hidden": 10}),
        ("hidden must be an integer of at least 1, got 0", {"hidden": 0}),
        ("hidden must be an integer of at least 1, got -8", {"hidden": -8}),
        ("hidden must be an integer of at least 1, got 8.0", {"hidden": 8.0}),
        ("hidden must be an integer of at least 1, got '8'", {"hidden": "8"}),
        ("hidden must be an integer of at least 1, got True", {"hidden": True}),
        (f"depth must be {DEPTHS}, got 0", {"depth": 0}),
        (f"depth must be {DEPTHS}, got -1", {"depth": -1}),
        (f"depth must be {DEPTHS}, got 2.5", {"depth": 2.5}),
        (f"depth must be {DEPTHS}, got True", {"depth": True}),
        (f"depth must be {DEPTHS}, got 'trajectories'", {"depth": "trajectories"}),
        (f"depth must be {DEPTHS}, got '0*n'", {"depth": "0*n"}),
        (f"depth must be {DEPTHS}, got 'n**2'", {"depth": "n**2"}),
        ("hints='decoded_only' needs depth='trajectory', got depth=32", {"hints": "decoded_only", "depth": 32}),
        (
            "edge_position needs a processor that sees all pairs, such as mpnn_fc; 'mpnn_g' does not",
            {"position": "edge_position", "processor": "mpnn_g"},
        ),
        (
            "edge_position needs a processor that sees all pairs, such as mpnn_fc; 'hybrid_average:pgn+mpnn_fc'",
            {"position": "edge_position", "processor": "hybrid_average:pgn+mpnn_fc"},
        ),
        (
            "processor 'gat' has no parts; only a hybrid has, such as hybrid_average:mpnn_g+two_wl",
            {"processor": "gat:mpnn_g+two_wl"},
        ),
        ("processor 'gat' has no parts", {"processor": "gat:"}),
        (
            "a hybrid has two parts, such as hybrid_average:mpnn_g+two_wl, got 'hybrid_average:gat'",
            {"processor": "hybrid_average:gat"},
        ),
        ("a hybrid has two parts", {"processor": "hybrid_average:"}),
        ("a hybrid has two parts", {"processor": "hybrid_average:gat+pgn+two_wl"}),
        ("unknown processor ''; Known: ", {"processor": "hybrid_average:+gat"}),
        ("unknown processor 'gta'; did you mean 'gat'? ", {"processor": "hybrid_average:pgn+gta"}),
        (
            "a hybrid is made of two simple processors, got 'hybrid_average:hybrid_sigmoid+gat'",
            {"processor": "hybrid_average:hybrid_sigmoid+gat"},
        ),
    ],
)
def test_settings(message, settings):
    refused(message, models.build, "bfs", **{"hidden": 8, **settings})


def test_an_unknown_algorithm():
    refused("unknown algorithm 'bsf'; did you mean 'bfs'? Known: activity_selector, ", models.build, "bsf")


def test_a_mistake_draws_no_random_numbers():
    torch.manual_seed(1)
    before = torch.random.get_rng_state()
    for settings in ({"processor": "mpn_g"}, {"processor": "hybrid_average:gat"}, {"position": "edge_position"}):
        with pytest.raises(ValueError, match=r"."):
            models.build("bfs", **settings)
        assert torch.equal(before, torch.random.get_rng_state())


def test_settings_are_checked_without_making_a_model():
    def settings(**changes):
        plain = {"processor": "mpnn_g", "position": "scalar", "hints": "none", "hidden": 8, "depth": 4}
        return models.ModelSettings("bfs", **{**plain, **changes})

    models.resolve(settings())
    for changes in (
        {"processor": "x"},
        {"processor": "gat:x"},
        {"position": "x"},
        {"position": "edge_position"},
        {"hints": "x"},
        {"hidden": 0},
        {"depth": 0},
        {"hints": "markovian"},
        {"hint_names": ("pi_h",)},
        {"quantiser": "x"},
    ):
        with pytest.raises(ValueError, match=r"."):
            models.resolve(settings(**changes))


@pytest.mark.parametrize("hints", ["encoded_decoded", "decoded_only", "markovian", "update_mask"])
def test_hints_that_are_not_there(hints, batch_of):
    model = models.build("bfs", hints=hints, hidden=8)
    refused(
        f"a model with hints={hints!r} needs a batch with hints: load it with hints=True", model, batch_of("bfs", n=4)
    )


def test_a_batch_of_another_algorithm(batch_of):
    refused("this model is for bfs, the batch is of dfs", models.build("bfs", hidden=8), batch_of("dfs", n=4))


@pytest.mark.parametrize("module", [processors, quantisers])
def test_lookup_of_an_unknown_name(module):
    with pytest.raises(ValueError, match=r"unknown .* 'nothing'"):
        module.get("nothing")


def test_lookup_of_an_unknown_position():
    refused("unknown position encoding 'sinus'; did you mean 'sinusoidal'?", positions.get, "sinus")


def test_what_is_right_is_not_refused():
    for settings in (
        {"hidden": np.int64(8)},
        {"depth": np.int64(3)},
        {"position": "edge_position", "processor": "hybrid_average:mpnn_fc+mpnn_fc"},
        {"hints": "markovian", "hint_names": ["pi_h"]},
        {"hints": "markovian", "depth": "trajectory"},
        {"quantiser": "gumbel_softmax", "hidden": 12},
    ):
        models.build("bfs", **{"hidden": 8, **settings})
