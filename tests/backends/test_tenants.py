from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from shflbench.backends.tenants import MACHINE_NAMESPACE, count_others, sees_everyone

if TYPE_CHECKING:
    from pathlib import Path

OURS = (17, 18)  # the command and its worker; only the worker computes


@pytest.mark.parametrize(("listed", "others"), [((), 0), ((18,), 0), ((18, 99), 1), ((98, 99), 2), ((18, 99, 99), 1)])
def test_outside_of_containers_everybody_but_us_is_counted(listed: tuple[int, ...], others: int) -> None:
    assert count_others(listed, OURS, everyone=True) == others


def test_in_a_container_those_that_are_shown_are_counted() -> None:
    assert count_others((18, 99), OURS, everyone=False) == 1


@pytest.mark.parametrize("listed", [(), (18,)])
def test_in_a_container_a_list_without_others_proves_nothing(listed: tuple[int, ...]) -> None:
    assert count_others(listed, OURS, everyone=False) is None


def test_among_the_numbers_of_the_machine_ours_cannot_be_told_in_a_container() -> None:
    assert count_others((40_018,), OURS, everyone=False) is None


def test_whoever_computes_nothing_itself_counts_everybody_in_a_container() -> None:
    assert count_others((40_018, 40_019), (), everyone=False) == 2


@pytest.mark.parametrize(
    ("targets", "expected"),
    [([MACHINE_NAMESPACE], True), (["pid:[4026532201]"], False), ([], False)],
    ids=["machine", "container", "no proc"],
)
def test_namespace_tells_whether_this_is_a_container(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, targets: list[str], *, expected: bool
) -> None:
    namespace = tmp_path / "pid"
    for target in targets:
        namespace.symlink_to(target)
    monkeypatch.setattr("shflbench.backends.tenants.OWN_NAMESPACE", namespace)
    assert sees_everyone() is expected
