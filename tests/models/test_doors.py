"""Parts of a model come from outside as they do from inside: by entry point, by text and as objects."""

import re
import sys
from dataclasses import fields
from inspect import signature

import pytest
import torch

from narlab import data, models
from narlab.common.catalogue import Origin
from narlab.common.errors import UsageError
from narlab.models import hint_modes, positions, processors, quantisers, readouts
from narlab.models.processors import Hybrid, Memory, VisiblePairs, mpnn_g, two_wl
from narlab.models.readouts.paper import Readout as PaperReadout
from narlab.specs import Location, Probe, Type

ALL = (processors, positions, hint_modes, quantisers, readouts)


class Wide(mpnn_g.Processor):
    """A processor of another package."""

    default_width = 24
    batch_size = 4
    pairs = VisiblePairs.ALL


class Thirds(Hybrid):
    """A hybrid of another package."""

    parts = ("pgn", "mpnn_fc")

    def share(self, state):
        return 1 / 3


class Reversed(models.AbstractPosition):
    """A position encoding of another package."""

    probe = Probe.input("pos", Location.NODE, Type.SCALAR)

    def values(self, batch, training):
        return 1 - batch.inputs["pos"]


class Halving(torch.nn.Module):
    """A quantiser of another package."""

    def __init__(self, hidden):
        super().__init__()

    def forward(self, h, generator):
        return 0.5 * h, h.new_zeros(())


class Negative(PaperReadout):
    """A readout of another package."""

    def forward(self, final):
        return {name: -logits for name, logits in super().forward(final).items()}


FED = models.HintMode(encoded=True)
OUTSIDE = {"processor": Wide, "position": Reversed, "hints": FED, "quantiser": Halving, "readout": Negative}
HERE = __name__


def text_of(thing):
    return f"{HERE}:{'FED' if thing is FED else thing.__name__}"


@pytest.fixture(autouse=True)
def importable(monkeypatch):
    """This file as a module that can be imported, whatever name the test runner gave it."""
    monkeypatch.setitem(sys.modules, HERE, sys.modules.get(HERE) or sys.modules[Wide.__module__])


def outputs(**settings):
    torch.manual_seed(1)
    model = models.build("bfs", **{"hidden": 8, **settings})
    batch = models.make_batch(data.custom("bfs", n=5, count=2, seed=1, hints=True))
    return model(batch).outputs["pi"]


@pytest.mark.parametrize("setting", OUTSIDE)
def test_an_object_and_its_text_are_the_same_and_are_used(setting):
    thing = OUTSIDE[setting]
    from_object, from_text = outputs(**{setting: thing}), outputs(**{setting: text_of(thing)})
    assert torch.equal(from_object, from_text)
    plain = {"depth": "trajectory"} if setting == "hints" else {}
    assert not torch.equal(from_object, outputs(**plain))


def test_settings_carry_texts():
    model = models.build("bfs", **OUTSIDE)
    for setting, thing in OUTSIDE.items():
        assert getattr(model.settings, setting) == text_of(thing)
    again = models.Network(models.resolve(model.settings))
    assert again.settings == model.settings
    assert again.state_dict().keys() == model.state_dict().keys()


@pytest.mark.parametrize("catalogue", ALL)
def test_each_kind_has_a_catalogue_and_a_group_of_entry_points(catalogue):
    kind = catalogue.__name__.rpartition(".")[2]
    assert f"narlab.{kind}" == catalogue.CATALOGUE.group
    assert catalogue.names() == catalogue.CATALOGUE.names()
    for name in catalogue.names():
        assert catalogue.name_of(catalogue.get(name)) == name
        assert catalogue.CATALOGUE.origin(name) is None


def test_a_processor_says_what_follows_from_it():
    assert models.build("bfs", processor=Wide).settings.hidden == 24
    assert processors.facts(Wide) == processors.Facts(24, 4, VisiblePairs.ALL, Memory.PAIRS)
    assert processors.facts("two_wl") == processors.Facts(128, 16, VisiblePairs.GRAPH, Memory.TRIPLES)
    assert processors.facts("hybrid_sigmoid") == processors.Facts(108, 16, VisiblePairs.GRAPH, Memory.TRIPLES)
    assert processors.facts("hybrid_average:mpnn_g+mpnn_g").memory is Memory.PAIRS
    assert processors.facts("hybrid_average:pgn+gat").pairs is VisiblePairs.ADJACENCY
    for name in (*processors.names(), "hybrid_average:mpnn_fc+mpnn_fc", "hybrid_average:pgn+two_wl"):
        made = processors.make(name, 8)
        assert (made.pairs, made.memory) == (processors.facts(name).pairs, processors.facts(name).memory)


def test_hybrids_name_parts_from_outside():
    inside = processors.make("hybrid_average:mpnn_g+two_wl", 8)
    assert (type(inside.first), type(inside.second)) == (mpnn_g.Processor, two_wl.Processor)
    mixed = processors.make(f"hybrid_average:gat+{text_of(Wide)}", 8)
    assert type(mixed.second) is Wide
    assert processors.parts(f"hybrid_average:gat+{text_of(Wide)}") == ("gat", text_of(Wide))
    both = processors.make(f"{text_of(Thirds)}:{text_of(Wide)}+gat", 8)
    assert (type(both), type(both.first)) == (Thirds, Wide)
    assert processors.parts(Thirds) == processors.parts(text_of(Thirds)) == ("pgn", "mpnn_fc")
    assert outputs(processor=f"{text_of(Thirds)}:{text_of(Wide)}+gat").isfinite().all()


def test_origins_are_those_of_all_parts():
    assert processors.origins("hybrid_average:mpnn_g+two_wl") == ()
    outside = Origin(HERE.partition(".")[0], None)
    assert processors.origins(f"hybrid_average:gat+{text_of(Wide)}") == (outside,)
    assert processors.origins(f"{text_of(Thirds)}:{text_of(Wide)}+gat") == (outside,)
    assert processors.origins(text_of(Thirds)) == (outside,)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("hybrid_averag:gat+pgn", "unknown processor 'hybrid_averag'; did you mean 'hybrid_average'"),
        ("hybrid_average:gat+nowhere.at_all:Mine", "is the package that brings it installed"),
        ("nowhere.at_all:Mine", "processor 'nowhere.at_all:Mine' can't be loaded"),
        ("narlab.models.batch:Batch", "'narlab.models.batch:Batch' is no processor"),
        (f"{HERE}:Wide:gat+pgn", "has no parts; only a hybrid has"),
        (f"hybrid_average:gat+{HERE}:Thirds", "a hybrid is made of two simple processors"),
    ],
)
def test_texts_that_name_nothing(text, message):
    with pytest.raises(UsageError, match=re.escape(message)) as error:
        models.build("bfs", processor=text)
    assert "\n" not in str(error.value)


def test_settings_are_declared_once():
    """What `build` takes is what `ModelSettings` has, with the same defaults."""
    asked = {field.name: field.default for field in fields(models.ModelSettings)}
    taken = {name: parameter.default for name, parameter in signature(models.build).parameters.items()}
    assert list(asked) == list(taken)
    assert {name: asked[name] for name in list(asked)[1:]} == {name: taken[name] for name in list(taken)[1:]}
    resolved = models.resolve(models.ModelSettings("bfs"))
    assert isinstance(resolved, models.ResolvedSettings)
    assert (resolved.hidden, resolved.depth) == (128, 32)
    assert models.resolve(resolved) == resolved
