"""Judge claims by the results of runs (pure functions)."""
