"""Names in a diff are those that git writes."""

from pathlib import Path

import pytest

from shflbench.checker.exchanges.diff_paths import name_in_diff


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("a.cu", "a/in/a.cu"),
        ("a b.cu", "a/in/a b.cu\t"),
        ("\xe9.cu", "a/in/\xe9.cu"),
        ('a "b".cu', '"a/in/a \\"b\\".cu"'),
        ("a\n\x01.cu", '"a/in/a\\n\\001.cu"'),
        ("\udce9.cu", '"a/in/\\351.cu"'),  # no text: a byte of Latin-1
    ],
)
def test_a_name_begins_at_the_root_of_the_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, shown: str
) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "in").mkdir()
    monkeypatch.chdir(tmp_path / "in")
    assert name_in_diff(Path(name), "a") == shown


def test_outside_of_a_repository_it_begins_at_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "in").mkdir()
    monkeypatch.chdir(tmp_path / "in")
    assert name_in_diff(Path("a.cu"), "b") == "b/a.cu"
    assert name_in_diff(Path("../a.cu"), "b") == "b/a.cu"
