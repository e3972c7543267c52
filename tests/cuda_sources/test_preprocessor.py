"""The directives of files in the order in which a compiler reads them."""

from pathlib import Path

import pytest

from shflbench.cuda_sources.host_code import UserFile
from shflbench.cuda_sources.preprocessor import Preprocessor

HEADER = "#ifdef SEEN\n#define TWICE\n#endif\n#define SEEN\n"


def user_file(name: str, text: str) -> UserFile:
    return UserFile.of(Path(name), name, text.encode())


@pytest.mark.parametrize(("first_line", "is_read_twice"), [("#pragma once\n", False), ("", True)])
def test_a_header_with_pragma_once_is_read_once(first_line: str, *, is_read_twice: bool) -> None:
    main = user_file("k.cu", '#include "a.h"\n#include "a.h"\n')
    header = user_file("a.h", first_line + HEADER)
    assert ("TWICE" in Preprocessor([main], [main, header], {}).macros) is is_read_twice


@pytest.mark.parametrize(
    ("header", "is_read_twice"),
    [
        (f"#ifndef GUARD\n#define GUARD\n{HEADER}#endif\n", False),
        (f"#ifndef GUARD\n{HEADER}#endif\n", True),
        (f"#ifndef GUARD\n#define GUARD\n#else\n{HEADER}#define TWICE\n#endif\n", True),
        (f"#ifndef GUARD\n#define GUARD\n#elif 1\n{HEADER}#define TWICE\n#endif\n", True),
        (f"#ifndef GUARD\n#define GUARD\n#endif\n{HEADER}#ifdef GUARD\n#endif\n", True),
        (f"#ifndef GUARD\n#define GUARD\n#endif\n{HEADER}", True),
    ],
)
def test_a_header_with_an_include_guard_is_read_again_for_what_is_outside_of_it(
    header: str, *, is_read_twice: bool
) -> None:
    main = user_file("k.cu", '#include "a.h"\n#include "a.h"\n')
    preprocessor = Preprocessor([main], [main, user_file("a.h", header)], {})
    assert ("TWICE" in preprocessor.macros) is is_read_twice


def test_headers_that_include_all_others_are_read_in_no_time() -> None:
    names = [f"h{number}.h" for number in range(30)]
    includes = "".join(f'#include "{name}"\n' for name in names)
    headers = [user_file(name, f"#pragma once\n{includes}#define M{name[1:-2]}\n") for name in names]
    main = user_file("k.cu", includes)
    assert "M29" in Preprocessor([main], [main, *headers], {}).macros


@pytest.mark.parametrize(
    ("text", "compiled"),
    [
        ("#if 0\na\n#elif 1\nb\n#else\nc\n#endif\n", "\n\n\nb\n\n\n\n"),
        ("#if 0\na\n#elif __has_include(<x>)\nb\n#else\nc\n#endif\n", "\n\n#if 1\nb\n#else\nc\n#endif\n"),
        ("#ifdef __OPEN__\na\n#if 0\nb\n#endif\n#endif\n", "#if 1\na\n\n\n\n#endif\n"),
        ("#ifndef GUARD\n#define GUARD\na\n#endif\n", "#ifndef GUARD\n#define GUARD\na\n#endif\n"),
        ('#if 0\n#include "a.h"\n#endif\na\n', "\n\n\na\n"),
    ],
)
def test_only_what_may_be_compiled_and_open_conditions_remain(text: str, compiled: str) -> None:
    main = user_file("k.cu", text)
    lines = Preprocessor([main], [main], {}, {"__OPEN__"}).compiled(main).text.decode().splitlines()
    assert [line.rstrip() for line in lines] == compiled.splitlines()


def test_a_header_that_only_dead_code_includes_is_not_compiled() -> None:
    main, header = user_file("k.cu", '#if 0\n#include "a.h"\n#endif\n'), user_file("a.h", "const int n = 5;\n")
    assert not Preprocessor([main], [main, header], {}).compiled(header).text.strip()


def test_macros_of_open_branches_are_unknown() -> None:
    main = user_file("k.cu", "#if __has_include(<x>)\n#define N 5\n#else\n#define N 6\n#endif\n#if N == 5\na\n#endif\n")
    preprocessor = Preprocessor([main], [main], {})
    assert "N" not in preprocessor.macros
    assert b"a" in preprocessor.compiled(main).text.split()
