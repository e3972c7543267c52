"""How many lanes have the values of a group in `scale-max`."""

from collections.abc import Mapping

from shflbench.core.model import Dtype

WORD = 4  # bytes


def lanes_of(dtype: Dtype, options: Mapping[str, str]) -> int:
    """Return the lanes of a group: each has `words` words of one f32 or of two bf16."""
    return int(options["group"]) * dtype.size // (WORD * int(options["words"]))
