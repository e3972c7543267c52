"""Help is grouped and short, each option stands alone, and global options stand anywhere."""

import inspect
import re
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from shflbench.cli.compare.options import ALLOWABLE
from shflbench.cli.help import KEEP_LINES
from shflbench.cli.main import shflbench as root
from shflbench.output.export.comparison_words import fraction
from shflbench.store.noise_file import ALARMS
from tests.cli.gate.runs import SHFL, lay, process
from tests.conftest import Command

GLOBAL = "Global options: -q, -v, --no-color, --debug, -h; see shflbench --help."


def commands(group: click.Group = root, *before: str) -> Iterator[tuple[str, ...]]:
    """Yield the words of each command, those of groups included."""
    context = click.Context(group)
    for name in group.list_commands(context):
        yield (*before, name)
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from commands(command, *before, name)


def help_lines(*words: str) -> list[str]:
    """Return the help of a command on a terminal of 100 columns."""
    outcome = process(*words, "--help", cwd=Path.cwd(), COLUMNS="100")
    assert (outcome.code, outcome.err) == (0, "")
    lines = outcome.out.splitlines()
    assert max(map(len, lines)) <= 100
    return lines


@pytest.mark.parametrize(("name", "most"), [("run", 54), ("compare", 30)])
def test_help_fits_on_a_screen(name: str, most: int) -> None:
    assert len(help_lines(name)) <= most


def test_options_of_a_run_are_grouped_under_headings() -> None:
    headings = [line for line in help_lines("run") if re.fullmatch(r"[A-Z][a-z ]+:", line)]
    assert headings == ["Cases:", "Device:", "Measurement:", "Results:"]


@pytest.mark.parametrize("words", list(commands()), ids=" ".join)
def test_every_option_has_a_text_and_every_help_names_the_global_options(
    shflbench: Command, words: tuple[str, ...]
) -> None:
    text = shflbench(*words, "--help").out
    assert text.splitlines()[-1] == GLOBAL
    assert re.findall(r"^  (?:-\w, )?--[\w-]+(?: \S+)?\n(?!    )", text, re.MULTILINE) == []


def tables(function: object) -> list[str]:
    """Return the lines of the docstring of a command that its help must keep as they are."""
    paragraphs = inspect.cleandoc(function.__doc__ or "").split("\n\n")
    return [line for text in paragraphs if text.startswith(KEEP_LINES) for line in text.splitlines()[1:]]


@pytest.mark.parametrize("words", list(commands()), ids=" ".join)
def test_tables_in_a_help_keep_their_lines(shflbench: Command, words: tuple[str, ...]) -> None:
    group: click.Command | None = root
    for word in words:
        assert isinstance(group, click.Group)
        group = group.get_command(click.Context(group), word)
    assert group is not None
    text = shflbench(*words, "--help").out
    assert [line for line in tables(group.callback) if f"  {line}\n" not in text] == []
    assert re.findall(r"\\\w|[^\n -~×µ±…→é]", text) == []


@pytest.mark.parametrize("name", ["advise", "bench", "check"])
def test_exit_codes_stand_one_per_line(name: str) -> None:
    table = "\n".join(help_lines(name)).partition("xit codes:\n")[2].partition("\n\n")[0].splitlines()
    assert len(table) >= 2
    assert [line for line in table if len(re.findall(r"(?<= )\d(?= )", line)) != 1] == []


@pytest.mark.parametrize("words", list(commands()), ids=" ".join)
def test_defaults_stand_without_ranges_and_parentheses(shflbench: Command, words: tuple[str, ...]) -> None:
    defaults = re.findall(r"\[default:\s+([^]]*)", shflbench(*words, "--help").out)
    assert [default for default in defaults if re.search(r"^\(|[<>]=", default)] == []


def parameters(group: click.Group = root) -> Iterator[click.Parameter]:
    """Yield the parameters of all commands."""
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        yield from command.params
        if isinstance(command, click.Group):
            yield from parameters(command)


@pytest.mark.parametrize(("flag", "name"), [("-o", "--output"), ("--dtype", "TYPE"), ("--baselines", "FOLDER")])
def test_option_has_one_name_and_one_metavar_in_all_commands(flag: str, name: str) -> None:
    found = [parameter for parameter in parameters() if flag in parameter.opts]
    assert len(found) > 1
    assert [parameter.name for parameter in found if name not in (*parameter.opts, parameter.metavar)] == []


@pytest.mark.parametrize("command", ["compare", "gate"])
def test_help_names_each_word_that_allow_accepts(command: str) -> None:
    text = " ".join(help_lines(command))
    assert [word for word in ALLOWABLE if f"`{word}`" not in text] == []


def test_help_of_noise_learn_names_the_limit_of_false_alarms() -> None:
    assert f"more than {fraction(ALARMS)} of their comparisons" in " ".join(
        " ".join(help_lines("noise", "learn")).split()
    )


REMOVED = [
    (("run", "gate.yaml", "--against", "main"), "`run --against`", "shflbench gate SUITE --against NAME"),
    (("run", "gate.yaml", "--against=main", "--strict"), "`run --against`", "shflbench gate SUITE --against NAME"),
    (("run", "gate.yaml", "--strict", "--against", "main"), "`run --against`", "shflbench gate SUITE --against NAME"),
    (("compare", "--learn-noise", "run"), "`compare --learn-noise`", "shflbench noise learn RUNS"),
    (("compare", "run", "--self-test"), "`compare --self-test`", "shflbench noise test RUNS"),
]


@pytest.mark.parametrize(("words", "option", "command"), REMOVED)
def test_option_that_was_removed_answers_with_the_command_of_today(
    shflbench: Command, words: tuple[str, ...], option: str, command: str
) -> None:
    outcome = shflbench(*words)
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err == f"error: {option} is now a command of its own: {command}\n"


@pytest.fixture
def two(tmp_path: Path) -> None:
    """Two runs, `base` and `new`, of which one case differs."""
    lay(tmp_path / "base")
    lay(tmp_path / "new", seed=2, factors={SHFL: 1.1})


@pytest.mark.usefixtures("two")
@pytest.mark.parametrize("place", ["before", "after"])
def test_global_options_stand_before_and_after_the_command(shflbench: Command, place: str) -> None:
    def call(*flags: str) -> tuple[str, str]:
        words = ("compare", "base", "new", "--also", "json=report.json")
        outcome = shflbench(*flags, *words) if place == "before" else shflbench(*words, *flags)
        assert outcome.code == 1
        return outcome.out, outcome.err

    out, err = call()
    assert err == "written: report.json\n"
    assert call("--quiet") == call("-q") == (out, "")
    assert call("--no-color", "-v") == (out, err)


@pytest.mark.usefixtures("two")
def test_report_is_written_to_a_file_instead_of_stdout(shflbench: Command, tmp_path: Path) -> None:
    printed = shflbench("compare", "base", "new").out
    outcome = shflbench("compare", "base", "new", "-o", "reports/table.txt")
    assert (outcome.code, outcome.out, outcome.err) == (1, "", "written: reports/table.txt\n")
    assert (tmp_path / "reports/table.txt").read_text(encoding="utf-8") == printed
    failed = shflbench("compare", "base", "new", "--output", "base")
    assert (failed.code, failed.out) == (3, "")
    assert failed.err.endswith("name another file with --output\n")


def test_quiet_and_verbose_exclude_each_other(shflbench: Command) -> None:
    for words in (("-q", "schema", "-v"), ("schema", "-qv"), ("-qv", "schema")):
        outcome = shflbench(*words)
        assert (outcome.code, outcome.out) == (2, "")
        assert outcome.err.startswith("error: --quiet and --verbose contradict each other\n")
