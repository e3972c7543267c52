"""Damaged machine code, and files that make a reader wait: one sentence and exit 3, in time."""

import os
import shutil
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest

from shflbench.store.kernel_archive import KernelArchive
from shflbench.store.limits_file import read_limits, write_limits
from tests.faults.conftest import shflbench_commands

RECORDED = Path(__file__).parents[2] / "results" / "moving-average" / "nvidia-h200"
Change = Callable[[bytes], bytes]


def damage(folder: Path, change: Change, arch: str = "sm_90") -> Path:
    """Copy a run, change its cubins, and write their hashes again, as somebody does who wants to deceive."""
    shutil.copytree(RECORDED, folder)
    limits = read_limits(folder).values()  # none is complete, so that the kernels are read
    write_limits(folder, [replace(limit, model_us=None) for limit in limits])
    archive = KernelArchive.read(folder / "kernels.zip")
    contents = {
        name: change(content) if name.startswith("cubins/") else content for name, content in archive.contents.items()
    }
    files = {name: sha256(content).hexdigest() for name, content in contents.items()}
    index = replace(archive.index, compiler=replace(archive.index.compiler, arch=arch), files=files)
    (folder / "kernels.zip").write_bytes(KernelArchive(index, contents).encode())
    return folder


def flipped(content: bytes) -> bytes:
    """Return the content with one bit changed in each kernel: some place in the middle of the code."""
    return content.replace(b"\x4d\x79\x00\x00", b"\x4c\x79\x00\x00")


CHANGES: dict[str, tuple[Change, str]] = {
    "empty": (lambda _: b"", ".cubin is not an ELF file"),
    "half": (lambda content: content[: len(content) // 2], ".cubin is not an ELF file"),
    "end": (lambda content: content[:-7000] + b"\xff" * 7000, ".cubin is not an ELF file"),
    "name": (lambda content: content.replace(b".text.", b".texx."), "is missing or was changed"),
    "bit": (flipped, "is missing or was changed"),
}


@pytest.mark.archs
def test_machine_code_that_is_not_the_recorded_one_sets_no_limit(tmp_path: Path) -> None:
    folders = [damage(tmp_path / name, change).name for name, (change, _) in CHANGES.items()]
    folders.append(damage(tmp_path / "arch", bytes, arch="../x").name)
    before = {name: (tmp_path / name / "limits.csv").read_bytes() for name in folders}
    outcomes = shflbench_commands(tmp_path, *(("limits", name) for name in folders))
    sentences = [sentence for _, sentence in CHANGES.values()]
    for name, sentence, outcome in zip(folders, [*sentences, "`compiler.arch` is '../x'"], outcomes, strict=True):
        assert (outcome.code, outcome.out) == (3, ""), name
        said, advice = outcome.err.splitlines()
        assert said.startswith(f"error: {name}/kernels.zip")
        assert sentence in said
        assert advice == "Restore the file as the run wrote it, or measure again"
        assert (tmp_path / name / "limits.csv").read_bytes() == before[name]


def test_a_file_that_waits_for_content_ends_no_command_late(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.npy")
    (tmp_path / "k.cu").write_text("__global__ void k(float* x) { x[threadIdx.x] = 1; }\n", encoding="utf-8")
    log = "/proc/kmsg"  # a regular file by its mode, without an end; where it cannot be read, that is the error
    commands = [
        ("convert", log, "--output", "out"),
        ("compare", log, log),
        ("validate", log),
        ("check", log),
        ("check", "k.cu", "--arg", "x=pipe.npy"),
        ("run", "--scheduler-file", "pipe.npy"),
    ]
    for words, outcome in zip(commands, shflbench_commands(tmp_path, *commands), strict=True):
        assert outcome.code in {2, 3}, words
        assert outcome.err.startswith("error: "), words
    assert not (tmp_path / "out").exists()
