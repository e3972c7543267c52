from dataclasses import dataclass, field

import pytest

from tests.thorough import leave_cases


@dataclass
class Case:
    """Stands in for a test that pytest collected."""

    nodeid: str
    marks: dict[str, pytest.Mark] = field(default_factory=dict)

    def get_closest_marker(self, name: str) -> pytest.Mark | None:
        return self.marks.get(name)

    def add_marker(self, name: str) -> None:
        self.marks[name] = getattr(pytest.mark, name).mark


def cases(function: str, number: int, *names: str, one_in: tuple[int, ...] = (3,)) -> list[Case]:
    marks = {"one_in": pytest.mark.one_in(*one_in).mark}
    marks |= {name: getattr(pytest.mark, name).mark for name in names}
    return [Case(f"{function}[{index}]", dict(marks)) for index in range(number)]


def left(items: list[Case], mark: str) -> list[int]:
    leave_cases(items)  # type: ignore[arg-type]  # it needs no more of an item
    return [number for number, item in enumerate(items) if mark in item.marks]


def test_one_of_three_cases_of_each_function_stays() -> None:
    assert left(cases("test_a", 5) + cases("test_b", 2), "archs") == [1, 2, 4, 6]


def test_a_slower_command_leaves_its_cases_to_the_slowest() -> None:
    items = cases("test_a", 4, "archs")
    assert left(items, "complete") == [1, 2]
    assert all("archs" in item.marks for item in items)


def test_of_the_cases_that_are_left_one_of_two_stays_in_the_slower_command() -> None:
    items = cases("test_a", 7, one_in=(3, 2))
    assert left(items, "archs") == [1, 2, 4, 5]
    assert [number for number, item in enumerate(items) if "complete" in item.marks] == [2, 5]


def test_cases_that_the_slower_command_has_anyway_are_counted_apart() -> None:
    assert left(cases("test_a", 1, "archs") + cases("test_a", 2), "archs") == [0, 2]


def test_what_the_slowest_command_runs_stays_there() -> None:
    items = cases("test_a", 2, "archs", "complete")
    leave_cases(items)  # type: ignore[arg-type]  # it needs no more of an item
    assert all(item.marks.keys() == {"one_in", "archs", "complete"} for item in items)


def test_functions_without_the_mark_keep_all_cases() -> None:
    items = [Case("test_a[0]"), Case("test_a[1]")]
    assert left(items, "archs") == []
