"""Limits of types in host code, such as `std::numeric_limits<float>::infinity()`."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING

import numpy as np

from shflbench.cuda_sources.host.values import UNKNOWN

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from shflbench.cuda_sources.host.interface import HostRun
    from shflbench.cuda_sources.host.machine import HostFrame

_LIMIT = re.compile(r"(?:::)?(?:(?:cuda::)?std::)?numeric_limits<(.+)>::(\w+)")
_SPECIAL = {"infinity": math.inf, "quiet_NaN": math.nan, "signaling_NaN": math.nan}
_OF_FLOATS: Mapping[str, Callable[[np.finfo[np.floating]], float]] = {
    "max": lambda info: float(info.max),
    "lowest": lambda info: float(info.min),
    "min": lambda info: float(info.smallest_normal),
    "epsilon": lambda info: float(info.eps),
}


def limit(run: HostRun, text: str) -> Callable[[HostFrame], object] | None:
    """Return a limit of a type, from the name of the function without spaces; None if it names none."""
    match = _LIMIT.fullmatch(text)
    if match is None:
        return None
    named, name = match[1], match[2]

    def value(frame: HostFrame) -> object:
        form = run.type(named, frame).format
        if form in {"e", "f", "d"}:
            return _SPECIAL[name] if name in _SPECIAL else _of_floats(form, name)
        if not form or name not in {"max", "min", "lowest"}:
            return UNKNOWN
        info = np.iinfo(form)
        return int(info.max if name == "max" else info.min)

    return value


def _of_floats(form: str, name: str) -> object:
    return _OF_FLOATS[name](np.finfo(form)) if name in _OF_FLOATS else UNKNOWN
