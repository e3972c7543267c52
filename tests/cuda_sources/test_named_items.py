"""Headers are parsed for the names that are asked for."""

from pathlib import Path

from shflbench.cuda_sources.host.program import HostProgram
from shflbench.cuda_sources.host_code import UserFile
from shflbench.cuda_sources.language_standard import needs_newer
from shflbench.cuda_sources.layouts import Types
from shflbench.cuda_sources.macros import Macros


def files_of(*texts: str) -> list[UserFile]:
    return [UserFile.of(Path(f"{index}.cuh"), f"{index}.cuh", text.encode()) for index, text in enumerate(texts)]


def test_only_the_file_with_a_function_is_parsed() -> None:
    files = files_of("int size() { return 3; }", "int n = size();")
    program = HostProgram(files, Macros([file.lexed for file in files]), {})
    assert [item.name for item in program.functions.get("size")] == ["size"]
    assert [file.is_parsed for file in files] == [True, False]


def test_a_function_that_launches_through_another_file_is_found_and_others_are_not_parsed() -> None:
    files = files_of(
        "void start() { run(1); }", "void run(int n) { kernel<<<1, n>>>(); }", "int other() { return truncate(1); }"
    )
    program = HostProgram(files, Macros([file.lexed for file in files]), {})
    assert [item.name for item in program.may_launch] == ["start", "run"]
    assert program.is_called("run")
    assert not program.is_called("start")
    assert [file.is_parsed for file in files] == [True, True, False]


def test_a_layout_parses_the_files_of_its_types() -> None:
    files = files_of("struct Box { Item item; int n; };", "typedef float Item;", "struct Other { Box box; };")
    layout = Types(files, lambda _: None).layout("Box")
    assert layout is not None
    assert layout.size == 8
    assert [file.is_parsed for file in files] == [True, True, False]


def test_a_structure_with_a_stream_has_a_layout() -> None:
    layout = Types(files_of("struct Box { int n; cudaStream_t stream; float *out; };"), lambda _: None).layout("Box")
    assert layout is not None
    assert [(field.name, field.offset, field.pointer) for field in layout.fields] == [
        ("n", 0, False),
        ("stream", 8, False),
        ("out", 16, True),
    ]


def test_device_code_uses_a_word_also_through_a_macro() -> None:
    files = files_of("#define N 3\n#define TWICE (2 * N)\n#define M 4", "__device__ int f() { return TWICE; }")
    program = HostProgram(files, Macros([file.lexed for file in files]), {})
    assert program.is_used_by_device("N")
    assert not program.is_used_by_device("M")


def test_a_text_needs_the_newer_standard_for_a_lambda_with_template_parameters_and_not_for_an_index() -> None:
    assert needs_newer(b"auto f = [&] <typename T> (T x) { };")
    assert needs_newer(b"template <class T> requires (sizeof(T) > 1) struct A;")
    assert needs_newer(b"A a = {.x = 3};")
    assert not needs_newer(b"bool b = a[1]] <int;")
    assert not needs_newer(b"int myconcept A = 3;")
