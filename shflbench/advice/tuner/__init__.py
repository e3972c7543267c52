"""Find the fastest member of a pattern's family: rank by the limit model, then halve by measured times."""
