"""The folder of a user: a suite, a pattern of their own, and the command in processes of its own."""

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from shflbench.patterns.new import write
from tests.conftest import Outcome

REPOSITORY = Path(__file__).parents[2]
SUITE = "schema: 1\nname: demo\nexperiments: [{pattern: ./ring, launch: 1x32, iterations: 1, dtypes: f32}]\n"
PATIENCE = 120.0  # seconds after which a test gives up on a machine that is busy


class Project:
    """A folder with a suite and the pattern `ring`, as `shflbench new` writes it."""

    def __init__(self, folder: Path, cache: Path) -> None:
        self.folder, self.cache = folder, cache
        self.pattern = folder / "ring/pattern.py"
        write("ring", folder)
        (folder / "demo.yaml").write_text(SUITE, encoding="utf-8")

    def add(self, code: str) -> None:
        """Add code to the start of pattern.py."""
        text = self.pattern.read_text(encoding="utf-8")
        self.pattern.write_text(f"{code}\n{text}", encoding="utf-8")

    def start(self, *words: str, python: Sequence[str] = ("-m", "shflbench")) -> subprocess.Popen[str]:
        """Start a command; `python` says how."""
        paths = [str(REPOSITORY), *filter(None, sys.path)]
        return subprocess.Popen(
            [sys.executable, *python, *words],
            cwd=self.folder,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(paths), "SHFLBENCH_CACHE": str(self.cache)},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def call(self, *words: str, python: Sequence[str] = ("-m", "shflbench")) -> Outcome:
        """Run a command to its end."""
        process = self.start(*words, python=python)
        out, err = process.communicate(timeout=PATIENCE)
        assert "Traceback" not in err
        return Outcome(process.returncode, out, err)

    def call_all(self, *typed: Sequence[str]) -> list[Outcome]:
        """Run several commands, all in the same new process."""
        done = self.call(json.dumps(typed), python=("-m", "tests.fakes.commands"))
        return [Outcome(*outcome) for outcome in json.loads(done.out)]
