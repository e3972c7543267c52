"""Texts that break parsers: deep nesting, huge files, truncated and mutated sources."""

import os
import random
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from shflbench.cuda_sources import syntax_trees
from shflbench.cuda_sources.expansion import require_expandable
from shflbench.cuda_sources.host_code import blank, host_spans
from shflbench.cuda_sources.kernel_file import CompileOptions
from shflbench.cuda_sources.ptx import read_kernels
from shflbench.cuda_sources.read import read_cuda, read_ptx
from shflbench.cuda_sources.read_options import Compilers
from shflbench.errors import CompileError, InputError, KernelError, ShflbenchError
from tests import kernels
from tests.cuda_sources.conftest import Parse, Read
from tests.cuda_sources.test_ptx import NVCC
from tests.cuda_sources.test_read import FILE

KERNEL = "__global__ void k(int *p) { *p = 1; }\n"
DEEP = 10_000
COMPILED = 8  # of the mutated files; the others are parsed only
MUTATED = 64


@pytest.mark.parametrize(
    "text",
    [
        f"{KERNEL}int x = {'(' * DEEP}1{')' * DEEP};",
        f"{KERNEL}void f() {'{' * DEEP}{'}' * DEEP}",
        f"{KERNEL}void f() {{ int x = {'1 + ' * DEEP}1; k<<<x, 32>>>(0); }}",
        f"{KERNEL}void f(int a) {{ {'if (a) {} else ' * DEEP} {{}} }}",
        "".join(f"struct S{i} {{ {f'S{i - 1}' if i else 'int'} m; }};\n" for i in range(300)) + KERNEL,
        "".join(f"#define A{i} A{i + 1}\n" for i in range(300)) + KERNEL + "void f() { k<<<A0, 1>>>(0); }",
        f"#define N (N + 1)\n{KERNEL}void f() {{ k<<<N, 1>>>(0); }}",
        f"{KERNEL}void f() {{ int n = n; k<<<n, 1>>>(0); }}",
        f"{KERNEL}int f(int n) {{ return f(n); }}\nvoid g() {{ k<<<f(1), 1>>>(0); }}",
        f"{KERNEL}typedef A B;\ntypedef B A;\n__global__ void m(A *p);",
        KERNEL + "{" * DEEP,
        KERNEL + "#if 1\n" * DEEP,
        f"{KERNEL}__global__ void {'*' * DEEP}(int *p) {{ int {'*' * DEEP}q = {'&' * DEEP}p; }}",
    ],
    ids=["parentheses", "braces", "sum", "else", "structures", "macros", "own macro", "own value", "own function",
         "own type", "unclosed", "conditions", "pointers"],
)  # fmt: skip
def test_deep_or_endless_texts_are_read_without_recursion(parse: Parse, text: str) -> None:
    source = parse(text)
    assert [definition.name for definition in source.definitions] == ["k"]
    assert all(call.launch.grid is None for call in source.launches)
    assert source.types.value("A") is None
    file = source.unit.main
    assert len(blank(file.text, host_spans(file, source.macros), file.lexed.directives)) == len(file.text)


def test_a_template_that_launches_itself_has_no_certain_instances(parse: Parse) -> None:
    text = (
        "template <int N> __global__ void t(int *p) { }\ntemplate <int N> void f() { t<N><<<1, 1>>>(0); f<N - 1>(); }"
    )
    assert parse(text).expressions() == []


def test_a_text_that_the_grammar_cannot_read_is_parsed_on_a_stack_of_its_length() -> None:
    text = b"int f(bool a) { return a ? 1 " + b", %r1" * 8_000 + b": 2; }"
    before = threading.stack_size(1 << 19)  # tree-sitter would need 1.5 MiB of it
    try:
        with ThreadPoolExecutor(1) as executor:
            assert executor.submit(syntax_trees.parse, text).result().root_node.end_byte == len(text)
    finally:
        threading.stack_size(before)


def test_ptx_with_a_long_name_of_a_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "kernel.ptx"
    path.write_text(NVCC.replace("kernel.cu", "x" * 5_000))
    assert len(read_ptx(path).kernels) == NVCC.count(".entry")


def test_ptx_with_a_number_that_python_does_not_read_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "kernel.ptx"
    path.write_text(NVCC.replace(" 12 0", f" {'1' * 5_000} 0"))
    with pytest.raises(InputError, match="is damaged: line 14 has a number of more than 1000 digits"):
        read_ptx(path)


def test_a_file_above_the_limit_is_refused_at_once(tmp_path: Path) -> None:
    path = tmp_path / "kernel.cu"
    path.write_text(KERNEL + "a<" * 60_000)
    with pytest.raises(CompileError, match="has a line of more than 100000 bytes"):
        read_cuda(path, Compilers(kernels.tools()), CompileOptions())
    path.write_text(KERNEL + "// long\n" * 700_000)
    with pytest.raises(CompileError, match="is larger than 4 MiB"):
        read_cuda(path, Compilers(kernels.tools()), CompileOptions())
    with pytest.raises(InputError, match="is no PTX"):
        read_ptx(path)


def test_a_header_that_includes_itself_ends(read: Read) -> None:
    assert read(f'#include "again.h"\n{KERNEL}', again='#pragma once\n#include "again.h"\n').kernels


def mutated(text: str, seed: int) -> str:
    """Return a text that is cut off, or in which characters are removed, doubled or replaced."""
    chance = random.Random(seed)  # noqa: S311  (a test input, the same in each run)
    if seed % 3 == 0:
        return text[: chance.randrange(len(text))]
    characters = list(text)
    for _ in range(chance.randrange(1, 6)):
        at = chance.randrange(len(characters))
        characters[at] = chance.choice(
            ["", characters[at] * 2, "{", "}", "(", '"', "<<<", "\\\n", "/*", "#if 0\n", "é"]
        )
    return "".join(characters)


def test_mutated_files_are_parsed_without_a_fault(parse: Parse) -> None:
    names = set()
    for seed in range(MUTATED):
        source = parse(mutated(FILE, seed))
        names |= {definition.name for definition in source.definitions}
        assert len(source.expressions()) <= 2
        assert len(source.launches) <= 1
        file = source.unit.main
        result = blank(file.text, host_spans(file, source.macros), file.lexed.directives)
        assert result.count(b"\n") == file.text.count(b"\n")
    assert {"reduce", "tools::copy", "fill"} <= names


def outcome(read: Read, text: str) -> str:
    """Return what reading a text ends with: "kernels", or the sentence of the error."""
    try:
        return "kernels" if read(text).kernels else "nothing"
    except ShflbenchError as error:
        return error.message


@pytest.mark.archs
def test_mutated_files_give_kernels_or_one_sentence(read: Read) -> None:
    outcomes = {outcome(read, mutated(FILE, seed)) for seed in range(COMPILED)}
    sentences = outcomes - {"kernels"}
    assert sentences
    assert all("kernel.cu" in sentence and "\n" not in sentence for sentence in sentences)


def count(ptx: str) -> int:
    """Return the number of kernels in a text, -1 if their bounds are those of no kernel."""
    try:
        return len(read_kernels(ptx))
    except KernelError:
        return -1


def test_mutated_ptx_gives_kernels_or_none() -> None:
    counts = {count(mutated(NVCC, seed)) for seed in range(MUTATED)}
    assert counts <= {-1, 0, 1, 2, 3}
    assert {0, 3} <= counts


def doubled(body: str, levels: int) -> str:
    """Return macros of which each is the one before it, twice."""
    lines = [f"#define A0 {body}", *(f"#define A{i + 1} A{i} + A{i}" for i in range(levels))]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("use", ["k<<<A30, 1>>>(0)", "int x = A30", "k<<<1, A29 + A29>>>(0)"])
def test_macros_that_expand_without_end_are_refused_before_a_compiler_runs(tmp_path: Path, use: str) -> None:
    path = tmp_path / "kernel.cu"
    path.write_text(f"{doubled('1', 30)}{KERNEL}void f() {{ {use}; }}\n")
    with pytest.raises(CompileError, match=r"its macro A\d+ expands to more than 4 million words"):
        read_cuda(path, Compilers(nvcc=tmp_path / "missing"), CompileOptions())


def test_large_macros_that_end_are_accepted(parse: Parse) -> None:
    small, large = (
        parse(f"{doubled('1', n)}#define S (S + T)\n#define T (S + T)\n{KERNEL}int x = S + A{n};") for n in (12, 30)
    )
    require_expandable(small.unit.files, small.macros)
    with pytest.raises(CompileError, match="expands to more than"):
        require_expandable(large.unit.files, large.macros)


def test_unused_macros_do_not_count(parse: Parse) -> None:
    unused, used = (parse(doubled("1", 30) + KERNEL + use) for use in ("", "int x = A30;"))
    require_expandable(unused.unit.files, unused.macros)
    with pytest.raises(CompileError, match="expands to more than"):
        require_expandable(used.unit.files, used.macros)


def test_pipes_and_devices_are_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.h")
    os.mkfifo(tmp_path / "pipe.cu")
    for name in ("pipe.h", "/dev/zero"):
        path = tmp_path / "kernel.cu"
        path.write_text(f'#include "{name}"\n{KERNEL}')
        with pytest.raises(CompileError, match=rf"kernel\.cu:1: {name} is no regular file"):
            read_cuda(path, Compilers(kernels.tools()), CompileOptions())
    with pytest.raises(InputError, match=r"pipe\.cu is no regular file"):
        read_cuda(tmp_path / "pipe.cu", Compilers(kernels.tools()), CompileOptions())
    with pytest.raises(InputError, match=r"pipe\.cu is no regular file"):
        read_ptx(tmp_path / "pipe.cu")


def test_a_pipe_in_the_line_table_is_no_file_of_the_user(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.cu")
    path = tmp_path / "kernel.ptx"
    path.write_text('.version 9.0\n.target sm_90\n.file 1 "pipe.cu"\n.visible .entry k()\n{\n.loc 1 1 0\nret;\n}\n')
    assert not read_ptx(path).files


@pytest.mark.parametrize(
    ("version", "target", "texts"),
    [
        ("9.0", "sm_90a", []),
        ("9.5", "sm_120f, debug", []),
        ("99.9", "sm_90", ["the PTX has version 99.9, and the newest that is known here is 9.5"]),
        ("9.0", "sm_999x", ["the PTX is for sm_999x, which is unknown here"]),
    ],
)
def test_unknown_versions_and_targets_of_ptx_are_named(
    tmp_path: Path, version: str, target: str, texts: list[str]
) -> None:
    path = tmp_path / "kernel.ptx"
    path.write_text(f".version {version}\n.target {target}\n.visible .entry k()\n{{\nret;\n}}\n")
    notes = [note.text.partition(": ")[0] for note in read_ptx(path).notes]
    assert notes == texts


@pytest.mark.parametrize("text", ["int WORD;", "const WORD;", "const int WORD[", "WORD WORD(", 'R"( WORD'])
def test_a_neighbor_with_a_long_word_takes_no_time(text: str, tmp_path: Path) -> None:
    """The time was quadratic in the length of a word: 41 s for 60,000 letters."""
    (tmp_path / "other.cu").write_text(text.replace("WORD", "a" * 90_000))
    path = tmp_path / "k.cu"
    path.write_text(KERNEL + "int main() { int *p; cudaMalloc(&p, 4); k<<<1, 1>>>(p); }\n")
    start = time.process_time()
    file = read_cuda(path, Compilers(kernels.tools()), CompileOptions())
    assert [item.name for item in file.kernels] == ["k"]
    assert time.process_time() - start < 30
