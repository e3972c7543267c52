import io
import json
import tracemalloc
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

from shflbench.core.model import Instruction, Kernel, Loop, Resources
from shflbench.errors import ResultsError
from shflbench.store.cubin_tar import CUBIN_TAR, pack, unpack
from shflbench.store.kernel_archive import (
    INDEX,
    OVERHEAD,
    BuiltKernel,
    BuiltLaterKernel,
    CompilerCall,
    KernelArchive,
    kernel_revision,
)
from shflbench.store.keys import INDEX_KEYS

COMPILER = CompilerCall("sm_90", "13.5", ("-std=c++17",))
SASS = tuple(Instruction(16 * place, "", opcode, ()) for place, opcode in enumerate(("LDS.128", "SHFL.IDX", "LDS.128")))
KERNEL = Kernel(
    "_Z4demo", "sm_90", "", b"cubin of a unit", Resources(16, 128, 0, 0), SASS, Loop(0, 32, 2, {"LDS": 2}), ()
)


def built(name: str, expression: str = "demo<float>", **changes: object) -> BuiltKernel:
    kernel = replace(KERNEL, **changes)  # type: ignore[arg-type]
    cases = (f"{name}/26x1024/512", f"{name}/26x1024/4096")
    headers = {"shflbench.cuh": "// shared\n"}
    return BuiltKernel(name, cases, "demo/kernels.cu", "// µ\n", headers, expression, kernel, b"code " + kernel.cubin)


TWO = [built("demo/smem/f32"), built("demo/shfl/f32", "demo_shfl<float>", symbol="_Z5other")]


def archive(*kernels: BuiltKernel) -> KernelArchive:
    return KernelArchive.of(kernels, COMPILER)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "kernels.zip"
    path.write_bytes(archive(*TWO).encode())
    return path


def members(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as file:
        return {name: file.read(name) for name in file.namelist()}


def cubins(path: Path) -> dict[str, bytes]:
    return dict(unpack(members(path)[CUBIN_TAR]))


def in_schema_1(path: Path) -> dict[str, bytes]:
    """Return the members of the file as version 0.2.0 writes it."""
    contents = members(path)
    index = contents.pop(INDEX).replace(b'"schema": 2', b'"schema": 1')
    return {INDEX: index, **dict(unpack(contents.pop(CUBIN_TAR))), **contents}


def put(path: Path, contents: Mapping[str, bytes]) -> None:
    with zipfile.ZipFile(path, "w") as file:
        for name, content in contents.items():
            file.writestr(name, content)


def test_kernels_that_follow_another_are_stored_with_it(tmp_path: Path) -> None:
    later = BuiltLaterKernel("final", replace(KERNEL, symbol="_Z5final", loop=None), b"code of final")
    sequence, changed = (replace(TWO[0], later=(replace(later, code=code),)) for code in (later.code, b"other"))
    path = tmp_path / "kernels.zip"
    path.write_bytes(archive(sequence).encode())
    read = KernelArchive.read(path)
    assert read == archive(sequence)
    assert read.index.kernels[0].expressions == ("demo<float>", "final")
    assert read.differing(archive(sequence)) == []
    assert read.differing(archive(changed)) == read.differing(archive(TWO[0])) == ["demo/smem/f32"]


def test_kernels_come_back_as_they_were_written(path: Path) -> None:
    read = KernelArchive.read(path)
    assert read == archive(*TWO)
    kernel = read.kernel_of("demo/shfl/f32/26x1024/4096")
    assert kernel
    assert (kernel.name, kernel.symbol, kernel.expression) == ("demo/shfl/f32", "_Z5other", "demo_shfl<float>")
    assert kernel.instructions == {"LDS.128": 2, "SHFL.IDX": 1}
    assert kernel.loop
    assert (kernel.loop.unroll, kernel.loop.instructions) == (2, {"LDS": 2})
    assert kernel.resources == KERNEL.resources
    assert read.contents[kernel.source].decode() == "// µ\n"
    assert read.contents[kernel.headers["shflbench.cuh"]] == b"// shared\n"
    assert read.contents[kernel.cubin] == KERNEL.cubin
    assert kernel.code_sha256 == sha256(b"code cubin of a unit").hexdigest()
    assert read.kernel_of("demo/shfl/f64/26x1024/4096") is None


def keys(value: object, prefix: str = "") -> Iterator[str]:
    """Yield the path of each key of the index; lists and maps by kernel, file or opcode count as one value."""
    record = value[0] if isinstance(value, list) and value and isinstance(value[0], dict) else value
    for name, part in record.items() if isinstance(record, dict) else ():
        yield f"{prefix}{name}"
        if name not in {"files", "headers", "instructions"}:
            yield from keys(part, f"{prefix}{name}.")


def test_every_key_of_the_index_is_in_the_reference(path: Path) -> None:
    names = list(keys(json.loads(members(path)[INDEX])))
    assert [key for key in names if key not in {"compiler", "kernels.resources"}] == list(INDEX_KEYS)


def test_kernels_of_a_unit_share_its_files_and_any_order_gives_the_same_bytes(path: Path) -> None:
    names = sorted(members(path))
    assert [name.partition("/")[0] for name in names] == [CUBIN_TAR, "headers", INDEX, "sources"]
    assert list(cubins(path).values()) == [KERNEL.cubin]
    assert archive(*reversed(TWO)).encode() == path.read_bytes()


def test_what_is_not_known_of_a_kernel_stays_unknown(path: Path) -> None:
    path.write_bytes(archive(built("demo/smem/f32", sass=None, loop=None)).encode())
    (kernel,) = KernelArchive.read(path).index.kernels
    assert (kernel.instructions, kernel.loop) == (None, None)


def test_revision_of_a_stored_kernel_is_that_of_its_source(path: Path) -> None:
    index = KernelArchive.read(path).index
    source = ("// µ\n", {"shflbench.cuh": "// shared\n"}, "demo<float>")
    (smem,) = (kernel for kernel in index.kernels if kernel.name == "demo/smem/f32")
    assert index.revision_of(smem) == kernel_revision(*source)
    others = [
        kernel_revision("// other\n", *source[1:]),
        kernel_revision(source[0], {"shflbench.cuh": "// other\n"}, source[2]),
        kernel_revision(*source[:2], "demo<int>"),
    ]
    assert len({index.revision_of(smem), *others}) == 1 + len(others)


def test_every_damaged_byte_is_found_or_does_no_harm(path: Path) -> None:
    content = path.read_bytes()
    whole = KernelArchive.read(path)
    refusals = []
    for place in range(0, len(content), 3):
        path.write_bytes(content[:place] + bytes([content[place] ^ 0xFF]) + content[place + 1 :])
        try:
            assert KernelArchive.read(path) == whole  # a byte of a date, say
        except ResultsError as error:
            refusals.append(error.message)
    assert len(refusals) > len(content) / 3 / 2
    assert all("kernels.zip" in message for message in refusals)


def test_a_file_cut_short_is_damaged(path: Path) -> None:
    content = path.read_bytes()
    for length in range(1, len(content), 7):
        path.write_bytes(content[:length])
        with pytest.raises(ResultsError, match=r"kernels\.zip is damaged: "):
            KernelArchive.read(path)


def test_cubins_of_schema_1_are_members_of_the_zip(path: Path) -> None:
    whole, content = KernelArchive.read(path), path.read_bytes()
    put(path, in_schema_1(path))
    assert [name for name in members(path) if name.startswith("cubins")] == [
        "cubins/demo-" + sha256(KERNEL.cubin).hexdigest()[:12] + ".cubin"
    ]
    assert KernelArchive.read(path) == whole
    assert KernelArchive.read(path).encode() == content


def test_kernels_of_schema_1_are_completed_in_schema_2(path: Path) -> None:
    put(path, in_schema_1(path))
    further = archive(built("demo/new/f32", cubin=b"new"))
    path.write_bytes(KernelArchive.read(path).with_further(further).encode())
    assert sorted(cubins(path).values()) == [KERNEL.cubin, b"new"]
    assert KernelArchive.read(path) == archive(*TWO, built("demo/new/f32", cubin=b"new"))


def test_a_cubin_whose_name_is_too_long_for_a_tar_is_a_member_of_the_zip(path: Path) -> None:
    long = archive(built(f"{'d' * 200}/smem/f32"), *TWO)
    path.write_bytes(long.encode())
    assert len([name for name in members(path) if name.startswith("cubins/ddd")]) == len(cubins(path)) == 1
    assert KernelArchive.read(path) == long


@pytest.mark.parametrize("form", [members, in_schema_1])
def test_an_archive_that_holds_more_than_any_run_is_refused_while_it_is_unpacked(
    path: Path, form: Callable[[Path], dict[str, bytes]], monkeypatch: pytest.MonkeyPatch
) -> None:
    size = sum(len(content) + OVERHEAD for content in in_schema_1(path).values())
    put(path, form(path))
    monkeypatch.setattr("shflbench.store.kernel_archive.MOST_ARCHIVE_BYTES", size)
    KernelArchive.read(path)
    monkeypatch.setattr("shflbench.store.kernel_archive.MOST_ARCHIVE_BYTES", size - 1)
    with pytest.raises(ResultsError, match=rf"kernels\.zip is damaged: its files hold more than {size - 1:,} bytes"):
        KernelArchive.read(path)


def test_file_that_unpacks_to_more_than_the_archive_says_is_damaged(path: Path) -> None:
    size = 4 << 20
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as file:
        file.writestr(INDEX, bytes(size))
    path.write_bytes(path.read_bytes().replace(size.to_bytes(4, "little"), (9).to_bytes(4, "little")))
    tracemalloc.start()
    with pytest.raises(ResultsError, match=r"kernels\.zip is damaged: Bad CRC-32 for file 'index\.json'"):
        KernelArchive.read(path)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 1 << 20


def test_file_of_an_archive_is_not_larger_than_other_files(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shflbench.store.run_files.MOST_FILE_BYTES", 10_000)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr(INDEX, bytes(10_001))
    with pytest.raises(ResultsError, match=r"kernels\.zip is damaged: index\.json has more than 10,000 bytes"):
        KernelArchive.read(path)


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_only_the_method_that_runs_use_is_unpacked(path: Path, method: int) -> None:
    with zipfile.ZipFile(path, "w", method) as file:
        file.writestr(INDEX, "{}")
    with pytest.raises(ResultsError, match=r"index\.json is compressed by another method than `deflate`"):
        KernelArchive.read(path)


def test_a_cubin_in_the_tar_and_beside_it_is_there_twice(path: Path) -> None:
    put(path, {**members(path), **cubins(path)})
    with pytest.raises(ResultsError, match=r"kernels\.zip is damaged: a file is there twice"):
        KernelArchive.read(path)


def test_a_damaged_tar_damages_the_archive(path: Path) -> None:
    put(path, {**members(path), CUBIN_TAR: b"no archive at all"})
    with pytest.raises(ResultsError, match=r"kernels\.zip is damaged: Input format not supported by decoder"):
        KernelArchive.read(path)


def test_content_that_does_not_fit_its_hash_is_named(path: Path) -> None:
    contents = members(path)
    (cubin,) = cubins(path)
    for changed in ({cubin: b"other"}, {}):
        put(path, {**contents, CUBIN_TAR: pack(changed)})
        with pytest.raises(ResultsError, match=rf"kernels\.zip is damaged: {cubin} is missing or was changed"):
            KernelArchive.read(path)


def test_an_archive_without_an_index_or_of_a_later_version_is_refused(path: Path) -> None:
    contents = members(path)
    put(path, {name: content for name, content in contents.items() if name != INDEX})
    with pytest.raises(ResultsError, match=r"kernels\.zip is damaged: it has no index\.json"):
        KernelArchive.read(path)
    put(path, contents | {INDEX: contents[INDEX].replace(b'"schema": 2', b'"schema": 3')})
    with pytest.raises(ResultsError, match=r"kernels\.zip/index\.json has schema 3"):
        KernelArchive.read(path)


def test_further_kernels_are_added_and_known_ones_stay_with_their_files_alone() -> None:
    again = built("demo/smem/f32", cubin=KERNEL.cubin + b" with another kernel")
    later = archive(replace(again, code=TWO[0].code), built("demo/new/f32", cubin=b"new"))
    first = archive(*TWO)
    both = first.with_further(later)
    assert [kernel.name for kernel in both.index.kernels] == ["demo/new/f32", "demo/shfl/f32", "demo/smem/f32"]
    assert sorted(content for name, content in both.contents.items() if "cubins/" in name) == [KERNEL.cubin, b"new"]
    assert both == archive(*TWO, built("demo/new/f32", cubin=b"new"))


def test_only_kernels_in_both_archives_can_differ() -> None:
    first = archive(*TWO)
    assert first.differing(archive(built("demo/new/f32", cubin=b"new"))) == []
    assert first.differing(archive(built("demo/shfl/f32", cubin=b"other"))) == ["demo/shfl/f32"]


def test_an_archive_holds_its_bytes_for_all_time() -> None:
    with zipfile.ZipFile(io.BytesIO(archive(*TWO).encode())) as file:
        assert {info.date_time for info in file.infolist()} == {(1980, 1, 1, 0, 0, 0)}


def test_options_of_a_kernel_are_kept_and_unknown_in_older_files(path: Path) -> None:
    kernels = archive(replace(TWO[0], options=("-DLAUNCH_BOUNDS=1",)), TWO[1])
    path.write_bytes(kernels.encode())
    options = {kernel.name: kernel.options for kernel in KernelArchive.read(path).index.kernels}
    assert options == {"demo/smem/f32": ("-DLAUNCH_BOUNDS=1",), "demo/shfl/f32": ()}
    contents = members(path)
    index = json.loads(contents[INDEX])
    for kernel in index["kernels"]:
        del kernel["options"]
    put(path, {**contents, INDEX: json.dumps(index).encode()})
    assert {kernel.options for kernel in KernelArchive.read(path).index.kernels} == {()}
