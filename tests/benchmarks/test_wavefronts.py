"""The emulator's counts of today against those of Nsight Compute that were recorded on a GPU."""

import csv
import io
from functools import cache
from pathlib import Path

import pytest

from benchmarks.common.pages import UNKNOWN
from benchmarks.wavefronts import emulated, page
from benchmarks.wavefronts_gpu import Measured, metric, problem, read_counts
from benchmarks.wavefronts_subjects import SOURCE, STEPS, Subject, compiled, subjects
from shflbench.core.model import AccessKind, AccessSpace

PAGE = SOURCE.with_suffix(".md")
SHARED, GLOBAL, _ = AccessSpace


@cache
def counts() -> dict[str, float]:
    ptx = compiled("sm_90").ptx
    return emulated(ptx, SHARED) | emulated(ptx, GLOBAL)


def recorded(path: Path = PAGE) -> dict[str, list[str]]:
    """Return the cells after the name of each launch of a recorded page."""
    rows = [line.strip("| ").split(" | ") for line in path.read_text(encoding="utf-8").splitlines()]
    return {f"{row[0][1:-1]}, {row[1]}": row[2:] for row in rows if row[0].startswith("`") and len(row) > 3}


@pytest.mark.archs
def test_the_emulator_counts_what_nsight_compute_counted() -> None:
    assert list(recorded()) == [subject.name for space in (SHARED, GLOBAL) for subject in subjects(space)]
    different = {name: row for name, row in recorded().items() if {row[1], row[2]} != {f"{counts()[name]:g}"}}
    assert different == {}


def test_the_recorded_launches_have_all_widths_up_to_32_conflicts_and_partial_warps() -> None:
    rows = {name: row for name, row in recorded().items() if name.startswith("shared") and row[2] != UNKNOWN}
    assert len(rows) >= 20
    assert {row[2] for name, row in rows.items() if "load_32" in name} >= {"1", "2", "4", "8", "16", "32"}
    assert {name.split(",")[0] for name, row in rows.items() if row[0] != "32"} == {
        f"shared_{kind}_{form}" for kind in ("load", "store") for form in (32, 64, 128, "x1", "x2")
    }


def test_no_recorded_request_takes_fewer_clocks_than_passes() -> None:
    clocks = {name: (float(row[1]), float(row[3])) for name, row in recorded().items() if name.startswith("shared")}
    assert {name for name, (passes, measured) in clocks.items() if measured < 0.99 * passes} == set()


def ncu_table(launched: list[Subject], value: str) -> str:
    """Return what Nsight Compute prints, every counter with one value."""
    file = io.StringIO()
    writer = csv.writer(file, quoting=csv.QUOTE_ALL)
    writer.writerow(["ID", "Kernel Name", "Metric Name", "Metric Unit", "Metric Value"])
    for number, subject in enumerate(launched):
        for name in dict.fromkeys(map(metric, launched)):
            writer.writerow([str(number), subject.kernel, name, "", value])
    return f"==PROF== Connected to process 7\n{file.getvalue()}"


def test_counts_are_read_per_request_without_the_load_of_the_offsets() -> None:
    shared, moved = subjects(SHARED)[0], subjects(GLOBAL)[0]
    assert read_counts(ncu_table([shared], "1,024"), [shared]) == {shared.name: 1024 / STEPS}
    assert read_counts(ncu_table([moved], "36"), [moved]) == {moved.name: (36 - 4) / STEPS}
    assert read_counts(ncu_table([shared], "n/a"), [shared]) == {}
    assert read_counts("==ERROR== nothing", [shared]) == {}


def test_the_reason_is_given_where_counters_are_not_permitted() -> None:
    line = "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU Performance Counters"
    assert problem(f"==PROF== Connected\n{line}\n==PROF== Disconnected\n") == line
    assert problem("") == "no output"


def test_the_page_names_launches_that_differ_and_those_with_more_clocks() -> None:
    names = [subject.name for space in (SHARED, GLOBAL) for subject in subjects(space)]
    expected = dict.fromkeys(names, 2.0)
    clocks = {names[0]: 2.0, names[1]: 4.0}
    measured = Measured("GPU", "580", "2025.3", "13.0", "", {names[0]: 2.0, names[1]: 3.0}, clocks)
    text = page(expected, measured)
    assert f"equal for 1 of 2 launches.\n- different: {names[1]}\n" in text
    assert f"Of 2 launches, 0 take fewer clocks than passes, and 1 more:\n- {names[1]}\n" in text
    assert "| `shared_load_32` | unit stride | 32 | 2 | 2 | 2.00 |" in text
    assert {subject.kind for subject in subjects(SHARED)} == {AccessKind.LOAD, AccessKind.STORE}
