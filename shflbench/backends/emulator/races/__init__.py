"""Find what makes a kernel wrong whatever it computed: one rule per file, listed in `rules.py`."""
