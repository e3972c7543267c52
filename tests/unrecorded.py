"""Shipped patterns of which no GPU has results yet, because a contributor without one added them."""

# Who records them on a GPU takes their names out: docs/contributing/ship-a-pattern.md.
UNRECORDED: frozenset[str] = frozenset()


def is_recorded(kernel: str) -> bool:
    """Whether a kernel, `reduce/shfl/f32/width=32`, is of a pattern that GPUs have run."""
    return kernel.partition("/")[0] not in UNRECORDED
