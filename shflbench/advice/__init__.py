"""The choice of a variant for a pattern: from the runs at hand, or predicted for an architecture without runs."""
