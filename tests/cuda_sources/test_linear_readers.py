"""Readers of sources take a time that is linear in their size; the work is counted where it can be."""

import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from shflbench.cuda_sources import launch_macros, scopes, syntax_trees
from shflbench.cuda_sources.expansion import MOST_LEVELS, require_shallow
from shflbench.cuda_sources.host_code import UserFile
from shflbench.cuda_sources.includes import includes
from shflbench.cuda_sources.scopes import Names
from shflbench.cuda_sources.syntax_trees import nodes_of, parse, walk
from shflbench.cuda_sources.text_items import rejected_host_item
from shflbench.errors import CompileError
from tests.cuda_sources.conftest import Parse

KERNEL = "__global__ void k(int *p) { *p = 1; }\n"
MANY = 3_000
NUMBERS = frozenset({"number_literal"})


def counted(monkeypatch: pytest.MonkeyPatch, module: ModuleType, name: str) -> list[object]:
    """Return a list to which each call of a function adds its argument."""
    calls: list[object] = []
    function = getattr(module, name)

    def call(argument: object) -> object:
        calls.append(argument)
        return function(argument)

    monkeypatch.setattr(module, name, call)
    return calls


@pytest.mark.parametrize(
    "text",
    [
        "void f() {" + "for (int i = 0;;) {\n" * MANY,  # a flat node, which the grammar does not understand
        "int x = " + "1 +\n" * MANY + "1;",
        "template <int N = 0 " * MANY,
    ],
    ids=["flat", "deep", "templates"],
)
def test_no_query_goes_through_trees_that_are_deep_or_wide(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    usual = parse(b"int a[] = {" + b"{1, 2}, " * MANY + b"};").root_node
    assert not syntax_trees.is_slow_to_query(usual)
    nodes_of(usual, NUMBERS)  # so that a query is made
    root = parse(text.encode()).root_node
    expected = [item.id for item in walk(root) if item.type in NUMBERS]
    assert syntax_trees.is_slow_to_query(root)
    monkeypatch.setattr(syntax_trees, "QueryCursor", None)
    assert [item.id for item in nodes_of(root, NUMBERS)] == expected


def test_a_name_that_many_functions_declare_is_looked_up_once_per_declaration(
    parse: Parse, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls = counted(monkeypatch, scopes, "scope_of")
    source = parse(KERNEL + "void f(int *p, int n) { k<<<n, 1>>>(p); }\n" * 300)
    names = Names(source.unit.files, source.macros)
    uses = [node for node in walk(source.unit.main.tree.root_node) if node.type == "kernel_call_syntax"]
    found = {names.declaration(node, "n").id for node in uses}  # type: ignore[union-attr]
    assert len(found) == 300
    assert len(calls) < 5 * 300


def test_declarations_are_found_in_the_innermost_scope_that_has_one_before(parse: Parse) -> None:
    text = "int n = 1; void f(int n) { a(n); { b(n); int n = 3; c(n); } d(n); } void g() { e(n); { int n, n; h(n); } }"
    source = parse(text)
    names = Names(source.unit.files, source.macros)
    root = source.unit.main.tree.root_node
    calls = [node for node in walk(root) if node.type == "call_expression"]
    known = [names.declaration(node, "n") for node in calls]
    starts = [item.start_byte if item is not None else None for item in known]
    of_f, inner = text.index("n) {"), text.index("n = 3")
    assert starts == [of_f, of_f, inner, of_f, text.index("n = 1"), None]


def test_macros_that_launch_are_expanded_in_one_pass_per_round(parse: Parse, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = counted(monkeypatch, launch_macros, "code_only")
    uses = "L((p + 1, q));\n" * 200
    source = parse(f"#define L(x) k<<<1, 1>>>(x)\n{KERNEL}void f(int *p) {{\n{uses}}}\n")
    assert len(source.launches) == 200
    assert len(calls) <= launch_macros.MOST_ROUNDS


def test_lines_of_includes_are_counted_once() -> None:
    file = UserFile.of(Path("k.cu"), "k.cu", b'\n#include <a>\n\n#include "b"\nint x;\n#include <c>')
    assert list(includes(file)) == [("a", False, 2), ("b", True, 4), ("c", False, 6)]


@pytest.mark.parametrize(
    ("line", "text"), [(1, "int a() { return 1; }"), (3, "struct S { int x; } s;"), (100_004, "void z() {}"), (2, None)]
)
def test_items_of_a_long_file_are_found_by_their_lines(parse: Parse, line: int, text: str | None) -> None:
    lines = ["int a() { return 1; }", "", "struct S { int x; } s;", *[";"] * 100_000, "void z() {}"]
    source = parse("\n".join(lines))
    span = rejected_host_item(source.unit.main, line, source.macros)
    assert (source.unit.main.text[span.start : span.end].decode() if span is not None else None) == text


@pytest.mark.parametrize(
    ("text", "levels"),
    [
        ("{" * 7, 7),
        ("{}" * 7, 1),
        ("#if A\n{\n#else\n{\n#endif\n}\n" * 7, 1),
        ("#if A\n" * 7, 7),
        ('// {{{\nconst char *s = "{{{";', 0),
        ("}" * 7 + "{", 1),
    ],
)  # fmt: skip
def test_levels_are_those_of_braces_and_conditions(text: str, levels: int) -> None:
    assert UserFile.of(Path("k.cu"), "k.cu", text.encode()).lexed.levels == levels


def test_usual_levels_are_accepted() -> None:
    require_shallow([UserFile.of(Path("k.cu"), "k.cu", b"{" * MOST_LEVELS)])
    with pytest.raises(CompileError, match="nests braces or conditions more than 500 levels deep"):
        require_shallow([UserFile.of(Path("k.cu"), "k.cu", b"{" * (MOST_LEVELS + 1))])


@pytest.mark.archs
def test_the_command_reads_hostile_files_in_a_time_that_is_linear(tmp_path: Path) -> None:
    """60,000 open braces took 16 s, and as many open loops above a minute."""
    main = f"{KERNEL}int main() {{ int *p; cudaMalloc(&p, 4); k<<<1, 1>>>(p); }}\n"
    (tmp_path / "braces.cu").write_text(main + "{\n" * 60_000)
    (tmp_path / "loops.cu").write_text(main + "void f() {\n" + "for (;;)\n" * 20_000 + ";}")
    (tmp_path / "other.cu").write_text("void f() {\n" + "for (;;) {\n" * 20_000)
    chain = "".join(f"void f{i}(int *p) {{ f{i + 1}(p); }}\n" for i in range(1_500))
    (tmp_path / "chain.cu").write_text(f"{main}{chain}void f1500(int *p) {{ k<<<1, 1>>>(p); }}\n")
    words = ["check", "braces.cu", "loops.cu", "chain.cu", "--compiler", "nvrtc"]
    command = [sys.executable, "-m", "shflbench", *words]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=200)
    assert done.returncode == 5, done.stderr
    assert "braces.cu nests braces or conditions more than 500 levels deep" in done.stdout
    assert done.stdout.count(" clean ") == 2
