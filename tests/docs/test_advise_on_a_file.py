"""The how-to page on `shflbench advise FILE`: its file prints what the page shows."""

import re
from pathlib import Path

from tests.conftest import Command

PAGE = (Path(__file__).parents[2] / "docs" / "how-to" / "advise-on-a-file.md").read_text(encoding="utf-8")


def test_the_advice_of_the_page_is_that_of_its_file(shflbench: Command) -> None:
    (source,) = re.findall(r"```cuda\n(.*?)```", PAGE, re.DOTALL)
    (advice,) = re.findall(r"```\n\$ shflbench advise rows.cu\n(.*?)```", PAGE, re.DOTALL)
    Path("rows.cu").write_text(source, encoding="utf-8")
    outcome = shflbench("advise", "rows.cu")
    assert outcome.code == 0, outcome.err
    assert outcome.out == advice
    (patch,) = re.findall(r"```\n\$ shflbench advise rows.cu --patch\n(.*?)```", PAGE, re.DOTALL)
    assert shflbench("advise", "rows.cu", "--patch").out == patch
