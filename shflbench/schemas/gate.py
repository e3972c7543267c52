"""The JSON of `shflbench gate`: the comparison of its run with the baseline."""

from __future__ import annotations

from shflbench.schemas.compare import DOCUMENTS, SCHEMA

__all__ = ["ABOUT", "DOCUMENTS", "SCHEMA"]

ABOUT = "A run, compared with a baseline: the same as `shflbench compare` prints, on stderr or in a file of `--also`."
