"""The compiled sentinels: their manifest, and which cubin runs on which architecture."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from shflbench.core.model import Kernel, Resources

if TYPE_CHECKING:
    from collections.abc import Mapping

FOLDER = Path(__file__).parent
SOURCE = FOLDER / "sentinels.cu"
MANIFEST = FOLDER / "sentinels.json"

# Chips with an integrated CPU (Xavier, Orin and its variants, Thor as named in CUDA 12): the rule of binary
# compatibility below excludes them, so they run only a cubin of their own architecture.
_EXEMPT = ("sm_72", "sm_87", "sm_88", "sm_101")


@dataclass(frozen=True, slots=True)
class Cubin:
    """One committed file of machine code: all sentinels for one architecture."""

    compiler: str  # e.g. "NVRTC 12.9"
    sha256: str
    kernels: Mapping[str, Resources]  # by symbol


@dataclass(frozen=True, slots=True)
class Manifest:
    """The manifest of the committed sentinels."""

    version: int  # of the set; it changes with the source and the compiler
    source_sha256: str
    cubins: Mapping[str, Cubin]  # by architecture, e.g. "sm_80"


@cache
def manifest() -> Manifest:
    """Return the committed manifest."""
    return read(MANIFEST.read_text(encoding="utf-8"))


def read(text: str) -> Manifest:
    """Parse the text of a manifest."""
    document = json.loads(text)
    cubins = {
        arch: Cubin(
            compiler=about["compiler"],
            sha256=about["sha256"],
            kernels={symbol: Resources(**resources) for symbol, resources in about["kernels"].items()},
        )
        for arch, about in document["cubins"].items()
    }
    return Manifest(document["version"], document["source_sha256"], cubins)


def path_of(arch: str) -> Path:
    """Return the path of the cubin for `arch`, which need not exist."""
    return FOLDER / f"{arch}.cubin"


def cubin_for(arch: str) -> Path | None:
    """Return the cubin that a GPU of `arch` (`sm_86`) runs; None if there is none."""
    made_for = frozen_arch(arch, manifest().cubins)
    return path_of(made_for) if made_for else None


def kernels_for(arch: str) -> Mapping[str, Kernel]:
    """Return the kernels that a GPU of `arch` runs, by symbol; empty if no committed cubin runs on it."""
    committed = manifest().cubins
    made_for = frozen_arch(arch, committed)
    if made_for is None:
        return {}
    machine_code = path_of(made_for).read_bytes()
    return {
        symbol: Kernel(symbol, made_for, "", machine_code, resources, sass=None, loop=None, violations=())
        for symbol, resources in committed[made_for].kernels.items()
    }


def frozen_arch(arch: str, committed: Mapping[str, object]) -> str | None:
    """Return the architecture, of those `committed`, whose cubin a GPU of `arch` runs; None if there is none.

    A cubin for X.y runs on X.z with z >= y: CUDA C++ Programming Guide, "Binary Compatibility".
    """
    if arch in committed:
        return arch
    if arch in _EXEMPT:
        return None
    major, minor = _capability(arch)
    fitting = [
        (its_minor, name)
        for name in committed
        for its_major, its_minor in [_capability(name)]
        if its_major == major and its_minor <= minor and name not in _EXEMPT
    ]
    return max(fitting)[1] if fitting else None


def _capability(arch: str) -> tuple[int, int]:
    """Return major and minor compute capability of `sm_86`; (0, 0), which no GPU has, for other names."""
    match = re.fullmatch(r"sm_(\d+)(\d)", arch)
    return (int(match[1]), int(match[2])) if match else (0, 0)
