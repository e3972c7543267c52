"""Command lines whose numbers differ, where one number in all places hides launches or is refused."""

import pytest

from tests.cuda_sources.conftest import Parse

PROGRAM = """
__global__ void f(float *data, int rows, int columns) {{}}
int main(int argc, char **argv) {{
    int rows = atoi(argv[1]), columns = atoi(argv[2]);
    {checks}
    float *data; cudaMalloc(&data, rows * columns * sizeof(float));
    f<<<(rows + 7) / 8, 128>>>(data, rows, columns);
}}
"""


def numbers_of(parse: Parse, checks: str, words: tuple[str, ...] | None = None) -> list[tuple[int, int]]:
    """Return the rows and columns of the launches."""
    launches = [site.launch for site in parse(PROGRAM.format(checks=checks), words=words).launches]
    return [(launch.arguments[1].value, launch.arguments[2].value) for launch in launches]  # type: ignore[misc]


def test_rows_and_columns_differ_in_some_launches(parse: Parse) -> None:
    numbers = numbers_of(parse, "")
    assert numbers[0][0] == numbers[0][1]
    assert any(rows > columns for rows, columns in numbers)
    assert any(rows < columns for rows, columns in numbers)
    assert any(rows % 8 and rows != columns for rows, columns in numbers)


@pytest.mark.parametrize(
    ("checks", "expected"),
    [
        ("if (columns > 8) exit(1);", (256, 2)),
        ("if (rows % 64 || rows < 64) exit(1); if (columns > 5) exit(1);", (1024, 4)),
        ("if (rows > 20) exit(1); if (columns < 200 || columns > 300) exit(1);", (16, 256)),
        ("if (columns > rows / 2) return 1;", (1024, 256)),
    ],
)
def test_each_word_gets_a_number_that_the_program_accepts(parse: Parse, checks: str, expected: tuple[int, int]) -> None:
    assert expected in numbers_of(parse, checks)


def test_a_program_that_asks_for_equal_numbers_gets_no_others(parse: Parse) -> None:
    assert all(rows == columns for rows, columns in numbers_of(parse, "if (rows != columns) exit(1);"))


@pytest.mark.parametrize(("words", "is_refused"), [(("4", "8"), False), (("4", "9"), True), (("4",), True)])
def test_words_that_the_program_refuses_are_known(parse: Parse, words: tuple[str, ...], *, is_refused: bool) -> None:
    source = parse(PROGRAM.format(checks="if (argc != 3 || columns > 8) exit(1);"), words=words)
    assert source.refuses_words is is_refused


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("rows <= 16 && columns > 64", (16, 1024)),
        ("rows <= 16 && columns > 64 && columns % 16", (16, 1000)),
        ("columns <= 16 && rows > 64", (1024, 16)),
    ],
)
def test_a_function_that_nothing_calls_gets_one_number_that_differs_for_launches_that_equal_ones_do_not_reach(
    parse: Parse, condition: str, expected: tuple[int, int]
) -> None:
    text = "__global__ void f(float *data, int rows, int columns) {}\nvoid run(float *data, int rows, int columns) {"
    source = parse(f"{text} if ({condition}) f<<<rows, 128>>>(data, rows, columns); }}")
    first = source.launches[0].launch
    assert first.assumed == (("rows", expected[0]), ("columns", expected[1]))
    assert not first.is_forced
