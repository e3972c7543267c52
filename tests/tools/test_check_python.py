from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from tools import check_python

if TYPE_CHECKING:
    import pytest


def test_this_python_is_sufficient() -> None:
    assert check_python.complaint() is None


def test_an_old_python_gets_the_required_version_and_how_to_select_another(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check_python, "OLDEST", (4, 2))
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    assert check_python.complaint() == (
        f"shflbench needs Python 4.2 or newer, this is {version}; select another: make PYTHON=python3.12 ..."
    )


def test_a_python_without_venv_gets_the_command_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check_python, "find_spec", lambda name: None if name == "ensurepip" else object())
    assert check_python.complaint() == (
        f"{sys.executable} lacks the module venv; on Debian and Ubuntu: apt install python3-venv"
    )
