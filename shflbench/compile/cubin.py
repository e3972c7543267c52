"""Read the machine code of kernels out of a cubin, which is an ELF file.

Source: System V ABI, chapter 4, "Object Files"; the layout of a 64-bit little-endian file, which every cubin is.
"""

from __future__ import annotations

import struct

from shflbench.errors import CompilerError

_HEADER = struct.Struct("<40xQ10xHHH")  # Elf64_Ehdr: e_shoff, e_shentsize, e_shnum, e_shstrndx
_SECTION = struct.Struct("<I20xQQ")  # Elf64_Shdr: sh_name, sh_offset, sh_size
_TEXT = b".text."


def kernel_code(cubin: bytes) -> dict[str, bytes]:
    """Return the machine code of each kernel by its symbol; CompilerError if `cubin` is not an ELF file."""
    try:
        start, size, count, names_at = _HEADER.unpack_from(cubin)
        sections = [_SECTION.unpack_from(cubin, start + index * size) for index in range(count)]
        names = cubin[sections[names_at][1] :]
        named = [(names[name : names.index(b"\0", name)], at, length) for name, at, length in sections]
        return {
            name.removeprefix(_TEXT).decode(): cubin[at : at + length]
            for name, at, length in named
            if name.startswith(_TEXT)
        }
    except (struct.error, IndexError, OverflowError, ValueError) as error:
        raise CompilerError(f"NVRTC returned a cubin that is not an ELF file ({error})", "Reinstall NVRTC.") from error
