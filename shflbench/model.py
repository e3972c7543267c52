"""The names of the model that a `pattern.py` imports; the rest of shflbench uses `shflbench.core.model`."""

from shflbench.core.dimensions import Dims
from shflbench.core.model import DTYPES, WARP, Dtype, Launch, Mechanism

__all__ = ["DTYPES", "WARP", "Dims", "Dtype", "Launch", "Mechanism"]
