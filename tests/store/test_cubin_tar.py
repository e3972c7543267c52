import io
import lzma
import tarfile
import tracemalloc

import pytest

from shflbench.store.cubin_tar import DAMAGE, is_cubin, pack, unpack

CUBINS = {
    "cubins/scan-0123456789ab.cubin": b"machine code" * 100,
    "cubins/count-0123456789ab.cubin": b"",
    "cubins/vote-0123456789ab.cubin": b"x" * tarfile.BLOCKSIZE,
}
NAME = next(iter(CUBINS))


def member(name: str = NAME, size: int = 0, kind: bytes = tarfile.REGTYPE) -> bytes:
    """Return the header of a file in a tar, with any values."""
    info = tarfile.TarInfo(name)
    info.size, info.type, info.linkname = size, kind, "/etc/passwd"
    return info.tobuf(tarfile.GNU_FORMAT)


def packed(*blocks: bytes) -> bytes:
    return lzma.compress(b"".join((*blocks, bytes(2 * tarfile.BLOCKSIZE))))


def refusal(content: bytes) -> str:
    with pytest.raises(DAMAGE) as caught:
        dict(unpack(content))
    return str(caught.value)


def test_cubins_come_back_sorted_and_any_order_gives_the_same_bytes() -> None:
    content = pack(CUBINS)
    assert list(unpack(content)) == sorted(CUBINS.items())
    assert pack(dict(reversed(CUBINS.items()))) == content
    assert list(unpack(pack({}))) == []


def test_other_programs_read_the_tar_and_it_names_no_machine() -> None:
    with tarfile.open(fileobj=io.BytesIO(pack(CUBINS))) as tar:
        assert {item.name: _content(tar, item) for item in tar} == CUBINS
        assert {(item.mtime, item.uid, item.gid, item.uname, item.mode) for item in tar} == {(0, 0, 0, "", 0o644)}


def _content(tar: tarfile.TarFile, item: tarfile.TarInfo) -> bytes:
    file = tar.extractfile(item)
    assert file is not None
    return file.read()


def test_a_tar_of_another_program_compressed_with_more_effort_is_read() -> None:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for name, content in CUBINS.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            tar.addfile(info, io.BytesIO(content))
    assert dict(unpack(lzma.compress(file.getvalue(), preset=9 | lzma.PRESET_EXTREME))) == CUBINS


@pytest.mark.parametrize("pattern", ["d" * 81, "my_pattern-2"])
def test_names_of_cubins_fit_into_a_tar(pattern: str) -> None:
    name = f"cubins/{pattern}-0123456789ab.cubin"
    assert is_cubin(name)
    assert dict(unpack(pack({name: b"code"}))) == {name: b"code"}


@pytest.mark.parametrize(
    "name",
    [
        "/cubins/a.cubin",
        "../cubins/a.cubin",
        "cubins/../a.cubin",
        "cubins/..",
        "cubins/a.cubin/",
        "cubins/a",
        "a.cubin",
    ],
)
def test_only_names_of_cubins_are_read(name: str) -> None:
    assert not is_cubin(name)
    assert refusal(packed(member(name))) == f"cubins.tar.xz holds {name!r}, which is no cubin"


@pytest.mark.parametrize("kind", sorted(set(tarfile.SUPPORTED_TYPES) - {tarfile.REGTYPE}))
def test_only_files_are_read(kind: bytes) -> None:
    assert refusal(packed(member(kind=kind))) == f"cubins.tar.xz holds {NAME!r}, which is no cubin"


def test_a_tar_cut_short_is_damaged() -> None:
    content = pack(CUBINS)
    for length in range(len(content)):
        refusal(content[:length])
    assert refusal(packed(member(size=4096))) == "cubins.tar.xz is cut short"
    assert refusal(packed(bytes(tarfile.RECORDSIZE))) == "cubins.tar.xz is cut short, or does not end after its files"


def test_every_damaged_byte_is_found_or_does_no_harm() -> None:
    content = pack(CUBINS)
    for place in range(len(content)):
        changed = bytearray(content)
        changed[place] ^= 0xFF
        try:
            assert dict(unpack(bytes(changed))) == CUBINS
        except DAMAGE:
            continue


@pytest.mark.parametrize("size", [-5, (64 << 20) + 1])
def test_size_of_a_file_has_bounds(size: int) -> None:
    assert refusal(packed(member(size=size))) == f"{NAME} has more than 67,108,864 bytes"


def test_a_header_that_is_none_is_damaged() -> None:
    assert refusal(packed(b"\xff" * tarfile.BLOCKSIZE)) == "bad checksum"
    changed = member().replace(b"scan", b"\xff\xff\xff\xff")
    info = bytearray(changed)
    info[148:155] = b"%06o\0" % (sum(changed[:148] + changed[156:512]) + 256)
    assert "ordinal not in range" in refusal(packed(bytes(info)))


def test_a_bomb_takes_no_more_memory_than_the_files_that_are_taken() -> None:
    first = member(size=4096) + bytes(4096)
    bomb = packed(first, member("cubins/b.cubin", size=32 << 20), bytes(32 << 20))
    assert len(bomb) < 32 << 10
    tracemalloc.start()
    next(unpack(bomb))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 16 << 20  # the decoder takes 8 MB


def test_a_tar_that_needs_much_memory_to_unpack_is_refused() -> None:
    filters = [{"id": lzma.FILTER_LZMA2, "preset": 0, "dict_size": 1 << 30}]
    assert refusal(lzma.compress(bytes(1024), filters=filters)) == "Memory usage limit exceeded"
