"""`shflbench new`, as somebody uses it who has no pattern yet."""

from pathlib import Path

import pytest

from shflbench.patterns.discover import builtin
from shflbench.store import read_run
from tests.conftest import Command
from tests.fakes.backend import unplug

FILES = ["my_swap/kernels.cu", "my_swap/pattern.py", "my-swap.yaml"]


def test_it_prints_the_files_and_says_what_to_do_next(shflbench: Command) -> None:
    outcome = shflbench("new", "my-swap")
    assert outcome.code == 0
    assert outcome.out.splitlines() == FILES
    assert outcome.err.splitlines() == ["Next: shflbench run my-swap.yaml", "      shflbench check ./my_swap"]


def test_nothing_of_the_template_s_name_is_left(shflbench: Command) -> None:
    shflbench("new", "my-swap")
    texts = [Path(file).read_text(encoding="utf-8") for file in FILES]
    assert not any(name in text for text in texts for name in ("my_exchange", "my-exchange", "My exchange"))
    assert "my_swap_smem(" in texts[0]
    assert "pattern: ./my_swap" in texts[2]


@pytest.mark.usefixtures("one_core")
def test_new_suite_runs_unchanged(shflbench: Command, kernel_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    unplug(monkeypatch)
    monkeypatch.setenv("SHFLBENCH_CACHE", str(kernel_cache))
    shflbench("new", "my_swap", "--output", "deep/folder")
    outcome = shflbench("run", "deep/folder/my-swap.yaml", "--dtype", "f32", "--launch", "2x64", "--output", "run")
    assert outcome.code == 0
    rows = read_run(Path("run")).rows
    assert {(row.variant, row.status.value, row.reference) for row in rows} == {
        ("smem", "verified", "smem"),
        ("shfl", "verified", "smem"),
    }
    assert shflbench("check", "deep/folder/my_swap").code == 0


@pytest.mark.parametrize("there", ["my_swap", "my-swap.yaml"])
def test_it_overwrites_nothing(shflbench: Command, there: str) -> None:
    Path(there).write_text("mine", encoding="utf-8")
    outcome = shflbench("new", "my-swap")
    assert outcome.code == 2
    assert outcome.err.startswith(f"error: {there} exists; nothing was written\n")
    assert [path.name for path in Path().iterdir()] == [there]


@pytest.mark.parametrize("name", ["My Exchange", "2fast", "a--b", "../up", "ä", "a" * 65])
def test_a_name_that_cannot_be_used_is_refused_in_one_sentence(shflbench: Command, name: str) -> None:
    outcome = shflbench("new", name)
    assert outcome.code == 2
    assert outcome.err.splitlines()[0] == (
        f"error: `{name}` cannot be the pattern's name; allowed: lower-case words joined by `-`, a letter first"
    )
    assert list(Path().iterdir()) == []


@pytest.mark.parametrize("name", list(builtin())[:2])
def test_a_name_of_a_built_in_pattern_is_refused(shflbench: Command, name: str) -> None:
    outcome = shflbench("new", name)
    assert outcome.code == 2
    assert f"`{name}` is a pattern that comes with shflbench" in outcome.err
