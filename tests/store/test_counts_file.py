"""The file `counts.json`, which says what launches do."""

from pathlib import Path

import pytest

from shflbench.core.model import AccessKind, AccessRequests, AccessSpace, KernelRequests, LaunchCounts, MemoryFootprint
from shflbench.errors import ResultsError
from shflbench.store.counts_file import COUNTS_FILE, CaseCounts, read_counts, write_counts

LOAD = AccessRequests(
    "sums.cu", 3, AccessSpace.GLOBAL, AccessKind.LOAD, 32, 8.0, 1.0, 32.0, sectors=4.0, least_sectors=4.0
)
COUNTS = LaunchCounts(8, 64, KernelRequests((LOAD,), (), 8, per_iteration=False), MemoryFootprint(4096.0, 64.0, 4160.0))


def test_what_is_written_is_read(tmp_path: Path) -> None:
    cases = [CaseCounts("a/b/f32/64x256/1", COUNTS), CaseCounts("a/c/f32/64x256/1", reason="it takes too long")]
    write_counts(tmp_path, cases)
    assert read_counts(tmp_path) == {item.case_id: item for item in cases}


def test_a_run_without_the_file_has_no_counts(tmp_path: Path) -> None:
    assert read_counts(tmp_path) == {}


def test_a_damaged_file_is_named_with_the_key(tmp_path: Path) -> None:
    write_counts(tmp_path, [CaseCounts("a/b/f32/64x256/1", COUNTS)])
    path = tmp_path / COUNTS_FILE
    path.write_text(path.read_text(encoding="utf-8").replace('"blocks": 8', '"blocks": "8"'), encoding="utf-8")
    with pytest.raises(ResultsError, match=r"counts\.json: `cases\.0\.counts\.blocks` is \"8\", not an integer"):
        read_counts(tmp_path)


@pytest.mark.parametrize(
    ("blocks", "grid", "words"), [(8, 65536, "8 of 65,536 blocks"), (64, 64, "all 64 blocks"), (1, 1, "the only block")]
)
def test_the_blocks_that_were_counted_are_named(blocks: int, grid: int, words: str) -> None:
    assert LaunchCounts(blocks, grid, COUNTS.requests, COUNTS.footprint).basis == words
