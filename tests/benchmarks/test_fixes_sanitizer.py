"""The run of compute-sanitizer on public fixes: how kernels are launched, and how each run of a tool is read."""

from pathlib import Path

import pytest

from benchmarks import fixes_sanitizer
from shflbench.pattern_checks.sanitizer_result import MARKER, Tool
from tests.checker.fixes.fix_files import FOLDERS, FixFile, fix_files

FILES = {file.name: file for file in fix_files(*FOLDERS)}


def _tool(folder: Path, script: str) -> str:
    program = folder / "compute-sanitizer"
    program.write_text(f"#!/bin/sh\necho '{MARKER}one before'\n{script}\n", encoding="utf-8")
    program.chmod(0o755)
    return str(program)


@pytest.mark.parametrize(
    ("script", "result"),
    [
        ("echo ran", [0, 0, ""]),
        ("echo '========= Warning: Race reported in a'; echo ran", [0, 1, "Warning: Race reported in a"]),
        ("echo 'no module cupy' >&2; exit 1", [0, 0, f"{MARKER}one before\nno module cupy\n"]),
        ("sleep 60", [0, 0, "hangs"]),
    ],
)  # fmt: skip
def test_a_run_of_a_tool_is_read(
    script: str, result: list[object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fixes_sanitizer, "SECONDS", 1)
    assert fixes_sanitizer.run(_tool(tmp_path, script), Tool.RACECHECK, {"name": "one before"}) == result


def _job(file: FixFile, form: str, folder: Path) -> fixes_sanitizer.Job:
    return fixes_sanitizer.job(file, form, "sm_90", folder)


def test_a_dependent_launch_shares_a_buffer_with_the_first_one(tmp_path: Path) -> None:
    job = _job(FILES["open/sglang_38290_router_bias"], "after", tmp_path)
    assert [kernel["pointers"] for kernel in job["kernels"]] == [[True, False], [True, True, False]]
    assert (job["same"], job["grid"], job["block"]) == ((1, 1), [2], [128])


def test_a_form_is_compiled_with_its_clusters(tmp_path: Path) -> None:
    file = FILES["open/sglang_38829_relaxed_arrival"]
    before, after = (Path(_job(file, form, tmp_path)["kernels"][0]["cubin"]) for form in ("before", "after"))
    assert before.read_bytes() != after.read_bytes()
    assert "__cluster_dims__(2, 1, 1) select(" in fixes_sanitizer.with_clusters(file, file.kernels[0])


def test_a_launch_in_two_dimensions_is_read(tmp_path: Path) -> None:
    job = _job(FILES["open/pytorch_162995_two_reductions"], "before", tmp_path)
    assert (job["grid"], job["block"]) == ([2], [64, 2])
