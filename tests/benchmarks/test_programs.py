"""The entrance to all programs: `python -m benchmarks`."""

import re
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from benchmarks.__main__ import FOLDER, PROGRAMS, main, module_of

ROOT = FOLDER.parent
COMMAND = re.compile(r"python -m benchmarks ([a-z][\w.]*)")


def run(monkeypatch: pytest.MonkeyPatch, *words: str) -> int:
    monkeypatch.setattr(sys, "argv", ["__main__.py", *words])
    return main()


def test_without_a_name_each_program_has_a_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch) == 0
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == sorted(PROGRAMS)


@pytest.mark.parametrize("name", ["claim", "claims.page", "compare_power.none", "unseen", ""])
def test_an_unknown_name_is_exit_code_2(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, name) == 2
    assert "`python -m benchmarks` lists them" in capsys.readouterr().err


def test_an_error_of_a_program_is_one_sentence_and_exit_code_2(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, "public_sets", "--set", "faial") == 2
    assert capsys.readouterr().err == ("no folder with the sets; give --sets FOLDER, or --fetch FOLDER to clone them\n")
    assert run(monkeypatch, "compare_power", "none.npz") == 2
    assert capsys.readouterr().err.startswith("none.npz cannot be read as a recording")


def test_a_program_gets_the_other_words_and_shows_its_name(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        run(monkeypatch, "compare_power.corpus", "--help")
    assert capsys.readouterr().out.startswith("usage: benchmarks compare_power.corpus ")


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_program_exists(name: str) -> None:
    module = module_of(name)
    assert module is not None
    assert find_spec(module) is not None


def test_every_folder_with_a_program_is_listed() -> None:
    assert {path.parent.name for path in FOLDER.glob("*/__main__.py")} <= PROGRAMS.keys()


@pytest.mark.parametrize("folder", ["benchmarks", "docs", "tests", "tools", "shflbench", "suites"])
def test_every_command_of_a_text_names_a_program(folder: str) -> None:
    paths = [path for suffix in ("py", "md", "toml", "yaml") for path in (ROOT / folder).rglob(f"*.{suffix}")]
    texts = {path: path.read_text(encoding="utf-8", errors="replace") for path in paths if path != Path(__file__)}
    wrong = [(path.name, name) for path, text in texts.items() for name in COMMAND.findall(text) if not module_of(name)]
    assert wrong == []
