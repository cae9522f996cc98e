"""Compilation of the small steps that an algorithm's inner loop is made of."""

from numba import njit

inlined = njit(error_model="numpy", forceinline=True, _nrt=False)
"""For a function that allocates nothing: it becomes part of its caller, and it does not count references to the arrays
it is given, which would take longer than the step itself."""
