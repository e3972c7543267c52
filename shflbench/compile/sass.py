"""Disassemble a cubin with nvdisasm."""

from __future__ import annotations

import json
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shflbench.errors import CompilerError
from shflbench.model import Instruction

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

BYTES = 16  # an instruction, since Volta
TIMEOUT_S = 60


def disassemble(
    cubin: bytes, symbols: Sequence[str], nvdisasm: Path | None
) -> dict[str, tuple[Instruction, ...]] | None:
    """Return the instructions of the kernels `symbols` of a cubin, or None where no disassembler reads it.

    nvdisasm 13 refuses what CUDA 13 dropped (sm_70), which is no error of the kernel.
    Raises CompilerError if nvdisasm does not run or answers nonsense.
    """
    if nvdisasm is None:
        return None
    with tempfile.TemporaryDirectory(prefix="shflbench-") as folder:
        path = Path(folder) / "kernel.cubin"
        path.write_bytes(cubin)
        try:
            run = subprocess.run(  # noqa: S603  (the disassembler that was found, on a file of our own)
                [nvdisasm, "-json", path], capture_output=True, text=True, timeout=TIMEOUT_S, check=False
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise CompilerError(f"{nvdisasm} does not run: {error}", "Reinstall nvidia-cuda-nvdisasm.") from error
    if run.returncode != 0:
        return None
    try:
        document = json.loads(run.stdout)
        return {symbol: parse(document, symbol) for symbol in symbols}
    except (ValueError, KeyError, TypeError, IndexError) as error:
        raise CompilerError(
            f"{nvdisasm} answers what shflbench cannot read: {error!r}", "Install nvidia-cuda-nvdisasm 13 or newer."
        ) from error


def parse(document: Any, symbol: str) -> tuple[Instruction, ...]:  # noqa: ANN401  (JSON)
    """Return the instructions of `symbol` from nvdisasm's JSON; KeyError if it is not there."""
    for function in document[1]:
        if function["function-name"] == symbol:
            return tuple(_instruction(index, item) for index, item in enumerate(function["sass-instructions"]))
    raise KeyError(symbol)


def _instruction(index: int, item: Mapping[str, Any]) -> Instruction:
    operands = item.get("operands", "")
    return Instruction(
        address=index * BYTES,
        predicate=item.get("predicate", ""),
        opcode=item["opcode"],
        operands=tuple(operands.split(",")) if operands else (),
    )
