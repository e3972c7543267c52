"""`shflbench bench OLD NEW` and `bench FILE --against REVISION`: is my edit faster?"""

import re
import subprocess
from pathlib import Path

import pytest

from shflbench.store import read_run
from tests.cli.bench.conftest import BenchCommand
from tests.conftest import Command

SUMS = Path(__file__).with_name("sums.cu").read_text(encoding="utf-8").replace("rows = 64,", "rows = 8,")
EDITED = SUMS.replace("half /= 2", "half >>= 1")


def compared() -> set[tuple[str, str, str | None]]:
    return {(row.case_id, row.status.value, row.reference) for row in read_run(Path("run")).rows}


BOTH = {
    (f"sums-{kernel}/{variant}/f32/8x256/1", "verified", "old")
    for kernel in ("sums-smem", "sums-shfl")
    for variant in ("old", "new")
}


@pytest.fixture
def repository(bench: BenchCommand) -> Path:
    """Commit sums.cu, and the header of its kernels, to git."""
    del bench  # the folder is its
    Path("lib").mkdir()
    Path("lib/sums.cuh").write_text(SUMS.partition("int main")[0], encoding="utf-8")
    Path("sums.cu").write_text('#include "lib/sums.cuh"\nint main' + SUMS.partition("int main")[2], encoding="utf-8")
    name = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    for words in (["init", "-q"], ["add", "."], [*name, "commit", "-qm", "first"], ["tag", "first"]):
        subprocess.run(["git", *words], check=True)
    return Path.cwd()


@pytest.mark.archs
def test_kernels_of_the_same_name_are_compared_with_the_old_file(bench: BenchCommand, shflbench: Command) -> None:
    del bench  # for the machine
    Path("before.cu").write_text(SUMS, encoding="utf-8")
    Path("sums.cu").write_text(EDITED, encoding="utf-8")
    outcome = shflbench("bench", "before.cu", "sums.cu", "--output", "run")
    assert outcome.code == 0, outcome.err
    assert compared() == BOTH


@pytest.mark.archs
def test_another_result_of_the_new_file_is_an_error(bench: BenchCommand, shflbench: Command) -> None:
    del bench
    random = SUMS.replace("cudaMemset(in, 0", "cudaMemset(in, 64")
    Path("before.cu").write_text(random, encoding="utf-8")
    Path("sums.cu").write_text(random.replace("offset > 0", "offset > 1"), encoding="utf-8")
    assert shflbench("bench", "before.cu", "sums.cu", "--output", "run").code == 5
    assert {case for case, status, _ in compared() if status == "incorrect"} == {"sums-sums-shfl/new/f32/8x256/1"}


def renamed(text: str) -> str:
    return text.replace("sums_smem", "sums_block").replace("sums_shfl", "sums_warp")


@pytest.mark.archs
def test_kernels_of_one_file_only_are_named(bench: BenchCommand, shflbench: Command) -> None:
    del bench
    Path("before.cu").write_text(renamed(SUMS), encoding="utf-8")
    Path("sums.cu").write_text(SUMS, encoding="utf-8")
    outcome = shflbench("bench", "before.cu", "sums.cu", "--output", "run")
    assert "sums_block and sums_warp are not timed: only in before.cu" in outcome.err
    assert "sums_smem and sums_shfl are not timed: only in sums.cu" in outcome.err
    assert outcome.code == 2  # there is nothing to compare


@pytest.mark.archs
@pytest.mark.parametrize("has_filter", [True, False])
def test_revision_brings_its_headers(
    repository: Path, shflbench: Command, monkeypatch: pytest.MonkeyPatch, *, has_filter: bool
) -> None:
    if not has_filter:  # as in Python 3.11.2
        monkeypatch.delattr("tarfile.data_filter", raising=False)
    header = repository / "lib" / "sums.cuh"
    header.write_text(header.read_text(encoding="utf-8").replace("half /= 2", "half >>= 1"), encoding="utf-8")
    outcome = shflbench("bench", "sums.cu", "--against", "first", "--output", "run")
    assert outcome.code == 0, outcome.err
    assert compared() == BOTH
    texts = [path.read_text() for path in repository.parent.rglob("bench/*/sums_sums_smem/old/lib/sums.cuh")]
    assert all("half /= 2" in text for text in texts)


@pytest.mark.archs
def test_a_file_that_did_not_change_since_the_revision_is_named(repository: Path, shflbench: Command) -> None:
    outcome = shflbench("bench", "sums.cu", "--against", "first", "--output", "run")
    assert "sums.cu is as at first: only what it includes can differ" in outcome.err
    file = repository / "sums.cu"
    file.write_text(file.read_text(encoding="utf-8") + "// edited\n", encoding="utf-8")
    again = shflbench("bench", "sums.cu", "--against", "first", "--output", "other")
    assert again.code == 0
    assert "only what it includes" not in again.err


@pytest.mark.parametrize("name", ["second", "--output=stolen"])
def test_unknown_revision_is_refused(repository: Path, shflbench: Command, name: str) -> None:
    outcome = shflbench("bench", "sums.cu", "--against", name)
    assert outcome.code == 2
    assert outcome.err.startswith(f"error: --against: the repository of sums.cu has no revision {name}\n")
    assert not (repository / "stolen").exists()


def test_three_files_are_refused(bench: BenchCommand, shflbench: Command) -> None:
    del bench
    assert shflbench("bench", "a.cu", "b.cu", "c.cu").code == 2


def test_messages_name_the_file_of_two_that_have_one_name(bench: BenchCommand, shflbench: Command) -> None:
    del bench
    Path("a").mkdir()
    Path("a/sums.cu").write_text(renamed(SUMS), encoding="utf-8")
    race = SUMS.replace("__syncthreads();\n    if (threadIdx.x == 0) {", "if (threadIdx.x == 0) {")
    Path("sums.cu").write_text(race, encoding="utf-8")
    outcome = shflbench("bench", "a/sums.cu", "./sums.cu", "--output", "run")
    assert "sums_shfl is not timed: in sums.cu: broken, RAW" in outcome.err
    assert "sums_block and sums_warp are not timed: only in a/sums.cu" in outcome.err


def test_messages_name_the_revision(repository: Path, shflbench: Command) -> None:
    (repository / "sums.cu").write_text(renamed(SUMS), encoding="utf-8")
    outcome = shflbench("bench", "sums.cu", "--against", "first", "--output", "run")
    assert "sums_smem and sums_shfl are not timed: only in first:sums.cu" in outcome.err


@pytest.mark.archs
def test_inspect_names_both_files_and_their_headers_apart(repository: Path, shflbench: Command) -> None:
    header = repository / "lib" / "sums.cuh"
    header.write_text(header.read_text(encoding="utf-8").replace("half /= 2", "half >>= 1"), encoding="utf-8")
    main = repository / "sums.cu"
    main.write_text(main.read_text() + "__global__ void fill(float* out) { out[threadIdx.x] = 1; }\n")
    assert shflbench("bench", "sums.cu", "--against", "first", "--output", "run").code == 0
    listed = shflbench("inspect", "run", "--diff", "old", "new").out
    assert re.search(r"^ +old/sums\.cuh:\d+ +0x.* new/sums\.cuh:\d+$", listed, re.MULTILINE)


def test_file_outside_of_a_repository_is_named(
    bench: BenchCommand, shflbench: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    del bench
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(Path.cwd().parent))
    Path("sums.cu").write_text(SUMS, encoding="utf-8")
    outcome = shflbench("bench", "sums.cu", "--against", "first")
    assert outcome.code == 2
    assert outcome.err == (
        "error: --against: sums.cu is in no git repository\nCompare two files: bench OLD.cu NEW.cu\n"
    )


@pytest.mark.archs
def test_links_that_leave_the_repository_do_not_matter(repository: Path, shflbench: Command) -> None:
    Path("outside").symlink_to("/etc")
    Path("above").symlink_to("../..")
    Path("loop").symlink_to("loop")
    name = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    for words in (["add", "."], [*name, "commit", "-qm", "links"]):
        subprocess.run(["git", *words], cwd=repository, check=True)
    outcome = shflbench("bench", "sums.cu", "--against", "HEAD", "--output", "run")
    assert outcome.code == 0, outcome.err
