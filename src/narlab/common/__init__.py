"""What every layer uses: the catalogue, errors, checks, atomic files, compilation, words for people."""
