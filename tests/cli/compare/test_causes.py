"""The likely cause of a change, from kernels that were compiled and timed on an H200.

The new side is a copy of a recorded run in which one case became another: its time, its row and its machine code are
those of a variant that was measured beside it.
"""

import json
import shutil
from collections.abc import Mapping
from dataclasses import fields, replace
from html import unescape
from itertools import takewhile
from pathlib import Path
from typing import Any

import pytest

from shflbench.analysis.compare import Side, compare, with_causes
from shflbench.cli.compare.table import lines
from shflbench.store import read_info, read_run
from shflbench.store.kernel_archive import CompilerCall, KernelArchive, StoredKernel
from shflbench.store.limits_file import LIMITS_FILE, CaseLimit, write_limits
from shflbench.store.run_files import KERNELS_FILE, ROWS_FILE, RUN_FILE
from tests.cli.gate.runs import put_rows
from tests.conftest import Command
from tests.fakes.kept_runs import edit

QUICK = Path(__file__).parents[3] / "results/quick/nvidia-h200"
SYNCWARP = "neighbor/smem-syncwarp/f32/26x1024/512/mode=idx"
SMEM = "neighbor/smem/f32/26x1024/512/mode=idx"
WIDE = "broadcast-work/smem-wide/f32/26x1024/64"
SMEM_WORK = "broadcast-work/smem/f32/26x1024/64"
LEADER = "reserve/leader-shfl/i32/1024x256/1"
ATOMIC = "reserve/atomic/i32/1024x256/1"


def copy(folder: str) -> Path:
    """Copy the tables and kernels of the recorded run, without its samples, which would not fit other times."""
    Path(folder).mkdir()
    for name in (RUN_FILE, ROWS_FILE, KERNELS_FILE):
        shutil.copy(QUICK / name, folder)
    return Path(folder)


def become(folder: Path, changes: Mapping[str, str]) -> None:
    """Give each case the time and the kernel of another case."""
    rows = {row.case_id: row for row in read_run(folder).rows}
    put_rows(
        folder,
        [
            replace(rows[changes.get(name, name)], case_id=name, variant=row.variant, iterations=row.iterations)
            for name, row in rows.items()
        ],
    )
    kernels = stored(folder)
    put(folder, {name: replace(kernels[other], name=kernels[name].name) for name, other in changes.items()})


def slow(folder: Path, factor: float) -> None:
    """Let one case take longer, with the same kernel."""
    times = ("time_us", "time_low_us", "time_high_us")
    put_rows(
        folder,
        [
            replace(row, **{name: factor * getattr(row, name) for name in times}) if row.case_id == SYNCWARP else row
            for row in read_run(folder).rows
        ],
    )


def stored(folder: Path) -> dict[str, StoredKernel]:
    """Return the kernels in a folder, by case."""
    kernels = KernelArchive.read(folder / KERNELS_FILE).index.kernels
    return {case_id: kernel for kernel in kernels for case_id in kernel.cases}


def put(folder: Path, changed: Mapping[str, StoredKernel], compiler: CompilerCall | None = None) -> None:
    """Put other kernels of some cases into a folder."""
    archive = KernelArchive.read(folder / KERNELS_FILE)
    kernels = {case_id: changed.get(case_id, kernel) for case_id, kernel in stored(folder).items()}
    index = replace(
        archive.index,
        compiler=compiler or archive.index.compiler,
        kernels=tuple(replace(kernel, cases=(case_id,)) for case_id, kernel in kernels.items()),
    )
    (folder / KERNELS_FILE).write_bytes(replace(archive, index=index).encode())


@pytest.fixture
def base(shflbench: Command) -> Path:
    del shflbench  # only for its folder
    return copy("base")


@pytest.fixture
def new(base: Path) -> Path:
    del base
    return copy("new")


def below(report: str, case: str) -> list[str]:
    """Return the lines below that of a case."""
    lines = iter(report.splitlines())
    next(line for line in lines if f" {case} " in line)
    return [line.strip() for line in takewhile(lambda line: line.startswith("    "), lines)]


def verdict_on(case: str, report: str) -> Mapping[str, Any]:
    (verdict,) = (item for item in json.loads(report)["verdicts"] if item["case_id"] == case)
    assert isinstance(verdict, dict)
    return verdict


OF_SYNCWARP = (
    "likely cause: other instructions per iteration: +2 BAR, -2 NOP; "
    "the case runs neighbor_smem<float> instead of neighbor_smem_syncwarp<float>"
)


@pytest.mark.archs
def test_slower_case_names_the_instructions_that_were_added(shflbench: Command, new: Path) -> None:
    become(new, {SYNCWARP: SMEM, WIDE: SMEM_WORK})
    outcome = shflbench("compare", "base", "new")
    assert outcome.code == 1
    assert below(outcome.out, SYNCWARP) == [OF_SYNCWARP]
    assert below(outcome.out, WIDE) == [
        (
            "likely cause: 104 instead of 80 instructions per iteration (+24 LDS, +2 BAR, -2 NOP); "
            "the case runs broadcast_work_smem<float> instead of broadcast_work_smem_wide<float>"
        )
    ]


@pytest.mark.archs
def test_faster_case_names_the_instructions_that_were_removed(shflbench: Command, new: Path) -> None:
    become(new, {WIDE: SMEM_WORK})
    outcome = shflbench("compare", "new", "base")
    assert outcome.code == 0
    (line,) = below(outcome.out, WIDE)
    assert line.startswith("likely cause: 80 instead of 104 instructions per iteration (-24 LDS, -2 BAR, +2 NOP); ")


@pytest.mark.archs
def test_kernel_of_one_pass_is_compared_as_a_whole(shflbench: Command, new: Path) -> None:
    become(new, {LEADER: ATOMIC})
    (line,) = below(shflbench("compare", "base", "new").out, LEADER)
    assert line.startswith("likely cause: other machine code: 18 instead of 31 instructions in the kernel (-2 SHFL, ")


@pytest.mark.archs
def test_every_format_contains_the_cause(shflbench: Command, new: Path) -> None:
    become(new, {SYNCWARP: SMEM})
    for form in ("github", "markdown", "junit", "table"):
        text = unescape(shflbench("compare", "base", "new", "--format", form).out)
        assert OF_SYNCWARP in text, form
    causes = verdict_on(SYNCWARP, shflbench("compare", "base", "new", "--format", "json").out)["causes"]
    assert [(cause["kind"], cause["changes"]) for cause in causes] == [
        ("instructions", ["BAR per iteration 0 → 2"]),
        ("source", []),
    ]


@pytest.mark.archs
def test_lines_fit_a_narrow_terminal(new: Path) -> None:
    become(new, {SYNCWARP: SMEM})
    sides = Side.of([read_run(Path("base"))]), Side.of([read_run(new)])
    comparison = with_causes(compare(*sides), *sides)
    narrow = [line for line, _ in lines(comparison, 80)]
    assert [line for line in narrow if len(line) > 80 and len(line.split()) > 2] == []  # no part of a case is cut
    assert "    likely cause: other instructions per iteration: +2 BAR, -2 NOP; the case" in narrow


def test_same_machine_code_is_reported_and_leads_out_of_the_kernel(shflbench: Command, new: Path) -> None:
    slow(new, 2.0)
    outcome = shflbench("compare", "base", "new")
    assert below(outcome.out, SYNCWARP) == [
        (
            "the machine code is the same: check the clock and other programs, and measure in more processes "
            "if the kernel waits for memory"
        )
    ]


def test_same_machine_code_names_another_driver(shflbench: Command, new: Path) -> None:
    slow(new, 2.0)
    edit(new, versions=replace(read_info(new).versions, driver="590.1"))
    outcome = shflbench("compare", "base", "new")
    assert below(outcome.out, SYNCWARP) == ["the machine code is the same; the driver was 580.159.04, now 590.1"]


@pytest.mark.archs
def test_compiler_with_other_scheduling_is_named(shflbench: Command, new: Path) -> None:
    slow(new, 2.0)
    kernel = stored(new)[SYNCWARP]
    compiler = KernelArchive.read(new / KERNELS_FILE).index.compiler
    put(new, {SYNCWARP: replace(kernel, code_sha256="0" * 64)}, replace(compiler, nvrtc="13.6"))
    assert below(shflbench("compare", "base", "new").out, SYNCWARP) == [
        (
            "likely cause: other machine code with the same instruction counts per iteration: "
            "their order, registers or control codes changed; NVRTC 13.5 → 13.6"
        )
    ]


@pytest.mark.archs
def test_limits_of_both_runs_are_compared(shflbench: Command, base: Path, new: Path) -> None:
    become(new, {SYNCWARP: SMEM})
    for folder, limit_us, limiter in ((base, 18.6, "exchange"), (new, 36.9, "barrier")):
        known = dict.fromkeys((item.name for item in fields(CaseLimit)), None)
        limit = CaseLimit(**known | {"case_id": SYNCWARP, "limit_us": limit_us, "limit_by": limiter})  # type: ignore[arg-type]
        write_limits(folder, [limit])
    (line,) = below(shflbench("compare", "base", "new").out, SYNCWARP)
    assert "; limited by barrier instead of exchange: the limit is 36.9 instead of 18.6 µs; " in line


@pytest.mark.archs
@pytest.mark.parametrize(("name", "what"), [(KERNELS_FILE, "machine code"), (LIMITS_FILE, "limits")])
def test_damaged_file_is_a_warning_and_changes_no_verdict(shflbench: Command, new: Path, name: str, what: str) -> None:
    become(new, {SYNCWARP: SMEM})
    (new / name).write_bytes(b"")
    outcome = shflbench("compare", "base", "new")
    assert outcome.code == 1
    assert f"warning: no cause is read from the {what}: new/{name} is empty\n" in outcome.err


@pytest.mark.archs
@pytest.mark.parametrize("sides", [("base", "new"), ("new", "base")])
def test_runs_without_kernels_say_what_their_tables_know(shflbench: Command, new: Path, sides: tuple[str, str]) -> None:
    become(new, {SYNCWARP: SMEM})
    (new / KERNELS_FILE).unlink()
    outcome = shflbench("compare", *sides)
    change = "0 → 2" if sides == ("base", "new") else "2 → 0"
    assert below(outcome.out, SYNCWARP) == [f"likely cause: BAR per iteration {change}"]


def test_nothing_is_said_where_nothing_is_known(shflbench: Command, new: Path) -> None:
    slow(new, 2.0)
    (new / KERNELS_FILE).unlink()
    assert below(shflbench("compare", "base", "new").out, SYNCWARP) == []


def test_registers_name_the_source_alone(shflbench: Command, new: Path) -> None:
    become(new, {SYNCWARP: "neighbor/shfl/f32/26x1024/512/mode=idx"})
    outcome = shflbench("compare", "base", "new", "--metric", "registers")
    assert below(outcome.out, SYNCWARP)[-1] == (
        "likely cause: the case runs neighbor_shfl<float> instead of neighbor_smem_syncwarp<float>"
    )


@pytest.mark.archs
def test_report_across_names_no_cause(shflbench: Command, new: Path) -> None:
    become(new, {SYNCWARP: SMEM})
    outcome = shflbench("compare", "base", "new", "--across", "--allow", "suite")
    assert "likely cause" in outcome.out  # the sides can be compared
    edit(new, arch="sm_80")
    assert "likely cause" not in shflbench("compare", "base", "new", "--across").out


def test_kernels_are_not_read_where_no_case_changed(
    shflbench: Command, new: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = read_run(new).rows
    put_rows(new, [replace(row, temperature_c=31) for row in rows])
    edit(new, started="2026-11-22T08:00:00Z")

    def read(path: Path) -> None:
        raise AssertionError(path)

    monkeypatch.setattr(KernelArchive, "read", read)
    assert shflbench("compare", "base", "new").code == 0


@pytest.mark.archs
def test_runs_of_a_side_that_ran_different_code_leave_the_cause_open(shflbench: Command, new: Path) -> None:
    become(new, {SYNCWARP: SMEM})
    other = Path(shutil.copytree(new, "other"))
    edit(other, started="2026-11-22T08:00:00Z")
    put(other, {SYNCWARP: replace(stored(other)[SYNCWARP], code_sha256="1" * 64)})
    outcome = shflbench("compare", "base", "new", "--new", "other")
    assert below(outcome.out, SYNCWARP) == ["likely cause: BAR per iteration 0 → 2"]
