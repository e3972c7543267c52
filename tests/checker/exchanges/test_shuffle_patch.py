"""A shuffle instead of an array of shared memory, as an edit of the source that computes the same."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from shflbench.checker import FileOptions, advise_file, make_patch, parse_arguments, parse_shape
from shflbench.checker.exchanges.same_memory import leaves_same_memory
from shflbench.checker.options import LaunchOptions
from shflbench.cuda.compile.toolchain import find
from shflbench.cuda_sources.read_options import Compilers
from shflbench.emulator import EmulatedLaunch, execute
from shflbench.errors import TimeLimitError

pytestmark = pytest.mark.expensive

Patch = Callable[..., str]
SIGNATURE = "__global__ void kernel(const int* in, int* out, int n)"
NUMBERS = "int t = threadIdx.x, lane = t % 32, w = t / 32;"


@pytest.fixture
def options(kernel_cache: Path) -> FileOptions:
    launches, arguments = (parse_shape("1x64"),), parse_arguments(["n=4"])
    return FileOptions(
        compilers=Compilers(find(), cache=kernel_cache),
        given=LaunchOptions(launches=launches, arguments=arguments, shared_bytes=512),
        outputs=False,
    )


@pytest.fixture
def patch(tmp_path: Path, options: FileOptions) -> Patch:
    """Return the body of a kernel as a patch leaves it."""

    def call(
        body: str, *, signature: str = SIGNATURE, others: str = "", verdict: str = "clean", launched: bool = True
    ) -> str:
        file = tmp_path / "kernel.cu"
        before = f"{others}{signature} {{\n{NUMBERS}\n"
        text = f"{before}{body}\n}}\n"
        file.write_bytes(text.encode())
        given = options if launched else replace(options, given=replace(options.given, launches=(), arguments=()))
        advice = advise_file(file, given, lambda _: None)
        assert advice[-1].report.verdict == verdict
        changed = make_patch(file, advice, given).text
        assert file.read_bytes() == text.encode()
        return changed.removeprefix(before).removesuffix("\n}\n")

    return call


ARRAY = "__shared__ int s[64];"
STORE = f"{ARRAY}\ns[t] = in[t];\n__syncthreads();"
STORED = "int s_value = in[t];"
FROM = "int from = (5 + w) % 32;\nif (lane == from)"
LOOP = "int sum = in[t];\nfor (int d = 16; d > 0; d /= 2) {\n"
ONCE = "int x = in[t];\nfor (int i = 0; i < n / 4; ++i) {\n"
WAIT = "\n    __syncthreads();\n"
OTHER = "q[63 - t] = in[t];\n__syncthreads();"
BUTTERFLY = "__shfl_xor_sync(0xffffffff, s_value"
OLDER = "for (int k = 0; k < 2; ++k) s[k][t] = in[t] + k;\n__syncwarp();"
HALVES = "s[w][lane] = in[t];\ns[w][32 + lane] = in[t] + 1;\n__syncwarp();"
DYNAMIC = "extern __shared__ int memory[];"
POINTER_STORE = "\ns[t] = in[t];\n__syncthreads();"
# Body → with a shuffle.
BODIES = {
    "xor": (f"{STORE}\nout[t] = s[t ^ 5];", f"{STORED}\nout[t] = __shfl_xor_sync(0xffffffff, s_value, 5);"),
    "xor, the other way round": (
        f"{STORE}\nout[t] = s[5 ^ t];",
        f"{STORED}\nout[t] = __shfl_xor_sync(0xffffffff, s_value, 5);",
    ),
    "shift under a condition": (
        f"{STORE}\nif (lane > 0) {{\n    out[t] = s[t - 1];\n}}",
        f"{STORED}\nint s_read = __shfl_up_sync(0xffffffff, s_value, 1);\nif (lane > 0) {{\n    out[t] = s_read;\n}}",
    ),
    "shift in an expression": (
        f"{STORE}\nout[t] = lane < 30 ? s[t + 2] : 7;",
        f"{STORED}\nint s_read = __shfl_down_sync(0xffffffff, s_value, 2);\nout[t] = lane < 30 ? s_read : 7;",
    ),
    "broadcast": (
        "__shared__ int s[2];\nif (lane == 7) s[w] = in[t];\n__syncthreads();\nout[t] = s[w];",
        "int s_value{};\nif (lane == 7) s_value = in[t];\nout[t] = __shfl_sync(0xffffffff, s_value, 7);",
    ),
    "broadcast from a lane that the kernel computes": (
        f"__shared__ int s[2];\n{FROM} s[w] = in[t];\n__syncthreads();\nout[t] = s[w];",
        f"int s_value{{}};\n{FROM} s_value = in[t];\nout[t] = __shfl_sync(0xffffffff, s_value, from);",
    ),
    "permutation": (
        f"{STORE}\nout[t] = s[w * 32 + lane * 5 % 32];",
        f"{STORED}\nout[t] = __shfl_sync(0xffffffff, s_value, w * 32 + lane * 5 % 32);",
    ),
    "steps of a loop": (
        f"__shared__ int s[2][32];\n{LOOP}    s[w][lane] = sum;{WAIT}    sum += s[w][lane ^ d];{WAIT}}}\nout[t] = sum;",
        f"{LOOP}    int s_value = sum;\n    sum += {BUTTERFLY}, d);\n}}\nout[t] = sum;",
    ),
    "an array without a size": (
        f"extern {STORE}\nout[t] = s[t ^ 5];".replace("64", ""),
        f"{STORED}\nout[t] = {BUTTERFLY}, 5);",
    ),
    "a pointer": (
        f"{DYNAMIC}\nint* s = memory + 64;{POINTER_STORE}\nout[t] = s[t ^ 5];",
        f"{DYNAMIC}\n{STORED}\nout[t] = {BUTTERFLY}, 5);",
    ),
    "a loop that ran once": (
        f"{ARRAY}\n{ONCE}    s[t] = x;{WAIT}    x += s[t ^ 5];{WAIT}}}\nout[t] = x;",
        f"{ONCE}    int s_value = x;\n    x += {BUTTERFLY}, 5);\n}}\nout[t] = x;",
    ),
    "one of two arrays": (
        f"__shared__ int q[64];\n{STORE}\n{OTHER}\nout[t] = s[t ^ 5] + q[t];",
        f"__shared__ int q[64];\n{STORED}\n{OTHER}\nout[t] = {BUTTERFLY}, 5) + q[t];",
    ),
    "a name that is used": (
        f"int s_value = 3;\n{STORE}\nout[t] = s[t ^ 5] + s_value;",
        "int s_value = 3;\nint s_value_ = in[t];\nout[t] = __shfl_xor_sync(0xffffffff, s_value_, 5) + s_value;",
    ),
    "lines of Windows": (
        f"{STORE}\nif (lane > 0) out[t] = s[t - 1];".replace("\n", "\r\n"),
        f"{STORED}\nint s_read = __shfl_up_sync(0xffffffff, s_value, 1);\nif (lane > 0) out[t] = s_read;".replace(
            "\n", "\r\n"
        ),
    ),
}


@pytest.mark.parametrize(("body", "changed"), BODIES.values(), ids=BODIES)
def test_a_shuffle_stands_for_the_array(patch: Patch, body: str, changed: str) -> None:
    assert patch(body) == changed


# Bodies of which the array stays, although a shuffle gives some of its values.
KEPT = {
    "two loads": f"{STORE}\nout[t] = s[t ^ 5] + s[t];",
    "two stores": f"{STORE}\nint other = s[t ^ 5];\n__syncwarp();\ns[t] = other;\n__syncwarp();\nout[t] = other;",
    "another warp": f"{STORE}\nout[t] = s[63 - t];",
    "several values of a lane": f"__shared__ int s[2][64];\n{HALVES}\nout[t] = s[w][2 * lane];",
    "its address": f"{STORE}\nint* p = s;\nout[t] = p[t ^ 5];",
    "a pointer, and another load": (
        f"{DYNAMIC}\nint* s = memory;{POINTER_STORE}\nout[t] = s[t ^ 5];\nif (n > 1000) out[t] = memory[t];"
    ),
    "a pointer that is set again": (
        f"{DYNAMIC}\nint* s = memory;\nif (n > 2) s += 64;{POINTER_STORE}\nout[t] = s[t ^ 5];"
    ),
    "an atomic": f"{ARRAY}\ns[t] = in[t];\natomicAdd(&s[t], 1);\n__syncthreads();\nout[t] = s[t ^ 5];",
    "an older value": f"__shared__ int s[2][64];\n{OLDER}\nout[t] = s[0][t ^ 5];",
    "lanes that end": f"{ARRAY}\nif (lane > 29) return;\ns[t] = in[t];\n__syncwarp(~0u >> 2);\nout[t] = s[t ^ 1];",
    "an index with an effect": f"{STORE}\nint k = t;\nout[t] = s[(k++) ^ 5] + k;",
    "a lane that a number decides": (
        f"__shared__ int s[2];\n{FROM.replace('5', 'n')} s[w] = in[t];\n__syncthreads();\nout[t] = s[w];"
    ),
    "a condition of the loop": f"{STORE}\nfor (int k = 0; k < 1 + lane; ++k) out[t] = s[t / 32 * 32 + k] + k;",
}


@pytest.mark.parametrize("body", KEPT.values(), ids=KEPT)
def test_an_array_with_another_use_stays(patch: Patch, body: str) -> None:
    assert "__shfl" not in patch(body)


def test_an_instance_of_which_nothing_is_known_keeps_the_array(patch: Patch) -> None:
    template = "template <int D> __global__ void kernel(const int* in, int* out, int n)"
    body = f"{STORE}\nout[t] = s[(t ^ 1) + (D > 1 && n > 1000 ? 32 : 0)];"
    known = f"{template};\nvoid run(int* p, int* q) {{ kernel<1><<<1, 64>>>(p, q, 4); }}\n"
    assert "__shfl" in patch(body, signature=template, others=known, launched=False)
    also_unknown = known.replace("; }", '; int n; scanf("%d", &n); kernel<2><<<1, 64>>>(p, q, n); }')
    assert "__shfl" not in patch(body, signature=template, others=f"#include <cstdio>\n{also_unknown}", launched=False)


STEP = "__device__ void step() {\n__syncthreads();\n}\n"
CALLED = f"{SIGNATURE} {{\n{NUMBERS}\n{ARRAY}\ns[t] = in[t];\nstep();\nout[t] = s[READ] + s[t];\n}}\n"


@pytest.mark.parametrize(("read", "barrier"), [("63 - t", "__syncthreads"), ("t ^ 2", "__syncwarp")])
@pytest.mark.parametrize("kernels", [("first",), ()])
def test_a_function_that_a_kernel_without_advice_may_call_stays(
    tmp_path: Path, options: FileOptions, kernels: tuple[str, ...], read: str, barrier: str
) -> None:
    file = tmp_path / "kernel.cu"
    first, second = (CALLED.replace("READ", index) for index in ("t ^ 1", read))
    text = f"{STEP}{first.replace('kernel', 'first')}{second.replace('kernel', 'second')}"
    file.write_text(text, encoding="utf-8")
    given = replace(options, kernels=kernels)
    changed = text if kernels else text.replace("__syncthreads", barrier)
    assert make_patch(file, advise_file(file, given, lambda _: None), given).text == changed


def test_a_template_of_which_another_instance_is_not_chosen_stays(tmp_path: Path, options: FileOptions) -> None:
    file = tmp_path / "kernel.cu"
    template = f"template <int D>\n{SIGNATURE} {{\n{NUMBERS}\n{STORE}\nout[t] = s[t ^ D];\n}}\n"
    host = "void run(int* p, int* q) { kernel<1><<<1, 64>>>(p, q, 4); kernel<32><<<1, 64>>>(p, q, 4); }\n"
    file.write_text(template + host, encoding="utf-8")
    given = replace(options, kernels=("kernel<1>",))
    advice = advise_file(file, given, lambda _: None)
    assert [item.report.verdict for item in advice] == ["clean"]
    assert make_patch(file, advice, given).diff == b""


Same = Callable[..., bool]


@pytest.fixture
def same(tmp_path: Path, options: FileOptions) -> Same:
    """Return whether two expressions that are stored leave the same memory, with inputs of zeros."""
    signature = SIGNATURE.replace("int* out", "const int* of, int* out")

    def call(*values: str) -> bool:
        runs = []
        for value in values:
            file = tmp_path / "kernel.cu"
            file.write_text(f"{signature} {{\n{NUMBERS}\n{STORE}\nout[t] = {value};\n}}\n", encoding="utf-8")
            arguments = parse_arguments(["in=i32[64]:0", "of=i32[64]:0", "n=4"])
            given = replace(options, given=replace(options.given, arguments=arguments))
            (advice,) = advise_file(file, given, lambda _: None)
            assert advice.runs is not None
            runs.append(advice.runs)
        return leaves_same_memory(runs[0], runs[1].program, options.budget)

    return call


@pytest.mark.parametrize(("distance", "is_same"), [(1, True), (2, False)])
def test_zeros_do_not_hide_another_exchange(same: Same, distance: int, *, is_same: bool) -> None:
    assert same("s[t ^ 1]", f"s[t ^ {distance}]") is is_same


def test_two_inputs_of_one_size_have_different_contents(same: Same) -> None:
    assert not same("s[t ^ 1] + in[t]", "s[t ^ 1] + of[t]")


def test_small_integers_show_an_exchange_where_large_ones_are_no_indices(same: Same) -> None:
    assert not same("s[t ^ 1] + in[in[t]]", "s[t ^ 2] + in[in[t]]")


def test_contents_for_which_no_launch_ends_are_no_evidence(same: Same) -> None:
    assert not same("s[t ^ 1] + in[in[t] << 20]", "s[t ^ 1] + in[in[t] << 20]")


def test_random_contents_that_the_time_limit_ends_are_no_evidence(same: Same, monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(launch: EmulatedLaunch, **further: object) -> object:
        if np.asarray(launch.outputs[0]).any():  # which are zeros without random contents
            raise TimeLimitError("the time limit was reached", "--time-limit")
        return execute(launch, **further)  # type: ignore[arg-type]

    monkeypatch.setattr("shflbench.checker.exchanges.same_memory.execute", stop)
    assert not same("s[t ^ 1]", "s[t ^ 1]")
