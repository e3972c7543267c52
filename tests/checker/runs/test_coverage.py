from shflbench.checker.reporter import lines_text, ranges, unreached_text


def test_lines_that_no_other_code_interrupts_form_a_range() -> None:
    assert ranges([1, 4, 5, 9, 10, 12], {4, 5, 9, 12}) == ((4, 9), (12, 12))
    assert ranges([1, 2], set()) == ()


def test_ranges_read_as_a_list() -> None:
    assert lines_text([(4, 4)]) == "line 4"
    assert lines_text([(4, 9)]) == "lines 4–9"
    assert lines_text([(4, 9), (12, 12)]) == "lines 4–9 and 12"


def test_lines_that_ran_in_part_are_not_called_lines_that_never_ran() -> None:
    assert unreached_text(((4, 9),), ()) == "lines 4–9"
    assert unreached_text((), ((12, 12),)) == "a part of line 12"
    assert unreached_text(((4, 4),), ((12, 12), (14, 14))) == "line 4 and parts of lines 12 and 14"
