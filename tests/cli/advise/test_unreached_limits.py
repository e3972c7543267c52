"""A limit that is a small part of the time of a kernel says nothing of what there is to gain: `advise` says so."""

from dataclasses import replace
from pathlib import Path

import pytest

from shflbench.analysis.limits.distance import is_unreached
from shflbench.store import read_run
from shflbench.store.limits_file import read_limits
from tests.cli.gate.runs import process

RESULTS = Path(__file__).parents[3] / "results"
CLUSTERS = RESULTS / "clusters" / "nvidia-h200"
REST = "latency, or what a limit leaves out, takes most of its time"


def limit_line(pattern: str, folder: Path, cwd: Path) -> str:
    """Return what `advise` says of the limit, from a process of its own."""
    outcome = process("advise", pattern, folder, cwd=cwd)
    assert outcome.code == 0
    (line,) = (line for line in outcome.out.splitlines() if line.startswith("Limit: "))
    return line


@pytest.mark.archs
def test_advice_says_where_no_limit_is_reached(tmp_path: Path) -> None:
    line = limit_line("cluster-reduce", CLUSTERS, tmp_path)
    assert line == f"Limit: no throughput limit is reached (block start, 3%): {REST}"


@pytest.mark.archs
def test_advice_names_the_limit_that_takes_the_time(tmp_path: Path) -> None:
    line = limit_line("reduce", RESULTS / "gtc2013" / "nvidia-h200", tmp_path)
    assert line == "Limit: 92% of what the hardware allows, set by exchange"


@pytest.mark.parametrize(
    ("fraction", "omitted", "iterations", "unreached"),
    [
        (0.03, None, 1, True),
        (0.6, None, 1, False),
        (0.03, "uniform", 64, False),
        (0.03, "uniform;cluster barrier", 64, True),
        (0.6, "uniform;cluster barrier", 64, False),
    ],
)
def test_a_limit_is_not_reached_where_it_lacks_what_decides(
    fraction: float, omitted: str | None, iterations: int, *, unreached: bool
) -> None:
    row = replace(
        next(row for row in read_run(CLUSTERS).rows if row.pattern == "cluster-reduce"),
        iterations=iterations,
        ns_per_iteration=None if iterations == 1 else 1.0,
        sass_per_iteration=None,
    )
    limit = replace(next(iter(read_limits(CLUSTERS).values())), limit_fraction=fraction, omitted=omitted)
    assert is_unreached(row, limit) == unreached
