"""The how-to page on `shflbench check FILE`: its file prints what the page shows, and its options are known."""

import re
from pathlib import Path

from tests.conftest import Command

PAGE = (Path(__file__).parents[2] / "docs" / "how-to" / "check-any-kernel.md").read_text(encoding="utf-8")


def test_the_report_of_the_page_is_that_of_its_file(shflbench: Command) -> None:
    source, *_ = re.findall(r"```cuda\n(.*?)```", PAGE, re.DOTALL)
    (report,) = re.findall(r"```\n(shift: broken\n.*?)```", PAGE, re.DOTALL)
    Path("shift.cu").write_text(source, encoding="utf-8")
    outcome = shflbench("check", "shift.cu", "--compiler", "nvrtc")
    assert outcome.code == 1
    assert outcome.out.partition("\n\n")[2] == report
    fixed = source.replace("    out[i]", "    __syncthreads();\n    out[i]")
    Path("shift.cu").write_text(fixed, encoding="utf-8")
    assert shflbench("check", "shift.cu", "--compiler", "nvrtc").code == 0


def test_the_finding_between_launches_is_that_of_the_page(shflbench: Command) -> None:
    *_, source = re.findall(r"```cuda\n(.*?)```", PAGE, re.DOTALL)
    (command,) = re.findall(r"^shflbench (check pair.cu .*)$", PAGE, re.MULTILINE)
    (report,) = re.findall(r"```\n(gemm: broken\n.*?)```", PAGE, re.DOTALL)
    Path("pair.cu").write_text(source, encoding="utf-8")
    outcome = shflbench(*command.split(), "--compiler", "nvrtc")
    assert outcome.code == 1
    assert report in outcome.out
    Path("pair.cu").write_text(
        source.replace("first = a[i]", "first = 0").replace("* first", "* a[i]"), encoding="utf-8"
    )
    assert shflbench(*command.split(), "--compiler", "nvrtc").code == 0


def test_every_option_of_the_page_is_one_of_the_command(shflbench: Command) -> None:
    text = shflbench("check", "--help").out
    options = set(re.findall(r"(?<![\w-])(--[a-z]+|-[A-Z]\b)", PAGE))
    assert {"--launch", "--arg", "--strict"} <= options
    assert [option for option in options if option not in text] == []
