"""Weaken or remove barriers of the block in a PTX text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection

WARP_BARRIER = "bar.warp.sync \t0xffffffff;"
_BARRIER = re.compile(r"\b(?:bar|barrier)(?:\.cta)?\.sync(?:\.aligned)?\s+0\s*;")


def replace_barriers(ptx: str, lines: Collection[int], by: str) -> str | None:
    """Return a PTX text in which `by` stands for the barriers in these lines; None if one of them has another form."""
    text = ptx.split("\n")
    for line in lines:
        changed, count = _BARRIER.subn(lambda _: by, text[line - 1])
        if count != 1:
            return None
        text[line - 1] = changed
    return "\n".join(text)
