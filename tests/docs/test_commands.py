"""Every command and option that a page names exists."""

from pathlib import Path

import pytest

from tests.docs.commands import commands_of, unknown

ROOT = Path(__file__).parents[2]
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_command_and_option_of_a_page_exists(page: Path) -> None:
    commands = list(commands_of(page.read_text(encoding="utf-8")))
    assert {" ".join(words): missing for words in commands if (missing := unknown(words))} == {}


def test_commands_are_found_in_blocks_and_in_sentences() -> None:
    readme = list(commands_of((ROOT / "README.md").read_text(encoding="utf-8")))
    assert {words[0] for words in readme} >= {
        "run",
        "plot",
        "show",
        "list",
        "gate",
        "compare",
        "baseline",
        "new",
        "check",
    }
    assert unknown(["run", "quick", "--against", "main"]) == {"--against"}
    assert unknown(["measure", "quick"]) == {"measure"}
