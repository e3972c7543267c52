import io
import sys

import pytest
from rich.progress import Progress as Bar

from shflbench.cli.console import Console, ProgressBar
from shflbench.cli.layout import Line, Table
from tests.conftest import Command

BAD = Table("", ("case",), (Line(("a",), "bad"), Line(("b",))))


def test_data_goes_to_stdout_and_everything_else_to_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    console = Console()
    console.data("data")
    console.table(BAD, data=True)
    console.say("note")
    console.warn("careful")
    console.error("wrong", "fix it")
    printed = capsys.readouterr()
    assert printed.out == "data\ncase\na\nb\n"
    assert printed.err == "note\nwarning: careful\nerror: wrong\nFix it\n"


def test_colors_appear_only_on_request_or_on_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    Console(color=True).table(BAD)
    assert capsys.readouterr().err == "case\n\x1b[31ma\x1b[0m\nb\n"
    Console(color=False).table(BAD)
    assert capsys.readouterr().err == "case\na\nb\n"


def test_force_color_colors_a_pipe_unless_color_is_refused(shflbench: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ("check", "missing.cu")
    plain = "error: missing.cu cannot be read: "
    assert shflbench(*words).err.startswith(plain)
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert shflbench(*words).err.startswith("\x1b[31m\x1b[1merror:\x1b[0m missing.cu cannot be read: ")
    assert shflbench(*words, "--no-color").err.startswith(plain)
    monkeypatch.setenv("NO_COLOR", "1")
    assert shflbench(*words).err.startswith(plain)


def test_stream_that_knows_no_micro_sign_gets_a_question_mark(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(stream, encoding="ascii"))
    Console().data("70 µs ± 1")
    assert stream.getvalue() == b"70 ?s ? 1\n"


def test_control_characters_of_a_damaged_file_are_escaped(capsys: pytest.CaptureFixture[str]) -> None:
    console = Console(color=True)
    console.data("a\tb\nc\x1b[2Jd\re\x07")
    console.error("case \u202eabc\x9b31m")
    console.table(
        Table("\x1b[8m", ("case", "n"), (Line(("a\x1b[0m\nb", "1"), "good"), Line(("c", "2"))), notes=("\r",))
    )
    printed = capsys.readouterr()
    assert printed.out == "a\tb\nc\\x1b[2Jd\\re\\x07\n"
    assert printed.err == (
        "\x1b[31m\x1b[1merror:\x1b[0m case \\u202eabc\\x9b31m\n"
        "\\x1b[8m\n  case         n\n\x1b[32m  a\\x1b[0m\\nb  1\x1b[0m\n  c            2\n  \\r\n"
    )


def test_progress_is_silent_without_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    console = Console()
    with console.progress() as progress:
        progress.show("neighbor/shfl", 1, 2)
        console.say("table")
    printed = capsys.readouterr()
    assert (printed.out, printed.err) == ("", "table\n")


def test_progress_on_a_terminal_names_the_case_below_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    monkeypatch.setenv("TERM", "xterm")
    console = Console()
    with console.progress() as progress:
        progress.show("neighbor/shfl", 1, 2)
        console.say("table")
    assert "neighbor/shfl" in terminal.getvalue()
    assert "table\n" in terminal.getvalue()
    assert terminal.getvalue().index("table") < terminal.getvalue().rindex("neighbor/shfl")


def test_things_that_are_done_at_the_same_time_have_a_line_each() -> None:
    bar = Bar()
    progress = ProgressBar(bar)
    first, second = progress.line(), progress.line()
    first.show("node7:0: 1 of 9 cases", 1, 9)
    second.show("node7:1: 2 of 9 cases", 2, 9)
    first.show("node7:0: 3 of 9 cases \x1b[8m[/red]", 3, 9)
    assert [(task.description, task.completed, task.total) for task in bar.tasks] == [
        ("node7:0: 3 of 9 cases \\x1b[8m[/red]", 3, 9),
        ("node7:1: 2 of 9 cases", 2, 9),
    ]
