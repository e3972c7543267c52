"""`shflbench check` on the text of one CUDA file, compiled by NVRTC, which every machine has that runs the tests."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import pytest

from tests.conftest import Command


@dataclass(frozen=True)
class Checked:
    """The exit code, and the record of the only kernel in the JSON output."""

    code: int
    kernel: dict[str, Any]

    @property
    def verdict(self) -> str:
        return str(self.kernel["verdict"])

    @property
    def sentence(self) -> str:
        return str(self.kernel["sentence"])

    @property
    def kinds(self) -> list[str]:
        """The kinds of the findings that led to the verdict."""
        return [finding["kind"] for finding in self.kernel["findings"] if finding["level"]]


class CheckText(Protocol):
    def __call__(self, text: str, *words: str) -> Checked: ...


@pytest.fixture
def check_text(shflbench: Command) -> CheckText:
    def call(text: str, *words: str) -> Checked:
        Path("k.cu").write_text(text, encoding="utf-8")
        outcome = shflbench("check", "k.cu", "--compiler", "nvrtc", "--format", "json", *words)
        assert outcome.out, outcome.err
        (file,) = json.loads(outcome.out)["files"]
        (kernel,) = file["kernels"]
        return Checked(outcome.code, kernel)

    return call
