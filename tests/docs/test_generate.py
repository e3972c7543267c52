"""The reference says what the code says; of what a compiler must say, `make test-archs` holds the rest."""

from pathlib import Path

import pytest

from shflbench.compile.toolchain import find
from shflbench.patterns.discover import builtin, load
from tools.docs.generate import FOLDER, PAGES
from tools.docs.machine_code import compiler_of, digest, tables, with_digest
from tools.docs.pattern_pages import committed_tables, page


@pytest.mark.parametrize("name", [name for name in PAGES if name.removeprefix("patterns/")[:-3] not in builtin()])
def test_committed_page_says_what_the_code_says(name: str) -> None:
    committed = (FOLDER / name).read_text(encoding="utf-8")
    assert committed == PAGES[name](), "run `make docs`"


@pytest.mark.parametrize("name", builtin())
def test_committed_page_of_a_pattern_says_what_the_code_says(name: str) -> None:
    """Its tables of machine code are taken as they are: they carry a digest of what they were made from."""
    known, text = committed_tables(name)
    assert known == digest(load(builtin()[name])), "run `make docs`"
    committed = (FOLDER / "patterns" / f"{name}.md").read_text(encoding="utf-8")
    assert committed == page(name, text), "run `make docs`"


@pytest.mark.archs
@pytest.mark.parametrize("name", builtin())
def test_tables_of_machine_code_are_what_the_compiler_makes(name: str, kernel_cache: Path) -> None:
    _, text = committed_tables(name)
    if compiler_of(text) != find().version:
        pytest.skip(f"they are of NVRTC {compiler_of(text)}, and this is {find().version}")
    assert tables(load(builtin()[name]), kernel_cache) == text


def test_a_changed_kernel_changes_the_digest(monkeypatch: pytest.MonkeyPatch) -> None:
    pattern = load(builtin()["neighbor"])
    before = digest(pattern)
    monkeypatch.setattr("tools.docs.machine_code.ARCHITECTURES", ("sm_90",))
    assert digest(pattern) != before
    assert f"<!-- machine code {digest(pattern)} -->\ntext\n" in with_digest(pattern, "text")


def test_no_page_is_left_over() -> None:
    assert {path.relative_to(FOLDER).as_posix() for path in FOLDER.rglob("*.md")} == set(PAGES)
