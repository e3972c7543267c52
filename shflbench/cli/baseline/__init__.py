"""Named baselines."""
