"""`advise --patch` prints what `git apply` takes from the root of a repository, whatever bytes and names files have."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import Command

LANES = """\
// COMMENT
__global__ void lanes(const float* in, float* out) {
\t__shared__ float s[64];
\ts[threadIdx.x] = in[threadIdx.x];
\t__syncthreads();
\tout[threadIdx.x] = s[threadIdx.x ^ 1] + s[threadIdx.x];
}
"""
MIXED = "".join(
    line.replace("\n", "\r\n") if number % 2 else line for number, line in enumerate(LANES.splitlines(keepends=True))
)
FILES = {
    "a plain file.cu": LANES.encode(),
    "windows.cu": LANES.replace("\n", "\r\n").encode(),
    "mixed.cu": MIXED.encode(),
    "mark.cu": b"\xef\xbb\xbf" + LANES.encode(),
    "latin.cu": LANES.replace("COMMENT", "caf\xe9").encode("latin-1"),
    "feeds.cu": LANES.replace("COMMENT", "a\f b\v c\x1c d\u2028 e").encode(),
    "\xe9.cu": LANES.encode(),
}


@pytest.fixture
def repository(tmp_path: Path, shflbench: Command, kernel_cache: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the root of a repository; the current folder is one in it."""
    del shflbench  # for its folder
    monkeypatch.setenv("SHFLBENCH_CACHE", str(kernel_cache))
    git(tmp_path, "init", "-q")
    folder = tmp_path / "of kernels"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return tmp_path


def git(folder: Path, *words: str) -> None:
    subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", "-C", str(folder), *words], check=True)


@pytest.mark.parametrize(("name", "text"), FILES.items(), ids=FILES)
def test_a_diff_applies_from_the_root(repository: Path, shflbench: Command, name: str, text: bytes) -> None:
    file = Path(name)
    file.write_bytes(text)
    git(repository, "add", ".")
    git(repository, "commit", "-qm", "a file")
    outcome = shflbench("advise", file, "--launch", "1x64", "--patch", "-o", repository / "lanes.diff")
    assert outcome.code == 0, outcome.err
    git(repository, "apply", "lanes.diff")
    assert file.read_bytes() == text.replace(b"__syncthreads", b"__syncwarp")


@pytest.mark.archs
def test_a_diff_on_standard_output_has_the_bytes_of_the_file(repository: Path) -> None:
    file = Path("latin.cu")
    file.write_bytes(FILES["latin.cu"].replace(b"\n", b"\r\n"))
    words = [sys.executable, "-m", "shflbench", "advise", str(file), "--launch", "1x64", "--patch"]
    done = subprocess.run(words, env=dict(os.environ), capture_output=True, check=True)
    subprocess.run(["git", "apply"], input=done.stdout, cwd=repository, check=True)
    assert b"caf\xe9\r\n" in file.read_bytes()
    assert b"__syncwarp();\r\n" in file.read_bytes()


def test_a_link_is_patched_where_it_points_to(repository: Path, shflbench: Command) -> None:
    (repository / "lanes.cu").write_text(LANES, encoding="utf-8")
    Path("link.cu").symlink_to(repository / "lanes.cu")
    shflbench("advise", "link.cu", "--launch", "1x64", "--patch", "-o", "lanes.diff")
    subprocess.run(["git", "apply", "of kernels/lanes.diff"], cwd=repository, check=True)
    assert "__syncwarp" in (repository / "lanes.cu").read_text(encoding="utf-8")


@pytest.mark.parametrize("output", ["lanes.cu", "link.txt"])
def test_the_output_replaces_no_source(repository: Path, shflbench: Command, output: str) -> None:
    del repository
    Path("lanes.cu").write_text(LANES, encoding="utf-8")
    Path("link.txt").symlink_to("lanes.cu")
    outcome = shflbench("advise", "lanes.cu", "--launch", "1x64", "--patch", "-o", output)
    assert outcome.code == 2
    assert f"--output {output} would replace a file of source code" in outcome.err
    assert Path("lanes.cu").read_text(encoding="utf-8") == LANES


def test_a_loop_of_links_is_a_file_that_cannot_be_read(repository: Path, shflbench: Command) -> None:
    del repository
    Path("loop.cu").symlink_to("loop.cu")
    outcome = shflbench("advise", "loop.cu", "--patch")
    assert outcome.code == 3
    assert "loop.cu cannot be read" in outcome.err
