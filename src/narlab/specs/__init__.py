"""The vocabulary of the benchmark: stages, locations, types and probes."""

from narlab.specs.probe import Location, Probe, Stage, Type

__all__ = ["Location", "Probe", "Stage", "Type"]
