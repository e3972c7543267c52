"""Host code behind conditions of the preprocessor: what is compiled counts, and nothing else."""

from pathlib import Path

import pytest

from tests.cli.gate.runs import process
from tests.conftest import Command

KERNEL = "__global__ void f(int* o, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) o[i] = n; }\n"
MAIN = "int main() { int* o; cudaMalloc(&o, 400); f<<<4, 256>>>(o, SIZE); }\n"
CHOSEN = "#if CONDITION\n{small}\n#else\n{large}\n#endif\n"
FORMS = {
    "variable": ("const int n = {size};", "n"),
    "function": ("int size() {{ return {size}; }}", "size()"),
    "structure": ("struct S {{ int n = {size}; }};", "S().n"),
    "enumeration": ("enum {{ n = {size} }};", "n"),
    "macro": ("#define N {size}", "N"),
    "main": (MAIN.replace("SIZE", "{size}").replace("{ int", "{{ int").replace("; }", "; }}"), ""),
}


def program(form: str, condition: str) -> str:
    """Return a program whose size is 100, which fits, where the condition holds, and 1000 where it does not."""
    text, use = FORMS[form]
    chosen = CHOSEN.format(small=text.format(size=100), large=text.format(size=1000)).replace("CONDITION", condition)
    return KERNEL + chosen + (MAIN.replace("SIZE", use) if use else "")


def check(shflbench: Command, text: str, *words: str) -> tuple[int, str]:
    Path("k.cu").write_text(text)
    outcome = shflbench("check", "k.cu", "--compiler", "nvrtc", "-v", *words)
    return outcome.code, outcome.out


@pytest.mark.parametrize("form", FORMS)
def test_only_the_live_branch_counts(form: str, shflbench: Command) -> None:
    code, out = check(shflbench, program(form, "0"))
    assert (code, "arguments from the host code: o = i32[100], n = 1000" in out) == (1, True)
    code, out = check(shflbench, program(form, "1"))
    assert (code, "arguments from the host code: o = i32[100], n = 100" in out) == (0, True)


@pytest.mark.archs
def test_the_command_runs_as_a_process(tmp_path: Path) -> None:
    text = program("variable", "defined(SMALL) && LEVEL > 3")
    (tmp_path / "k.cu").write_text(text)
    words = ("check", "k.cu", "--compiler", "nvrtc")
    assert process(*words, cwd=tmp_path).code == 1
    assert process(*words, "-D", "SMALL", "-D", "LEVEL=4", cwd=tmp_path).code == 0


@pytest.mark.parametrize("form", [name for name in FORMS if name != "main"])
def test_neither_branch_of_an_unknown_condition_is_from_the_host_code(form: str, shflbench: Command) -> None:
    text = program(form, "__has_include(<far.h>)")
    Path("k.cu").write_text(text)
    outcome = shflbench("check", "k.cu", "--compiler", "nvrtc", "-v")
    assert "arguments from the host code: o = i32[100]\n" in outcome.out
    if form != "macro":  # of which no definition is taken where there are several
        assert "the files do not say which" in outcome.out


def test_variables_of_branches_that_may_be_compiled_are_unknown(shflbench: Command) -> None:
    main = MAIN.replace(
        "int* o;", "int* o;\n#if __has_include(<a.h>)\nint n = 9; int m = 3;\n#else\nint n = 8; int m = 3;\n#endif\n"
    )
    Path("k.cu").write_text(KERNEL + main.replace("SIZE", "n") + main.replace("SIZE", "m").replace("main", "other"))
    outcome = shflbench("check", "k.cu", "--compiler", "nvrtc", "-v")
    assert "n = 9" not in outcome.out
    assert "n = 8" not in outcome.out
    assert outcome.out.count("k.cu:3: the files do not say which branch is compiled") == 1
