"""Read the machine code of kernels, and how many registers they may use, out of a cubin, which is an ELF file.

Source: System V ABI, chapter 4, "Object Files"; the layout of a 64-bit little-endian file, which every cubin is. The
attributes of a kernel are those that `cuobjdump -elf` of CUDA 13 prints as `.nv.info`.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from shflbench.errors import CompilerError

if TYPE_CHECKING:
    from collections.abc import Iterator

_HEADER = struct.Struct("<40xQ10xHHH")  # Elf64_Ehdr: e_shoff, e_shentsize, e_shnum, e_shstrndx
_SECTION = struct.Struct("<I20xQQ")  # Elf64_Shdr: sh_name, sh_offset, sh_size
_TEXT, _INFO = b".text.", b".nv.info."
_ATTRIBUTE = struct.Struct("<BBH")  # of a kernel: format, number, and its value or the size of what follows
_SIZED = 4  # the format of an attribute that more bytes follow
_MAXIMUM_OF_REGISTERS = 0x1B  # EIATTR_MAXREG_COUNT


def kernel_code(cubin: bytes) -> dict[str, bytes]:
    """Return the machine code of each kernel by its symbol; CompilerError if `cubin` is not an ELF file."""
    return dict(_sections(cubin, _TEXT))


def most_registers(cubin: bytes, symbol: str) -> int | None:
    """Return the most registers per thread that a kernel may have, by its launch bounds or by the hardware.

    None if the cubin does not say so; CompilerError if it is not an ELF file.
    """
    content, at = dict(_sections(cubin, _INFO)).get(symbol, b""), 0
    while at + _ATTRIBUTE.size <= len(content):  # an archive may be damaged
        kind, number, value = _ATTRIBUTE.unpack_from(content, at)
        if number == _MAXIMUM_OF_REGISTERS:
            return int(value)
        at += _ATTRIBUTE.size + (value if kind == _SIZED else 0)
    return None


def _sections(cubin: bytes, prefix: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield the sections of kernels that have such names: symbol and content."""
    try:
        start, size, count, names_at = _HEADER.unpack_from(cubin)
        sections = [_SECTION.unpack_from(cubin, start + index * size) for index in range(count)]
        names = cubin[sections[names_at][1] :]
        for name_at, at, length in sections:
            name = names[name_at : names.index(b"\0", name_at)]
            if name.startswith(prefix):
                yield name.removeprefix(prefix).decode(), cubin[at : at + length]
    except (struct.error, IndexError, OverflowError, ValueError) as error:
        raise CompilerError(f"NVRTC returned a cubin that is not an ELF file ({error})", "Reinstall NVRTC.") from error
