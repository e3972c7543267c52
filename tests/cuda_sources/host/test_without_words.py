"""The program as it is started without words comes first; other command lines come after it."""

import pytest

from shflbench.cuda_sources.kernel_file import ODD
from tests.cuda_sources.conftest import Parse

PROGRAM = """
__global__ void f(float *y, int n) {}
int main(int argc, char **argv) {
    int n = 1 << 24;
    SIZES
    float *y; cudaMalloc(&y, n * sizeof(float));
    f<<<(n + 255) / 256, 256>>>(y, n);
}
"""


def sizes_of(parse: Parse, text: str, usual: tuple[str, ...] = ()) -> list[tuple[object, bool]]:
    """Return the number that each launch gets, and whether it follows from a chosen one."""
    launches = [site.launch for site in parse(PROGRAM.replace("SIZES", text), usual=usual).launches]
    return [(launch.arguments[1].value, bool(launch.assumed)) for launch in launches]


@pytest.mark.parametrize(
    "text",
    [
        "n = argc > 1 ? atoi(argv[1]) : 1 << 24;",
        "if (argc > 1) n = atoi(argv[1]);",
        "if (argc == 2) n = std::stoi(argv[1]);",
        "if (argc >= 2) { n = strtol(argv[1], nullptr, 10); } else { n = 1 << 24; }",
    ],
)
def test_an_optional_size_begins_with_that_of_the_program(parse: Parse, text: str) -> None:
    first, *others = sizes_of(parse, text)
    assert first == (1 << 24, False)
    assert (ODD, True) in others


@pytest.mark.parametrize(
    "text",
    [
        'for (int i = 1; i < argc; i++) if (!strcmp(argv[i], "-n")) n = atoi(argv[++i]);',
        "int c; while ((c = getopt(argc, argv, \"n:\")) != -1) { if (c == 'n') n = atoi(optarg); }",
        'if (argc > 1 && !strcmp(argv[1], "--small")) n = 100;',
    ],
)
def test_a_size_that_an_option_replaces_is_that_of_the_program(parse: Parse, text: str) -> None:
    assert sizes_of(parse, text)[0] == (1 << 24, False)


@pytest.mark.parametrize("text", ["if (argc < 2) return 1; n = atoi(argv[1]);", "n = atoi(argv[1]);"])
def test_a_program_that_needs_words_gets_chosen_ones(parse: Parse, text: str) -> None:
    assert all(is_synthesized for _, is_synthesized in sizes_of(parse, text))


def test_the_usual_command_line_comes_after_none(parse: Parse) -> None:
    assert [size for size, _ in sizes_of(parse, "if (argc > 1) n = atoi(argv[1]);", ("2048",))][:2] == [1 << 24, 2048]


def test_a_null_pointer_ends_a_given_command_line(parse: Parse) -> None:
    text = PROGRAM.replace("SIZES", "if (argv[1]) n = atoi(argv[1]);")
    assert [site.launch.arguments[1].value for site in parse(text, words=()).launches] == [1 << 24]
    assert [site.launch.arguments[1].value for site in parse(text, words=("64",)).launches] == [64]
