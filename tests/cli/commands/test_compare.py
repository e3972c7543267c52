from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

from shflbench.model import Case
from tests.cli.gate_runs import SHFL, lay
from tests.conftest import Command
from tests.fakes.runs import measured, write_run

NEVER = {"cupy", "cuda", "pynvml", "matplotlib", "ruamel", "rich"}
LOADED = """\
import sys
from shflbench.cli.main import main
code = main(sys.argv[1:])
print(code, *sys.modules)
"""


def test_person_reads_what_changed_and_on_what_grounds(shflbench: Command, tmp_path: Path) -> None:
    """Two runs of one process each, as an early shflbench left them: without sentinels."""
    for name, factor in (("base", 1.0), ("new", 1.2)):

        def slowdown(case: Case, factor: float = factor) -> float:
            return factor if case.variant == "shfl" else 1.0

        rows, samples = measured(patterns=["neighbor"], dtypes=["f32"], noise=1e-9, slowdown=slowdown)
        write_run(tmp_path / name, [replace(row, rounds=None) for row in rows], samples)
    outcome = shflbench("compare", "base", "new")
    assert outcome.code == 1
    assert outcome.err.startswith("warning: ")
    assert "sentinels" in outcome.err
    report, ground = outcome.out.split("threshold 2 %; ")
    assert (
        report
        == """\
base: base: NVIDIA H200, driver 580.159, NVRTC 13.0.48, commit 0123456, 1 run, 1 process a case
new:  new: NVIDIA H200, driver 580.159, NVRTC 13.0.48, commit 0123456, 1 run, 1 process a case

verdict  case                            base µs  new µs  change                      threshold
slower   neighbor/shfl/f32/26x1024/4096  69.99    84.00   +20.0 % (+19.3 to +20.7 %)  2 %

5 cases are the same within 2 %; a slowdown of 6.24 % would have been found
"""
    )
    assert ground.startswith("noise: ")
    assert ground.endswith("\n1 slower of 6 cases\n")


def loaded(cwd: Path, *words: str) -> tuple[str, set[str]]:
    """Return exit code and top-level modules of a process that ran the command."""
    ran = subprocess.run(
        [sys.executable, "-c", LOADED, *words], cwd=cwd, capture_output=True, text=True, check=True, timeout=60
    )
    code, *modules = ran.stdout.splitlines()[-1].split()
    return code, {name.partition(".")[0] for name in modules}


def test_help_imports_nothing_heavy(tmp_path: Path) -> None:
    code, modules = loaded(tmp_path, "compare", "--help")
    assert (code, modules & {"numpy", "pandas", "pydantic", *NEVER}) == ("0", set())


def test_comparing_imports_nothing_that_runs_kernels_draws_or_checks_suites(tmp_path: Path) -> None:
    lay(tmp_path / "base")
    lay(tmp_path / "new", seed=2, factors={SHFL: 1.1})
    code, modules = loaded(tmp_path, "compare", "base", "new")
    assert (code, modules & NEVER) == ("1", set())
