"""`shflbench check` as a process on small whole programs, whose first lines say the verdict and words of the report."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

PROGRAMS = sorted((Path(__file__).parent / "programs").glob("*.cu"))
HEAD = re.compile(r"// (?P<verdict>[a-z ]+)(?:: (?P<words>.+))?\n")


def head(program: Path) -> tuple[str, str]:
    match = HEAD.match(program.read_text(encoding="utf-8"))
    assert match is not None, program
    return match["verdict"], match["words"] or ""


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """Check the programs as two processes: one on those that are broken, which ends with 1, and one on the others."""
    result: dict[str, dict[str, Any]] = {}
    for code in (0, 1):
        files = [path for path in PROGRAMS if (head(path)[0] == "broken") == bool(code)]
        done = subprocess.run(
            [sys.executable, "-m", "shflbench", "check", *files, "--compiler", "nvrtc", "--format", "json"],
            cwd=PROGRAMS[0].parent,
            env={**os.environ, "SHFLBENCH_CACHE": str(tmp_path_factory.mktemp("cache"))},
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        assert done.returncode == code, done.stderr
        result |= {Path(file["file"]).name: file for file in json.loads(done.stdout)["files"]}
    return result


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_a_program_is_judged_as_its_first_line_says(program: Path, reports: dict[str, dict[str, Any]]) -> None:
    verdict, words = head(program)
    kernel = next(item for item in reports[program.name]["kernels"] if item["verdict"] == verdict)
    findings = [finding["sentence"] for finding in kernel["findings"]]
    assert words in "\n".join([kernel["sentence"], *findings])


def test_each_explicit_instance_has_a_verdict(reports: dict[str, dict[str, Any]]) -> None:
    kernels = reports["explicit_instances.cu"]["kernels"]
    verdicts = {"turn<float>": "broken", "turn<double>": "clean", "turn<long long>": "clean"}
    assert {kernel["name"]: kernel["verdict"] for kernel in kernels} == verdicts
