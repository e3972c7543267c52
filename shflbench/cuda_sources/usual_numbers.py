"""Numbers that callers usually pass for parameters whose names say that they are small, and no sizes of data."""

from __future__ import annotations

import re

_AXIS = r"(?:_?[hwdxyz012])?"
_USUAL = (
    (re.compile(rf"(?i)^(?:k(?:ernel|size)?(?:_?size)?{_AXIS}|k_?[hwd])$"), 3),
    (re.compile(rf"(?i)^pad(?:ding)?{_AXIS}$"), 1),
    (re.compile(r"(?i)^(?:stride_?[hwd]|d[hw])$"), 1),
    (re.compile(rf"(?i)^dilation{_AXIS}$"), 1),
    (re.compile(r"(?i)^(?:[a-z]+_)?groups?$"), 1),
    (re.compile(r"(?i)^radius$"), 3),
)
_SHORT = frozenset({"k", "K"})  # a dimension of matrices, too


def usual_number(name: str) -> int | None:
    """Return what callers pass for a parameter such as `pad_h` or `kernel_size`; None for one that may be a size.

    Sizes of the output of a convolution are positive with them: a kernel of 1024 elements fits no image of 1024.
    """
    if name in _SHORT:
        return None
    return next((number for pattern, number in _USUAL if pattern.match(name)), None)
