"""Disassemble machine code with nvdisasm, and cache the instructions of a few kernels."""

from __future__ import annotations

import json
import re
import tempfile
from itertools import accumulate, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shflbench.core.model import Instruction
from shflbench.cuda.compile import nvdisasm as disassembler
from shflbench.cuda.compile.data_cache import DataCache
from shflbench.errors import CompilerError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

BYTES = 16  # per instruction, since Volta
LISTINGS = "sass"  # ending of the files in a cache
MOST_CACHED_BYTES = 1 << 16  # of machine code in an entry: 0.06 s to read, where nvdisasm takes 0.48 s
_ADDRESS = re.compile(r"0x[0-9a-f]+")


def disassemble(
    kernels: Sequence[bytes], arch: str, nvdisasm: Path | None, cache_folder: Path | None = None
) -> list[tuple[Instruction, ...]] | None:
    """Return the instructions of each kernel; None if no disassembler can read them.

    `kernels` is machine code without its cubin (see `cubin.kernel_code`). One call disassembles all of it, because
    nvdisasm takes 0.4 s to start. Addresses that a linker would fill in, of functions outside the kernel, are returned
    as they are in the code. nvdisasm 13 rejects architectures that CUDA 13 dropped (sm_70); then the result is None.
    With `cache_folder`, the instructions of few kernels are read from there. CompilerError if nvdisasm does not run, or
    if its output cannot be read.
    """
    if nvdisasm is None or not kernels:
        return None
    cache = DataCache(cache_folder, LISTINGS, (Instruction,))
    path = _entry(cache, kernels, arch, nvdisasm)
    cached = cache.read(path)
    if isinstance(cached, tuple):
        return list(cached)
    listings = _disassembled(kernels, arch, nvdisasm)
    if listings is not None:
        cache.write(path, tuple(listings))
    return listings


def _entry(cache: DataCache, kernels: Sequence[bytes], arch: str, nvdisasm: Path) -> Path | None:
    """Return the entry of the listings of these kernels; None if they are not cached."""
    if sum(map(len, kernels)) > MOST_CACHED_BYTES:
        return None
    try:
        program = nvdisasm.stat()
    except OSError:
        return None
    return cache.path(arch, tuple(kernels), nvdisasm, program.st_size, program.st_mtime_ns)


def _disassembled(kernels: Sequence[bytes], arch: str, nvdisasm: Path) -> list[tuple[Instruction, ...]] | None:
    with tempfile.TemporaryDirectory(prefix="shflbench-") as folder:
        path = Path(folder) / "kernels.bin"
        path.write_bytes(b"".join(kernels))
        text = disassembler.call(nvdisasm, "-json", "-b", arch.replace("sm_", "SM"), str(path))
    if text is None:
        return None
    try:
        return parse(json.loads(text), [len(kernel) for kernel in kernels])
    except (ValueError, KeyError, TypeError, IndexError) as error:
        raise CompilerError(
            f"{nvdisasm} prints what shflbench cannot read: {error!r}", "Install nvidia-cuda-nvdisasm 13 or newer."
        ) from error


def parse(document: Any, lengths: Sequence[int]) -> list[tuple[Instruction, ...]]:  # noqa: ANN401  (JSON)
    """Return the instructions of consecutive kernels of `lengths` bytes from nvdisasm's JSON.

    ValueError if the JSON has another number of instructions.
    """
    (function,) = document[1]
    items = function["sass-instructions"]
    if len(items) * BYTES != sum(lengths):
        raise ValueError(f"{len(items)} instructions in {sum(lengths)} bytes")
    return [
        tuple(_instruction(items[address // BYTES], address, range(start, end)) for address in range(start, end, BYTES))
        for start, end in pairwise(accumulate(lengths, initial=0))
    ]


def _instruction(item: Mapping[str, Any], address: int, kernel: range) -> Instruction:
    """Return an instruction with addresses relative to the start of its kernel."""
    operands = item["operands"].split(",") if item.get("operands") else []
    jumps = "control-flow" in item.get("other-attributes", ())
    if jumps and operands and _ADDRESS.fullmatch(operands[-1]) and (target := int(operands[-1], 16)) in kernel:
        operands[-1] = hex(target - kernel.start)
    return Instruction(
        address=address - kernel.start,
        predicate=item.get("predicate", ""),
        opcode=item["opcode"],
        operands=tuple(operands),
    )
