"""Tables of node pairs as rows of hints."""

from narlab.common.compiling import jitted


@jitted
def write_table(rows, t, table):
    """Write `table`, [N, N], as row t; whole lines, zeros included, are faster than the cells that are in use."""
    for i in range(table.shape[0]):
        for j in range(table.shape[1]):
            rows[t, i, j] = table[i, j]
