"""The reference pages match the code; slow tests compile their tables of machine code again."""

import inspect
import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from shflbench import errors
from shflbench.cli.baseline import command as baseline
from shflbench.cli.history.command import command as history
from shflbench.cli.main import READER_GONE
from shflbench.cli.main import shflbench as root
from shflbench.cli.noise.command import command as noise
from shflbench.core import environment
from shflbench.cuda.compile.toolchain import find
from shflbench.errors import FINDING_EXIT, UNDECIDED_EXIT
from shflbench.patterns.discover import builtin, load
from tests.thorough import in_turn
from tools.docs.generate import FOLDER, PAGES, commands, exit_codes
from tools.docs.machine_code import compiler_of, digest, tables, with_digest
from tools.docs.pattern_pages import committed_tables, page


@pytest.mark.parametrize("name", [name for name in PAGES if name.removeprefix("patterns/")[:-3] not in builtin()])
def test_committed_page_matches_the_code(name: str) -> None:
    committed = (FOLDER / name).read_text(encoding="utf-8")
    assert committed == PAGES[name](), "run `make docs`"


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", builtin())
def test_committed_page_of_a_pattern_matches_the_code(name: str) -> None:
    """Its tables of machine code are not compiled again: their digest tells whether they are current."""
    known, text = committed_tables(name)
    assert known == digest(load(builtin()[name])), "run `make docs`"
    committed = (FOLDER / "patterns" / f"{name}.md").read_text(encoding="utf-8")
    assert committed == page(name, text), "run `make docs`"


@pytest.mark.archs
@pytest.mark.parametrize("name", in_turn(list(builtin()), one_in=40))
def test_tables_of_machine_code_match_the_compiler(name: str, kernel_cache: Path) -> None:
    _, text = committed_tables(name)
    if compiler_of(text) != find().version:
        pytest.skip(f"compiled by NVRTC {compiler_of(text)}, and this is {find().version}")
    assert tables(load(builtin()[name]), kernel_cache) == text


def test_a_changed_kernel_changes_the_digest(monkeypatch: pytest.MonkeyPatch) -> None:
    pattern = load(builtin()["neighbor"])
    before = digest(pattern)
    monkeypatch.setattr("tools.docs.machine_code.ARCHITECTURES", ("sm_90",))
    assert digest(pattern) != before
    assert f"<!-- machine code {digest(pattern)} -->\ntext\n" in with_digest(pattern, "text")


def test_there_is_no_page_without_a_generator() -> None:
    files = [path for path in FOLDER.rglob("*") if path.is_file()]
    assert {path.relative_to(FOLDER).as_posix() for path in files} == set(PAGES)


def test_every_command_of_a_group_has_its_help_on_the_page() -> None:
    titles = re.findall("^### (.*)$", commands(), re.MULTILINE)
    assert titles == [f"{group.name} {name}" for group in (baseline, history, noise) for name in group.commands]


def test_every_variable_that_is_read_is_on_the_page() -> None:
    read = set(re.findall(r'environ\.get\("(\w+)"', inspect.getsource(environment)))
    assert "GITHUB_STEP_SUMMARY" in read
    assert {name for name in read if f"`{name}`" not in commands()} == set()


def test_every_exit_code_is_on_the_page() -> None:
    classes = [item for item in vars(errors).values() if isinstance(item, type)]
    raised = {item.exit_code for item in classes if hasattr(item, "exit_code")}
    returned = {0, FINDING_EXIT, UNDECIDED_EXIT, READER_GONE, errors.HUNG_UP, errors.INTERRUPTED, errors.TERMINATED}
    listed = {int(code) for code in re.findall(r"^\| (\d+) \|", exit_codes(), re.MULTILINE)}
    assert listed == raised | returned


def commands_of(group: click.Group, context: click.Context) -> Iterator[tuple[str, str]]:
    """Yield each command below a group by its full name, with its help."""
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command
        below = click.Context(command, context, name, **command.context_settings)
        if isinstance(command, click.Group):
            yield from commands_of(command, below)
        else:
            yield below.command_path.strip(), command.get_help(below)


def codes_in(text: str) -> set[str]:
    """Return the exit codes that the help of a command names, in sentences and in the table of `check`."""
    sentences = re.findall(r"exits? (?=\d)[^.]*", " ".join(text.split()), re.IGNORECASE)
    in_sentences = re.findall(r"(?:exits?|and|;) (\d) ", " ".join(sentences), re.IGNORECASE)
    in_table = re.findall(r"^ {4}[a-z].* {2,}(\d)  ", text, re.MULTILINE)
    return {*in_sentences, *in_table}


def test_every_command_whose_help_names_a_code_of_few_commands_is_on_its_line_of_the_page() -> None:
    lines = dict(re.findall(r"^\| (\d+) \| (.*) \|$", exit_codes(), re.MULTILINE))
    named = {(name, code) for name, text in commands_of(root, click.Context(root)) for code in codes_in(text)}
    assert {("fleet", "6"), ("limits", "1"), ("check", "1"), ("gate", "5"), ("noise learn", "1")} <= named
    of_few = {(name, code) for name, code in named if code in {"1", "5", "6"}}
    assert {(name, code) for name, code in of_few if not re.search(rf"`{name}\b", lines[code])} == set()
