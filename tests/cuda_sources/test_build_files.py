"""Folders of headers, macros and the standard of C++ from the files of a build and of the repository."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from shflbench.cuda_sources import repository
from shflbench.cuda_sources.build_files import build_command, build_folders
from shflbench.cuda_sources.build_options import with_wrapping_macros
from shflbench.cuda_sources.host_code import UserFile
from shflbench.cuda_sources.includes import read_unit
from shflbench.cuda_sources.kernel_file import CompileOptions, KernelFile
from shflbench.cuda_sources.makefiles import header_folders
from shflbench.cuda_sources.read import read_cuda
from shflbench.cuda_sources.read_options import Compilers
from shflbench.errors import CompileError
from tests import kernels

KERNEL = '#include "width.h"\n__global__ void k(int *out) { out[threadIdx.x] = WIDTH; }\n'


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository with a file in src/apps/one, and its header in src/common."""
    for folder in (".git", "src/apps/one", "src/common"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "src/common/width.h").write_text("#define WIDTH 4\n")
    (tmp_path / "src/apps/one/main.cu").write_text(KERNEL)
    return tmp_path


def read(project: Path, **options: Any) -> KernelFile:
    return read_cuda(project / "src/apps/one/main.cu", Compilers(kernels.tools()), CompileOptions(**options))


def write(path: Path, text: str) -> Path:
    path.write_text(text)
    return path


def notes(file: KernelFile) -> list[str]:
    return [note.text for note in file.notes if note.kind == "build"]


def test_a_missing_header_comes_from_the_folder_that_the_makefile_names(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "src/other").mkdir()
    write(project / "src/other/width.h", "#define WIDTH 5\n")  # as near as the other header of that name
    with pytest.raises(CompileError, match=r"there is no header width\.h"):
        read(project)
    write(
        project / "src/apps/one/Makefile",
        "INCLUDE = -I../../common -I../../other\nmain: main.cu\n\tnvcc $(INCLUDE) $<\n",
    )
    monkeypatch.chdir(project)
    file = read(project)
    assert [kernel.name for kernel in file.kernels] == ["k"]
    assert notes(file) == ["headers come from src/common, as src/apps/one/Makefile says"]


def test_a_header_that_only_another_header_includes_comes_from_the_makefile_too(project: Path) -> None:
    write(project / "src/common/width.h", '#include "more.h"\n#define WIDTH MORE\n')
    (project / "src/more").mkdir()
    write(project / "src/more/more.h", "#define MORE 2\n")
    write(project / "src/apps/Makefile", "all:\n\tnvcc -I ../common -I../more one/main.cu\n")
    assert len(read(project).kernels) == 1


def test_a_given_folder_needs_no_makefile(project: Path) -> None:
    (project / "src/mine").mkdir()
    write(project / "src/mine/width.h", "#define WIDTH 5\n")
    write(project / "src/apps/one/Makefile", "all:\n\tnvcc -I../../common main.cu\n")
    file = read(project, include=(project / "src/mine",))
    assert notes(file) == []


def test_the_search_ends_at_the_repository_and_in_folders_of_all_users(project: Path) -> None:
    path = project / "src/apps/one/main.cu"
    assert list(build_folders(path)) == [project / "src/apps/one", project / "src/apps", project / "src", project]
    (project / "src/apps/.git").mkdir()
    assert list(build_folders(path)) == [project / "src/apps/one", project / "src/apps"]
    (project / "src/apps/one").chmod(0o777)
    assert list(build_folders(path)) == []


@pytest.mark.parametrize(
    "text",
    [
        "all:\n\tnvcc -I ../common x.cu",
        "COMMON := ../common\nFLAGS = -O3\nFLAGS += -I${COMMON}\nall:\n\tnvcc $(FLAGS) x.cu",
        "FLAGS = $(INC) # comment\nINC = -I../common",
        "FLAGS = -O3 \\\n  -I../common",
        "ROOT ?= ..\nexport FLAGS = -isystem $(ROOT)/common",
        'all:\n\tnvcc -I"../common" x.cu',
        "include ../common/make.mk",
        "FLAGS = -I$(CURDIR)/../common -I$(shell pwd)/../common",
    ],
)
def test_variables_and_included_makefiles_are_resolved(tmp_path: Path, text: str) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "common").mkdir()
    write(tmp_path / "common/make.mk", "all:\n\tnvcc -I../common x.cu")
    makefile = write(tmp_path / "one/Makefile", f"{text}\n")
    assert [folder.resolve() for folder in header_folders(makefile)] == [tmp_path / "common"]


@pytest.mark.parametrize(
    "text",
    [
        "A = $(B)$(B)\nB = $(A)$(A)\nall:\n\tnvcc -I$(A) x.cu",
        "A := $(A)$(A)-I../common$(A)\n" * 200,
        "include Makefile",
        "X = -I$(shell touch executed)",
        "X = -I" + "a" * 10_000,
        "X = -I\0",
    ],
)
def test_a_makefile_without_end_or_with_commands_is_only_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    monkeypatch.chdir(tmp_path)
    assert header_folders(write(tmp_path / "Makefile", text)) == []
    assert not (tmp_path / "executed").exists()


def test_the_command_of_a_file_gives_folders_macros_and_the_standard(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(project / "src/apps/one/main.cu", KERNEL.replace("WIDTH", "WIDTH + N + M"))
    (project / "build").mkdir()
    entries = [
        {"directory": str(project), "file": "src/other.cu", "command": "nvcc -DN=9 src/other.cu"},
        {
            "directory": str(project / "build"),
            "file": "../src/apps/one/main.cu",
            "command": "nvcc -DN=3 -D M=1 -I../src/common -isystem /no/folder --std=c++20 -c ../src/apps/one/main.cu",
        },
    ]
    write(project / "build/compile_commands.json", json.dumps(entries))
    monkeypatch.chdir(project)
    file = read(project, define=("N=5",))
    assert notes(file) == ["compiled with -I src/common, -D M=1 and -std=c++20 from build/compile_commands.json"]


def test_a_list_of_arguments_is_read_as_well(project: Path) -> None:
    words = ["nvcc", "-Isrc/common", "-std", "gnu++17", '-DTEXT="a b"', "-D", "1bad", "main.cu"]
    entry = {"directory": ".", "file": "src/apps/one/main.cu", "arguments": words}
    origin = write(project / "compile_commands.json", json.dumps([entry]))
    command = build_command(project / "src/apps/one/main.cu")
    assert command is not None
    assert command.origin == origin
    assert [folder.resolve() for folder in command.include] == [project / "src/common"]
    assert command.define == ('TEXT="a b"',)
    assert not command.is_newer


@pytest.mark.parametrize("text", ["", "{", "{}", "[1, null, {}]", '[{"directory": 1, "file": []}]', "[" * 100_000])
def test_a_damaged_list_of_commands_says_nothing(project: Path, text: str) -> None:
    write(project / "compile_commands.json", text)
    assert build_command(project / "src/apps/one/main.cu") is None


@pytest.mark.parametrize(
    ("folder", "text"),
    [
        ("src/apps/one", "include_directories(BEFORE ../../common)"),
        ("src/apps", "target_include_directories(main PRIVATE ${CMAKE_SOURCE_DIR}/common)"),
        ("src", "set(HERE ${CMAKE_CURRENT_SOURCE_DIR})\ninclude_directories(\n  # headers\n  ${HERE}/common\n)"),
        ("src", 'include_directories("$<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/common>")'),
        ("src", "project(x)\nadd_subdirectory(common)"),
    ],
)  # fmt: skip
def test_a_missing_header_comes_from_the_folder_that_cmake_names(
    project: Path, monkeypatch: pytest.MonkeyPatch, folder: str, text: str
) -> None:
    write(
        project / "src/common/CMakeLists.txt", "target_include_directories(x INTERFACE ${CMAKE_CURRENT_SOURCE_DIR})\n"
    )
    (project / "src/other").mkdir()  # a different header of that name: the search of the repository takes neither
    write(project / "src/other/width.h", "#define WIDTH 5\n")
    write(project / "src/CMakeLists.txt", "set(UNUSED 1)\n")
    write(project / folder / "CMakeLists.txt", f"{text}\n")
    monkeypatch.chdir(project)
    assert notes(read(project)) == [f"headers come from src/common, as {folder}/CMakeLists.txt says"]


def test_a_header_that_the_repository_has_once_is_taken(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project)
    expected = "width.h comes from src/common: the repository has no different header of that name"
    (project / ".git").rmdir()
    with pytest.raises(CompileError, match=r"there is no header width\.h"):
        read(project)
    write(project / "README.md", "A project.\n")
    assert notes(read(project)) == [expected]
    (project / "other").mkdir()
    write(project / "other/width.h", "#define WIDTH 4\n")  # the same text: the nearer file is taken
    assert notes(read(project)) == [expected]


@pytest.mark.parametrize("is_of_program", [False, True])
def test_of_headers_that_differ_the_nearest_is_taken_that_belongs_to_no_other_program(
    project: Path, monkeypatch: pytest.MonkeyPatch, *, is_of_program: bool
) -> None:
    monkeypatch.chdir(project)
    (project / "other").mkdir()
    write(project / "other/width.h", "#define WIDTH 6\n")
    (project / "src/apps/two").mkdir()
    write(project / "src/apps/two/width.h", "#define WIDTH 5\n")  # nearer than src/common
    if is_of_program:
        write(project / "src/apps/two/main.cu", KERNEL)
    file = read(project)
    folder, width = ("src/common", 4) if is_of_program else ("src/apps/two", 5)
    where = f"width.h comes from {folder}: it is the nearest of that name in the repository"
    assert notes(file) == [f"{where}, which has 2 that differ; choose with -I"]
    assert re.search(rf"st\.global\.\w+\s+\[\w+\], {width};|mov\.\w+\s+%r\d+, {width};", file.ptx)


def test_a_header_is_searched_with_the_folders_in_its_name(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project)
    write(project / "src/apps/one/main.cu", KERNEL.replace("width.h", "common/width.h"))
    (project / "other").mkdir()
    write(project / "other/width.h", "#define WIDTH 5\n")
    assert notes(read(project)) == [
        "common/width.h comes from src: the repository has no different header of that name"
    ]


def test_a_large_repository_is_not_searched(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(repository, "MAXIMUM_ENTRIES", 5)
    with pytest.raises(CompileError, match=r"there is no header width\.h"):
        read(project)


WIDE = "__global__ void k(int *out) {\n#ifdef DEBUG\n  undefined();\n#endif\n  out[threadIdx.x] = WIDTH;\n}\n"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Makefile", "FLAGS = -DWIDTH=4\nFLAGS += -g -DDEBUG -DOTHER\nmain:\n\tnvcc $(FLAGS) main.cu\n"),
        ("Makefile", "main:\n\tnvcc -O2 -D'WIDTH=4' -D DEBUG main.cu\n"),
        ("CMakeLists.txt", "target_compile_definitions(main PRIVATE WIDTH=4 DEBUG)\n"),
        ("CMakeLists.txt", "add_definitions(-DWIDTH=4 -DDEBUG)\n"),
        ("CMakeLists.txt", 'set(CMAKE_CUDA_FLAGS "${CMAKE_CUDA_FLAGS} -O2 -DWIDTH=4 -DDEBUG")\n'),
        ("CMakeLists.txt", "list(APPEND CUDA_NVCC_FLAGS -DWIDTH=4)\n"),
        (
            "CMakeLists.txt",
            "set(SIZE 4)\ntarget_compile_options(m PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-DWIDTH=${SIZE}>)\n",
        ),
    ],
)
def test_an_undefined_name_is_a_macro_of_the_build(
    project: Path, monkeypatch: pytest.MonkeyPatch, name: str, text: str
) -> None:
    write(project / "src/apps/one/main.cu", WIDE)
    with pytest.raises(CompileError, match='"WIDTH" is undefined'):
        read(project)
    write(project / "src/apps/one" / name, text)
    monkeypatch.chdir(project)
    expected = f"compiled with -D WIDTH=4 from src/apps/one/{name}, because WIDTH is undefined without"
    assert notes(read(project)) == [expected]
    assert notes(read(project, define=("WIDTH=2",))) == []


def test_a_name_that_a_macro_of_the_build_brings_is_defined(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project)
    write(project / "src/apps/one/main.cu", f"#if defined(GPU)\n#define WIDTH 4\n#endif\n{WIDE}")
    write(project / "src/apps/CMakeLists.txt", "add_compile_definitions(GPU UNUSED DEBUG)\n")
    expected = "compiled with -D GPU from src/apps/CMakeLists.txt, because WIDTH is undefined without"
    assert notes(read(project)) == [expected]


def test_a_file_that_macros_of_the_build_do_not_help_keeps_its_error(project: Path) -> None:
    write(project / "src/apps/one/main.cu", f"#ifdef GPU\n#error unsupported\n#endif\n{WIDE}")
    write(project / "src/apps/CMakeLists.txt", "add_compile_definitions(GPU)\n")
    with pytest.raises(CompileError, match='"WIDTH" is undefined'):
        read(project)


def test_a_header_that_configure_writes_is_its_template(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project)
    write(
        project / "src/common/width.h",
        '#include "config.h"\n#if defined HAVE_UNISTD_H && !defined HAVE_MPI\n#define WIDTH 4\n#endif\n',
    )
    (project / "config").mkdir()
    write(project / "config/config.h.in", "/* @PACKAGE@ */\n#undef HAVE_UNISTD_H\n")
    with pytest.raises(CompileError, match=r"there is no header config\.h"):
        read(project)
    write(project / "config/config.h.in", "#undef HAVE_UNISTD_H\n#undef HAVE_MPI\n")
    expected = "config.h is config/config.h.in, which configure completes: only what every Linux has is defined"
    assert notes(read(project))[-1] == expected


WRAPPED = """#include <thrust/tuple.h>
__global__ void k(tools::thrust::tuple<int, int> *p) { p->get<0>() = 1; }
"""


def test_a_library_in_a_namespace_has_the_macro_of_the_build_that_puts_it_there(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project)
    main = write(project / "src/apps/one/main.cu", WRAPPED)
    write(project / "src/CMakeLists.txt", "set(CUDA_NVCC_FLAGS -DTHRUST_CUB_WRAPPED_NAMESPACE=tools -DOTHER)\n")
    unit = read_unit(UserFile.of(main, main.name, main.read_bytes()), (), ())
    options, (note,) = with_wrapping_macros(unit, CompileOptions())
    assert options.define == ("THRUST_CUB_WRAPPED_NAMESPACE=tools",)
    expected = "compiled with -D THRUST_CUB_WRAPPED_NAMESPACE=tools from src/CMakeLists.txt, because main.cu uses"
    assert note.text == f"{expected} tools::thrust"
    write(main, WRAPPED.replace("tools::", ""))
    plain = read_unit(UserFile.of(main, main.name, main.read_bytes()), (), ())
    assert with_wrapping_macros(plain, CompileOptions()) == (CompileOptions(), [])
