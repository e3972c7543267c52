"""A folder to write suites in, with the patterns `./ring` and `./once` beside them."""

import shutil
from pathlib import Path

import pytest

from shflbench.core.model import Overrides, Suite
from shflbench.errors import SuiteError
from shflbench.suite import load

HEAD = "schema: 1\nname: demo\n"  # a test's experiments start on line 3


class Folder:
    """The current folder, as a user who writes a suite has it."""

    def load(self, text: str, overrides: Overrides | None = None) -> Suite:
        """Load a suite with this text."""
        Path("demo.yaml").write_text(text, encoding="utf-8")
        return load(Path("demo.yaml"), overrides or Overrides())

    def ids(self, experiments: str, overrides: Overrides | None = None) -> list[str]:
        """Return the ids of the cases of a suite that holds, after its head, this text."""
        return [case.id for case in self.load(HEAD + experiments, overrides).cases]

    def refusal(self, text: str) -> str:
        """Return what a user reads about a suite with this text."""
        with pytest.raises(SuiteError) as error:
            self.load(text)
        return error.value.message

    def refusal_of(self, experiments: str) -> str:
        """Return what a user reads about a suite that holds, after its head, this text."""
        return self.refusal(HEAD + experiments)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Folder:
    for pattern in ("ring", "once"):
        shutil.copytree(Path(__file__).parent / pattern, tmp_path / pattern)
    monkeypatch.chdir(tmp_path)
    return Folder()
