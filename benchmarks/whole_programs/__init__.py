"""Check whole programs of public repositories in one first run without options, and count what readers say of it."""
