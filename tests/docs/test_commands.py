"""Every command and option that a page names exists, and no text installs a package that is not published."""

import re
from pathlib import Path

import pytest

from tests.docs.commands import commands_of, unknown
from tools.language import check

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
        "gate",
        "compare",
        "baseline",
        "new",
        "check",
    }
    assert unknown(["run", "quick", "--against", "main"]) == {"--against"}
    assert unknown(["measure", "quick"]) == {"measure"}


UNPUBLISHED = re.compile(
    r"""(?<![\w/.-])shflbench\[\w|\binstall (?:-[\w=-]+ )*['"]?shflbench(?=[`'"\s]|$)""", re.MULTILINE
)


@pytest.mark.parametrize("text", ["pip install shflbench", "pip install --upgrade 'shflbench'", "`shflbench[cuda13]`"])
def test_an_unpublished_package_is_seen(text: str) -> None:
    assert UNPUBLISHED.search(text)


@pytest.mark.parametrize(
    "text", ["pip install '.[cuda13]'", "pip install '/opt/shflbench[compile]'", "the shflbench extra"]
)
def test_a_checkout_may_be_installed(text: str) -> None:
    assert not UNPUBLISHED.search(text)


@pytest.mark.archs
def test_no_text_names_an_unpublished_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    files = [name for name in check.files([]) if name != "tests/docs/test_commands.py"]
    assert len(files) > 500
    assert [name for name in files if UNPUBLISHED.search(check.text_of(name))] == []
