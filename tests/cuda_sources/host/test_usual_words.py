"""The command line with which a Makefile runs a program."""

from pathlib import Path

import pytest

from shflbench.cuda_sources.build_files import program_words
from tests.cuda_sources.conftest import Parse

SOURCE = """
__global__ void f(float *data, int rows, int columns) {}
int main(int argc, char **argv) {
    int rows = atoi(argv[1]), columns = atoi(argv[2]);
    float *data; cudaMalloc(&data, rows * columns * sizeof(float));
    f<<<rows, columns / 8>>>(data, rows, columns);
}
"""
RUN = "run: $(program)\n\t{}\n"


@pytest.mark.parametrize(
    ("makefile", "words"),
    [
        ("program = main\n" + RUN.format("./$(program) 12 256 0.5 data/a.txt"), ("12", "256", "0.5", "data/a.txt")),
        ("program = main\nLAUNCHER =\n" + RUN.format("$(LAUNCHER) ./$(program) 7 | tee log"), ("7",)),
        (RUN.format("@time ./main 3 > out.txt"), ("3",)),
        (RUN.format("./other 1") + RUN.format("./main 2"), ("2",)),
        (RUN.format("./other 1"), ("1",)),
        (RUN.format("./other 1") + RUN.format("./third 2"), None),
        (RUN.format("./main"), None),
        (RUN.format("./main $(shell date)"), None),
        ("main: main.cu\n\tnvcc -o main main.cu\n", None),
        ("# run:\n#\t./main 1\n", None),
    ],
)
def test_words_of_a_makefile(tmp_path: Path, makefile: str, words: tuple[str, ...] | None) -> None:
    file = tmp_path / "Makefile"
    file.write_text(makefile, encoding="utf-8")
    assert program_words(tmp_path / "main.cu") == (None if words is None else (file, words))


@pytest.mark.parametrize(
    ("words", "launches"),
    [
        (("12", "256"), {((12, 1, 1), (32, 1, 1), ())}),
        (
            ("12", "2048"),
            {((12, 1, 1), (256, 1, 1), ()), ((12, 1, 1), (125, 1, 1), (("argv[2]", 1000),))},
        ),
        (
            ("50000", "256"),
            {((4096, 1, 1), (32, 1, 1), (("argv[1]", 4096),)), ((1000, 1, 1), (32, 1, 1), (("argv[1]", 1000),))},
        ),
    ],
)
def test_numbers_above_a_limit_become_smaller(parse: Parse, words: tuple[str, ...], launches: set[object]) -> None:
    source = parse(SOURCE, usual=words)
    performed = {(site.launch.grid, site.launch.block, site.launch.assumed) for site in source.launches}
    assert performed == launches


def test_words_that_the_program_rejects_are_not_used(parse: Parse) -> None:
    source = parse(SOURCE.replace("    int rows", "    if (argc != 4) return 1; int rows"), usual=("12", "256"))
    assert source.launches[0].launch.assumed


def test_given_words_count(parse: Parse) -> None:
    (site,) = parse(SOURCE, words=("3", "64"), usual=("12", "256")).launches
    assert (site.launch.grid, site.launch.assumed) == ((3, 1, 1), ())


def test_a_grid_of_zero_that_the_command_line_may_decide_on_is_no_launch(parse: Parse) -> None:
    text = """
__global__ void f() {}
int main(int argc, char **argv) { std::vector<int> rows; read_rows(argv[1], rows); f<<<rows.size(), 32>>>(); }
"""
    assert [site.launch.grid for site in parse(text).launches] == [None]


def test_a_loop_that_is_too_long_for_a_large_number_runs_for_a_smaller_one(parse: Parse) -> None:
    fill = "int *data, *host = new int[n]; for (int i = 0; i < n; i++) host[i] = i % 7;"
    copy = "cudaMalloc(&data, n * 4); cudaMemcpy(data, host, n * 4, cudaMemcpyHostToDevice);"
    main = f"int main(int argc, char **argv) {{ int n = atoi(argv[1]); {fill} {copy} f<<<n / 32, 32>>>(data); }}"
    source = parse(f"__global__ void f(int *data) {{}}\n{main}", usual=("100000000",))
    first = source.launches[0].launch
    assert (first.assumed, first.arguments[0].buffer and first.arguments[0].buffer.contents is not None) == (
        (("argv[1]", 4096),),
        True,
    )


def test_numbers_of_a_file_are_also_tried_as_no_multiple_of_a_block(parse: Parse) -> None:
    body = "int n; file >> n; float *data; f<<<(n + 63) / 64, 64>>>(data, n, atoi(argv[1]));"
    source = parse(SOURCE.partition("int main")[0] + f"int main(int argc, char **argv) {{ {body} }}", usual=("8",))
    assert [site.launch.assumed for site in source.launches] == [(("input", 1024),), (("input", 1000),)]


def test_a_long_program_whose_grid_is_constant_keeps_its_launch(parse: Parse) -> None:
    loop = "for (int i = 0; i < 40; i++) { f<<<60480, 32>>>(data, n, n); for (int j = 0; j < 2400; j++) check(j); }"
    body = f"int n = atoi(argv[1]); float *data; {loop}"
    source = parse(SOURCE.partition("int main")[0] + f"int main(int argc, char **argv) {{ {body} }}", usual=("8",))
    assert [(site.launch.grid, site.launch.arguments[1].value) for site in source.launches] == [((60480, 1, 1), 8)]
