"""The tables of a run."""
