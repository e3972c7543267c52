"""The limits of runs."""
