"""A runner of a CI system: scripts run in bash, `python3 -m venv` and pip are replaced, shflbench is real.

The GPU is scripted, as in `tests/fakes/machine.py`.
"""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from shlex import quote
from typing import Any

from tests.conftest import Outcome
from tests.faults.conftest import PYTHONPATH

ROOT = Path(__file__).parents[2]
NS_PER_ITERATION = {"smem": {"ns_per_iteration": 80.0}, "shfl": {"ns_per_iteration": 16.0}}
SLOWER = {**NS_PER_ITERATION, "shfl": {"ns_per_iteration": 16.6}}
SUITE = """\
schema: 1
name: gate
title: Did one of our kernels get slower?
measure: {min_seconds: 0.001, processes: 3}
experiments:
  - {pattern: neighbor, variants: [smem, shfl], launch: 2x64, iterations: 4096, dtypes: f32}
"""
SHFLBENCH = f'#!/bin/sh\nexec {quote(sys.executable)} -m tests.fakes.machine "$@"\n'
PROGRAMS = {
    "python": f'#!/bin/sh\nexec {quote(sys.executable)} "$@"\n',
    "pip": '#!/bin/sh\nprintf "%s\\n" "$@" >> "$INSTALLED"\n',
    "shflbench": SHFLBENCH,
}
PYTHON3 = """\
#!/bin/sh
[ "$1 $2" = "-m venv" ] || exit 99
mkdir -p "$3/bin" && cp "$PROGRAMS"/* "$3/bin"
"""


@dataclass
class CiMachine:
    """A machine with a working folder, a cache of compiled kernels, and a scripted GPU."""

    folder: Path
    cache: Path
    work: Path = field(init=False)  # where a job starts
    programs: Path = field(init=False)  # on the PATH
    plan: dict[str, Any] = field(default_factory=lambda: {"scripts": NS_PER_ITERATION})  # of the GPU

    def __post_init__(self) -> None:
        """Create the folders and the programs."""
        self.work, self.programs = self.folder / "work", self.folder / "bin"
        self.work.mkdir()
        for name, text in PROGRAMS.items():
            self.write(self.folder / "venv" / name, text)
        self.write(self.programs / "python3", PYTHON3)

    @staticmethod
    def write(path: Path, text: str) -> None:
        """Write a program."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        path.chmod(0o755)

    def run(self, script: str, *words: str, **variables: str) -> Outcome:
        """Run a script as GitHub runs it, in the working folder."""
        file = self.folder / "script.sh"
        file.write_text(script, encoding="utf-8")
        ran = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(file), *words],
            cwd=self.work,
            env={**self.environment, **variables},
            capture_output=True,
            text=True,
            check=False,
        )
        assert "Traceback" not in ran.stdout + ran.stderr, ran.stderr
        return Outcome(ran.returncode, ran.stdout, ran.stderr)

    @property
    def environment(self) -> Mapping[str, str]:
        """The variables of every script; none is of the CI system that runs this test."""
        kept = {name: text for name, text in os.environ.items() if not name.startswith(("GITHUB_", "CI_", "RUNNER_"))}
        return {
            **kept,
            "PATH": os.pathsep.join([str(self.programs), os.environ["PATH"]]),
            "PROGRAMS": str(self.folder / "venv"),
            "INSTALLED": str(self.folder / "installed"),
            "PYTHONPATH": PYTHONPATH,
            "SHFLBENCH_CACHE": str(self.cache),
            "FAKE_MACHINE": json.dumps(self.plan),
        }

    def installed(self) -> list[str]:
        """Return the arguments that pip got."""
        return (self.folder / "installed").read_text(encoding="utf-8").splitlines()

    def save_baseline(self) -> None:
        """Write the suite, and measure it as the baseline `main`."""
        (self.work / "gate.yaml").write_text(SUITE, encoding="utf-8")
        program = self.folder / "venv" / "shflbench"
        outcome = self.run(f"{program} run gate.yaml --output base\n{program} baseline save main base\nrm -r base\n")
        assert outcome.code == 0, outcome.err
