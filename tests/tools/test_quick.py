"""`make test-quick`: which tests a change can affect, and what happens when the time is over."""

import subprocess
import sys
from pathlib import Path

import pytest

from tools.quick.__main__ import base_of
from tools.quick.affected import affected

ROOT = Path(__file__).parents[2]
TESTS = tuple(str(path.relative_to(ROOT)) for path in sorted((ROOT / "tests").rglob("test_*.py")))


def test_the_test_that_imports_a_module_comes_before_those_that_only_depend_on_it() -> None:
    chosen = affected(["shflbench/core/words.py"], TESTS).tests
    assert "tests/core/test_words.py" in chosen[:20]
    assert len(chosen) > 100
    assert not any(test.startswith("tests/faults/") for test in chosen[:20])


def test_a_module_of_a_command_affects_the_tests_of_the_command_that_imports_it_by_name() -> None:
    assert "tests/cli/limits/test_limits.py" in affected(["shflbench/cli/limits/output.py"], TESTS).tests


def test_a_changed_test_is_the_first_one() -> None:
    assert affected(["tests/core/test_words.py"], TESTS).tests == ("tests/core/test_words.py",)


def test_a_conftest_affects_the_tests_of_its_folder_only() -> None:
    chosen = affected(["tests/analysis/claims/conftest.py"], TESTS).tests
    assert "tests/analysis/claims/test_claim_verdicts.py" in chosen
    assert all(test.startswith("tests/") for test in chosen)
    assert "tests/core/test_words.py" not in chosen


def test_a_kernel_affects_the_tests_of_patterns() -> None:
    chosen = affected(["shflbench/patterns/vote/kernels.cu"], TESTS).tests
    assert any(test.startswith("tests/patterns/") for test in chosen)


def test_pages_affect_the_tests_that_read_them() -> None:
    chosen = affected(["docs/index.md"], TESTS)
    assert chosen.tests
    assert all(test.startswith("tests/docs/") for test in chosen.tests)
    assert chosen.uncovered == ()


def test_a_file_that_no_rule_covers_is_named() -> None:
    assert affected(["LICENSE"], TESTS).uncovered == ("LICENSE",)


@pytest.mark.parametrize(("seconds", "says"), [("60", "2 passed"), ("-1", "2 of 2 tests did not start in time")])
def test_no_test_starts_when_the_time_is_over(tmp_path: Path, seconds: str, says: str) -> None:
    test = tmp_path / "test_two.py"
    test.write_text("def test_one(): pass\ndef test_other(): pass\n", encoding="utf-8")
    options = ["-q", "-n", "1", "-p", "tools.quick.time_limit", "--seconds", seconds]
    command = [sys.executable, "-m", "pytest", *options, "--rootdir", str(tmp_path), str(test)]
    outcome = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert says in outcome.stdout


@pytest.mark.parametrize(("names", "commits_back"), [(["main"], 1), (["main", "origin/main"], 2), ([], 0)])
def test_the_base_is_where_the_branch_left_the_main_branch_of_the_remote_or_the_local_one(
    names: list[str], commits_back: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def git(*words: str) -> str:
        author = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
        command = ["git", *author, *words]
        return subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True).stdout.strip()

    git("init", "-q", "-b", "work")
    for number in range(3):
        git("commit", "-q", "--allow-empty", "-m", str(number))
    for name, place in zip(names, ("HEAD~1", "HEAD~2"), strict=False):
        git("update-ref", f"refs/remotes/{name}" if "/" in name else f"refs/heads/{name}", place)
    monkeypatch.setattr("tools.quick.__main__.ROOT", tmp_path)
    base = base_of([])
    assert git("rev-parse", base) == git("rev-parse", f"HEAD~{commits_back}")
