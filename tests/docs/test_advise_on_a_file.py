"""The how-to page on `shflbench advise FILE`: its file prints what the page shows."""

import re
from pathlib import Path

import pytest

from tests.conftest import Command

RESULTS = Path(__file__).parents[2] / "results"
PAGE = (Path(__file__).parents[2] / "docs" / "how-to" / "advise-on-a-file.md").read_text(encoding="utf-8")


@pytest.mark.archs  # it reads the samples of all runs
def test_the_advice_of_the_page_is_that_of_its_file(shflbench: Command) -> None:
    (source,) = re.findall(r"```cuda\n(.*?)```", PAGE, re.DOTALL)
    (advice,) = re.findall(r"```\n\$ shflbench advise rows.cu\n(.*?)```", PAGE, re.DOTALL)
    Path("rows.cu").write_text(source, encoding="utf-8")
    Path("results").symlink_to(RESULTS)
    outcome = shflbench("advise", "rows.cu")
    assert outcome.code == 0, outcome.err
    assert outcome.out == advice
    assert_patch_is_that_of_the_page(shflbench, "rows.cu")


def test_the_shuffle_of_the_page_is_that_of_its_file(shflbench: Command) -> None:
    lines = re.findall(r"b/previous.cu\n@@.*?@@\n(.*?)```", PAGE, re.DOTALL)[0].splitlines()
    source = "\n".join(line[1:] for line in lines if line[0] in "- ")
    Path("previous.cu").write_text(f"{source}\n", encoding="utf-8")
    assert_patch_is_that_of_the_page(shflbench, "previous.cu", "--launch", "1x256")


def assert_patch_is_that_of_the_page(shflbench: Command, *words: str) -> None:
    command = " ".join(words)
    (shown,) = re.findall(rf"```\n\$ shflbench advise {command} --patch\n(.*?)```", PAGE, re.DOTALL)
    outcome = shflbench("advise", *words, "--patch")
    assert outcome.code == 0, outcome.err
    sentence, _, diff = shown.partition("\n")
    assert (outcome.err.splitlines()[-1], outcome.out) == (sentence, diff)
