from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from shflbench.cuda.installation.extra import Choice
from tools import choose_extra

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(autouse=True)
def machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(choose_extra, "choose", lambda: Choice("cuda13", "driver 580"))


def test_choice_is_printed_with_its_reason(capsys: pytest.CaptureFixture[str]) -> None:
    choose_extra.main([])
    printed = capsys.readouterr()
    assert (printed.out, printed.err) == ("cuda13\n", "cuda13: driver 580\n")


def test_file_is_written_only_when_the_choice_changed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "extra"
    file.write_text("compile\n", encoding="utf-8")
    choose_extra.main([str(file)])
    assert file.read_text(encoding="utf-8") == "cuda13\n"
    assert capsys.readouterr().err == "The cuda13 extra fits this machine: driver 580.\n"
    time_written = file.stat().st_mtime_ns
    choose_extra.main([str(file)])
    assert file.stat().st_mtime_ns == time_written
    assert capsys.readouterr().err == ""
