"""The cubins of a run as one compressed tar, because those of launches of a kernel resemble each other.

Those of `blocks` take a fifth together of what they take one by one.
"""

from __future__ import annotations

import lzma
import re
import tarfile
from typing import TYPE_CHECKING

from shflbench.store import run_files

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

CUBIN_TAR = "cubins.tar.xz"
DAMAGE = (lzma.LZMAError, tarfile.TarError, UnicodeDecodeError)  # what `unpack` raises
# A tar without extensions has room for 100 letters behind the folder. A cubin with a longer name is not in it.
_CUBIN = re.compile(r"cubins/[\w-]{1,94}\.cubin", re.ASCII)
# 31 MB of cubins take 3 s and 1.7 MB; preset 6 takes 6 s and 1.6 MB, preset 1 by itself 0.5 s and 2.4 MB.
_FILTERS = ({"id": lzma.FILTER_LZMA2, "preset": 1, "mode": lzma.MODE_NORMAL, "dict_size": 16 << 20},)
_MEMORY = 128 << 20  # bytes for unpacking: preset 9, the largest, needs 65 MiB
_BLOCK = tarfile.BLOCKSIZE


def is_cubin(name: str) -> bool:
    """Whether the file of a run with this name belongs to the tar."""
    return _CUBIN.fullmatch(name) is not None


def pack(cubins: Mapping[str, bytes]) -> bytes:
    """Return the tar of these files; the same files give the same bytes."""
    parts = [_header(name, len(cubins[name])) + _padded(cubins[name]) for name in sorted(cubins)]
    return lzma.compress(b"".join((*parts, bytes(2 * _BLOCK))), filters=_FILTERS)


def _header(name: str, size: int) -> bytes:
    info = tarfile.TarInfo(name)  # of nobody, and of 1970
    info.size = size
    return info.tobuf(tarfile.USTAR_FORMAT, "ascii", "strict")


def _padded(content: bytes) -> bytes:
    return content + bytes(-len(content) % _BLOCK)


def unpack(content: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield name and content of each file of a tar; one of `DAMAGE` where it holds anything but cubins or is cut short.

    A file is unpacked when the caller takes it. `tarfile` reads single headers only: for planted extensions some of its
    versions take endless time (CVE-2024-6232, CVE-2025-8194).
    """
    decoder = lzma.LZMADecompressor(lzma.FORMAT_XZ, _MEMORY)
    decoder.decompress(content, 0)
    while any(header := _next(decoder, _BLOCK)):
        info = tarfile.TarInfo.frombuf(header, "ascii", "strict")
        _require_cubin(info)
        yield info.name, _whole(decoder, info.size)
        _next(decoder, -info.size % _BLOCK)
    _next(decoder, tarfile.RECORDSIZE)  # the zeros at the end, behind which is a checksum
    if not decoder.eof:
        raise tarfile.ReadError(f"{CUBIN_TAR} is cut short, or does not end after its files")


def _require_cubin(info: tarfile.TarInfo) -> None:
    if info.type != tarfile.REGTYPE or not is_cubin(info.name):
        raise tarfile.ReadError(f"{CUBIN_TAR} holds {info.name!r}, which is no cubin")
    if not 0 <= info.size <= run_files.MOST_FILE_BYTES:
        raise tarfile.ReadError(f"{info.name} has more than {run_files.MOST_FILE_BYTES:,} bytes")


def _whole(decoder: lzma.LZMADecompressor, size: int) -> bytes:
    content = _next(decoder, size)
    if len(content) < size:
        raise tarfile.ReadError(f"{CUBIN_TAR} is cut short")
    return content


def _next(decoder: lzma.LZMADecompressor, size: int) -> bytes:
    """Return the next bytes that the decoder unpacks, fewer at the end."""
    parts = []
    while size > 0 and not decoder.eof and not decoder.needs_input:
        parts.append(decoder.decompress(b"", size))
        size -= len(parts[-1])
    return b"".join(parts)
