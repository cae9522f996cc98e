"""Two strings that lie one after the other in the nodes, the haystack before the needle."""

from narlab.common.compiling import jitted


@jitted
def read(string, key, letters):
    """Fill `letters` with the letter of each node; return the haystack's length."""
    haystack = 0
    for v in range(len(string)):
        haystack += 1 - string[v]
        letters[v] = 0
        for letter in range(1, key.shape[1]):
            letters[v] += letter * key[v, letter]  # key is one-hot
    return haystack


@jitted
def two_index_chains(first, pointers):
    """The chain of the nodes in the order of their index, for the `first` nodes and for the rest."""
    for k in range(len(pointers)):
        pointers[k] = k if k == 0 or k == first else k - 1
