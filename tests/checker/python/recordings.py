"""Recordings of PTX of Triton and Numba, as the kernels that a user has."""

import json
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

FOLDER = Path(__file__).parents[2] / "data" / "frameworks"


@dataclass(frozen=True)
class CompiledKernel:
    """The members of Triton's class of this name that a check reads."""

    asm: dict[str, str]
    metadata: Any
    src: Any


def triton(name: str, **metadata: object) -> CompiledKernel:
    """Return a recorded kernel of Triton; `metadata` replaces what was recorded."""
    recorded = json.loads((FOLDER / f"triton_{name}.json").read_text(encoding="utf-8"))
    facts = recorded["metadata"] | {"target": SimpleNamespace(**recorded["metadata"]["target"])} | metadata
    ptx = (FOLDER / f"triton_{name}.ptx").read_text(encoding="utf-8")
    signature = recorded["signature"]
    return CompiledKernel({"ptx": ptx}, SimpleNamespace(**facts), SimpleNamespace(signature=signature, constants={}))


def numba(name: str) -> str:
    """Return the recorded PTX of a kernel of Numba."""
    return (FOLDER / f"numba_{name}.ptx").read_text(encoding="utf-8")


def line_of(file: str, text: str) -> int:
    """Return the line of a source file that contains `text`, the last if several do."""
    lines = (FOLDER / file).read_text(encoding="utf-8").splitlines()
    return max(number for number, line in enumerate(lines, 1) if text in line)
