"""Where a part of a launch comes from: one order, and what reports call each."""

import pytest

from shflbench.cuda_sources.kernel_file import is_parameter
from shflbench.cuda_sources.origin import Origin


def test_what_the_user_gives_comes_before_the_host_code_and_that_before_what_is_chosen() -> None:
    order = [Origin.GIVEN, Origin.HOST, Origin.SCALED_DOWN, Origin.ASSUMED, Origin.FORCED, Origin.SPECIFIED]
    order += [Origin.SUGGESTED, Origin.WEAKLY_SUGGESTED, Origin.CHOSEN]
    assert sorted(order) == order


def test_reports_have_four_words_for_all_origins() -> None:
    texts: dict[str, set[Origin]] = {}
    for origin in Origin:
        texts.setdefault(origin.text, set()).add(origin)
    chosen = texts.pop("chosen")
    assert texts == {
        "given": {Origin.GIVEN},
        "from the host code": {Origin.HOST, Origin.SCALED_DOWN, Origin.ASSUMED, Origin.FORCED},
        "sample": {Origin.SAMPLE},
    }
    assert chosen == {origin for origin in Origin if origin.is_synthesized}


@pytest.mark.parametrize(
    ("name", "expected"), [("width", True), ("p.width", True), ("argv[1]", False), ("input", False)]
)
def test_a_number_is_a_parameter_unless_the_program_reads_it(name: str, *, expected: bool) -> None:
    assert is_parameter(name) is expected
