"""`shflbench bench FILE` on files as public repositories have them: their headers, builds, and sizes of blocks."""

import pytest

from tests.cli.bench.conftest import BenchCommand
from tests.cli.bench.test_bench import SUMS, rows


@pytest.mark.parametrize("header", ["cuda.h", "cuda_occupancy.h"])
def test_file_may_include_headers_of_cuda_that_include_those_of_the_host(bench: BenchCommand, header: str) -> None:
    outcome = bench(f"#include <{header}>\n{SUMS}", "--no-check")
    assert outcome.code == 0, outcome.err
    assert {row.status.value for row in rows().values()} == {"verified"}
