"""`shflbench.bench` on a machine without a GPU: which kernels agree, and what cannot be timed."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import shflbench
from shflbench.errors import DeviceError, UsageError
from shflbench.store import read_run
from tests.printed_json import problems
from tests.user_kernels.bench.conftest import KERNELS, ROWS, SUMS

pytestmark = pytest.mark.expensive

Launch = dict[str, Any]
PAIR = {"sums_smem": KERNELS, "sums_shfl": KERNELS}
AT: Launch = {"grid": ROWS, "block": 256}
COPY = """
__global__ void copy(float* to, const float* from) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    to[i] = from[i];
}
"""
OTHER_NAMES = (
    KERNELS.replace("float* out, const float* in, int n", "const float* out, float* in, long n")
    .replace("sum += in[row * n + i]", "sum += out[row * n + i]")
    .replace("out[row] =", "in[row] =")
)


@pytest.mark.archs
def test_kernels_are_compared_with_the_arrays_given(arrays: Any) -> None:
    result = shflbench.bench(PAIR, *arrays, **AT)
    assert result.agree
    assert not result.is_timed
    assert list(result.table["kernel"]) == ["sums_smem", "sums_shfl"]
    assert list(result.table["status"]) == ["verified", "verified"]
    assert "Nothing was timed: the driver lists no GPU. The results were compared in the emulator." in result.text()
    assert not arrays[0].any()  # the caller's array stays


@pytest.mark.archs
def test_results_are_those_of_the_arrays_given(arrays: Any) -> None:
    # Wrong only for values above 1, which the arrays do not contain unless they are given, and varied inputs always.
    wrong = KERNELS.replace("sum += in[row * n + i];", "sum += fminf(in[row * n + i], 1);")
    kernels = {"right": (KERNELS, "sums_smem"), "wrong": (wrong, "sums_smem")}
    out, values, columns = arrays
    for factor, matched in ((1, 2), (3, 0)):
        result = shflbench.bench(kernels, out, factor * values, columns, **AT)
        assert {row.variant: row.status.value for row in result.rows} == {"right": "verified", "wrong": "incorrect"}
        assert [row.matched for row in result.rows] == [2, matched]
        assert not result.agree


def test_without_arguments_those_of_the_host_code_are_taken() -> None:
    result = shflbench.bench({"sums_smem": SUMS, "sums_shfl": SUMS})
    assert [(row.launch, row.status.value) for row in result.rows] == [("8x256", "verified")] * 2


def test_without_arguments_and_host_code_the_sentence_names_the_keywords() -> None:
    result = shflbench.bench(PAIR)
    assert result.rows == ()
    assert "pass grid=…, block=… and its arguments" in result.left_out["sums_smem"]
    assert "sums_shfl: not run: " in str(result)


def test_each_kernel_has_its_own_launch(arrays: Any) -> None:
    result = shflbench.bench(PAIR, *arrays, grid=ROWS, block={"sums_smem": 256, "sums_shfl": 128})
    assert [(row.launch, row.block) for row in result.rows] == [("own", 256), ("own", 128)]
    assert result.agree


@pytest.mark.archs
def test_a_broken_kernel_is_left_out_unless_the_check_is_skipped(arrays: Any) -> None:
    racy = KERNELS.replace("        __syncthreads();\n    }", "    }")
    kernels = {"right": (KERNELS, "sums_smem"), "racy": (racy, "sums_smem")}
    assert shflbench.bench(kernels, *arrays, **AT).left_out["racy"].startswith("broken, ")
    assert shflbench.bench(kernels, *arrays, check=False, **AT).left_out == {}


@pytest.mark.archs
def test_arguments_are_those_of_the_place_whatever_their_names(arrays: Any) -> None:
    out, values, columns = arrays
    swapped = {"a": (OTHER_NAMES, "sums_smem"), "b": (OTHER_NAMES, "sums_shfl")}
    assert shflbench.bench(swapped, values, out, columns, **AT).agree
    first = KERNELS.replace("float* out, const float* in", "float* in, const float* out")
    first = first.replace("sum += in[", "sum += out[").replace("out[row] =", "in[row] =")
    assert shflbench.bench({"a": (KERNELS, "sums_smem"), "b": (first, "sums_smem")}, *arrays, **AT).agree


def test_the_run_is_kept_in_the_folder_given(arrays: Any, tmp_path: Path) -> None:
    result = shflbench.bench(PAIR, *arrays, output=tmp_path / "run", **AT)
    assert result.folder == tmp_path / "run"
    assert tuple(read_run(tmp_path / "run").rows) == result.rows


@pytest.mark.archs
def test_arrays_are_not_kept_in_the_cache(
    arrays: Any, tmp_path_factory: pytest.TempPathFactory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = tmp_path_factory.mktemp("cache")  # that of all tests may change meanwhile
    monkeypatch.setenv("SHFLBENCH_CACHE", str(cache))
    shflbench.bench(PAIR, *arrays, output=tmp_path / "first", **AT)
    kept = set((cache / "bench").iterdir())
    assert kept
    out, values, columns = arrays
    monkeypatch.chdir(tmp_path)
    shflbench.bench(PAIR, out, values / 2, columns, **AT)
    assert set((cache / "bench").iterdir()) == kept
    assert {path.name for path in tmp_path.iterdir()} == {"first"}


def test_a_launch_that_is_too_large_for_the_emulator_is_not_compared() -> None:
    values = np.zeros(1 << 17, np.float32)
    result = shflbench.bench({"a": (COPY, "copy"), "b": (COPY, "copy")}, values, values.copy(), grid=1 << 9, block=256)
    assert [row.status.value for row in result.rows] == ["skipped"] * 2
    assert "compared on a GPU only" in result.text()
    assert result.sentences[-1] == "Nothing was timed: the driver lists no GPU."


@pytest.mark.archs
def test_a_file_is_read_with_its_headers(arrays: Any, tmp_path: Path) -> None:
    (tmp_path / "sums.cuh").write_text(KERNELS, encoding="utf-8")
    (tmp_path / "sums.cu").write_text('#include "sums.cuh"\n', encoding="utf-8")
    path = tmp_path / "sums.cu"
    assert shflbench.bench({"sums_smem": path, "sums_shfl": str(path)}, *arrays, **AT).agree


class OnHost:
    """An array of another package, of which only the DLPack protocol is known."""

    kind = 1  # kDLCPU

    def __init__(self, array: np.ndarray) -> None:
        self._array = array

    def __dlpack__(self, **words: Any) -> object:
        return self._array.__dlpack__(**words)

    def __dlpack_device__(self) -> tuple[int, int]:
        return (self.kind, 0)


class OnDevice(OnHost):
    """Likewise, in memory that the host cannot read."""

    kind = 2  # kDLCUDA


@pytest.mark.archs
def test_arrays_of_the_dlpack_protocol_are_copied(arrays: Any) -> None:
    out, values, columns = arrays
    assert shflbench.bench(PAIR, OnHost(out), OnHost(values), columns, **AT).agree


def test_arrays_of_the_protocol_on_a_device_are_refused(arrays: Any) -> None:
    with pytest.raises(UsageError, match="argument 0 is on a device"):
        shflbench.bench(PAIR, OnDevice(arrays[0]), *arrays[1:], **AT)


@pytest.mark.archs
def test_a_notebook_shows_the_table_and_the_sentences(arrays: Any) -> None:
    html = shflbench.bench(PAIR, *arrays, **AT)._repr_html_()
    assert "<td>sums_shfl</td>" in html
    assert "<p>Nothing was timed" in html
    assert "time_us" not in html  # a column without a value


class RawKernel:
    """What CuPy's class of this name keeps of its arguments."""

    __module__ = "cupy._core.raw"

    def __init__(self, code: str | None, name: str, options: tuple[str, ...] = ()) -> None:
        self.code, self.name, self.options = code, name, options

    def __call__(self) -> None:
        """Launch nothing."""


@pytest.mark.archs
def test_a_raw_kernel_of_cupy_is_compiled_with_its_macros(arrays: Any) -> None:
    source = KERNELS.replace("offset = 16", "offset = FIRST").replace("sum = 0;", "sum = FIRST - 16;")
    kernels = {
        "smem": RawKernel(source, "sums_smem", ("-DFIRST=16",)),
        "shfl": RawKernel(source.replace("FIRST", "HALF"), "sums_shfl", ("-DHALF=16", "-std=c++17")),
    }
    assert shflbench.bench(kernels, *arrays, **AT).agree


class Dispatcher:
    """What a function with `@cuda.jit` of Numba has."""

    py_func, targetoptions = None, ()

    def __call__(self) -> None:
        """Launch nothing."""


def call() -> None:
    """Launch a kernel, perhaps."""


@pytest.mark.parametrize(
    ("kernels", "message"),
    [
        ({"a": call}, "kernel `a` is a function that Python calls"),
        ({"a": Dispatcher()}, "kernel `a` is one of Numba, and only CUDA C++ is timed"),
        ({"a": 3}, "kernel `a` is a int"),
        ({"a": (KERNELS, "sum")}, "the source of `a` has no kernel `sum`"),
        ({"a": KERNELS}, "the source of `a` has 2 kernels"),
        ({"a/b": KERNELS}, "'a/b' cannot be the name of a kernel"),
        ({}, "bench needs kernels by name"),
        ({"a": RawKernel(None, "sums_smem")}, "which does not keep its source"),
        ({"a": RawKernel(KERNELS, "sums_smem", ("--use_fast_math",))}, "has the option `--use_fast_math`"),
        (
            {"a": (KERNELS, "sums_smem"), "b": (f"consteval int one() {{ return 1; }}\n{KERNELS}", "sums_smem")},
            "`a` and `b` are compiled with different options",
        ),
    ],
)
def test_what_cannot_be_timed_is_refused(arrays: Any, kernels: Any, message: str) -> None:
    with pytest.raises(UsageError) as error:
        shflbench.bench(kernels, *arrays, check=False, **AT)
    assert message in error.value.message
    assert error.value.advice


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"grid": 4}, "has no block"),
        ({"grid": 4, "block": {"c": 32}}, "block names kernel `c`"),
        ({**AT, "l2": "hot"}, "l2 is 'hot'"),
        ({**AT, "device": "gpu"}, "device is 'gpu'"),
        ({**AT, "precision": 0}, "precision is 0"),
        ({**AT, "device": "cuda", "arch": "sm_90"}, "asks for a GPU"),
    ],
)
def test_keywords_that_fit_no_run_are_refused(arrays: Any, words: Launch, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        shflbench.bench(PAIR, *arrays, **words)


def test_host_code_that_passes_other_buffers_is_refused() -> None:
    shorter = SUMS.replace("n = 1024;", "n = 512;")
    with pytest.raises(UsageError, match="`a` and `b` have different arguments"):
        shflbench.bench({"a": (SUMS, "sums_smem"), "b": (shorter, "sums_smem")})


def test_the_number_of_arguments_is_that_of_the_kernel(arrays: Any) -> None:
    with pytest.raises(UsageError, match=r"takes 3 arguments \(out, in, n\), and 2 are given"):
        shflbench.bench(PAIR, *arrays[:2], **AT)


def test_a_gpu_that_is_asked_for_must_be_there(arrays: Any) -> None:
    with pytest.raises(DeviceError, match="lists no GPU"):
        shflbench.bench(PAIR, *arrays, device="cuda", **AT)


@pytest.mark.archs
def test_a_script_does_not_run_again_in_processes_that_compile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHFLBENCH_CACHE", str(tmp_path / "cache"))  # so that kernels are compiled
    script = tmp_path / "script.py"
    script.write_text(
        f"import shflbench\nprint('once')\nsource = {SUMS!r}\n"
        "print(shflbench.bench({'sums_smem': source, 'sums_shfl': source}, device='emulator').agree)\n",
        encoding="utf-8",
    )
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["once", "True"], done.stderr


RANK = """
__global__ void rank(int* out) {
    unsigned rank, blocks;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(blocks));
    out[blockIdx.x] = BLOCKS * 10 + RANK;
}
"""
OF_CLUSTER = RANK.replace("BLOCKS", "blocks").replace("RANK", "rank")


@pytest.mark.parametrize(("cluster", "agree"), [(2, True), ({"own": 2}, True), ((4, 1), False), (None, False)])
def test_blocks_run_in_clusters_of_the_given_size(cluster: Any, *, agree: bool) -> None:
    kernels = {"own": OF_CLUSTER, "of-two": RANK.replace("BLOCKS", "2").replace("RANK", "blockIdx.x % 2")}
    assert shflbench.bench(kernels, np.zeros(4, np.int32), grid=4, block=1, cluster=cluster).agree == agree


@pytest.mark.parametrize(
    ("cluster", "message"), [(3, "clusters of 3"), (17, "at most 16 blocks"), ("two", "neither a")]
)
def test_a_size_of_clusters_that_cannot_be_is_refused(cluster: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        shflbench.bench({"rank": OF_CLUSTER}, np.zeros(4, np.int32), grid=4, block=1, cluster=cluster)


def test_a_program_gets_an_object_of_the_form_that_the_command_prints(tmp_path: Path) -> None:
    path = tmp_path / "sums.cu"
    path.write_text(SUMS, encoding="utf-8")
    result = shflbench.bench({"sums_smem": path, "sums_shfl": path})
    document = json.loads(json.dumps(result.to_dict()))
    assert problems("bench", document) == []
    assert (document["files"], document["folder"], document["device"]) == ([str(path)], None, None)
    (group,) = document["groups"]
    assert [(item["kernel"], item["grid"], item["status"]) for item in group["kernels"]] == [
        ("sums_smem", [8, 1, 1], "verified"),
        ("sums_shfl", [8, 1, 1], "verified"),
    ]
    assert repr(result) == "<BenchResult: sums_smem verified, sums_shfl verified>"


def test_what_is_left_out_is_in_the_object_and_in_the_representation() -> None:
    result = shflbench.bench({"first": COPY, "second": COPY})
    document = json.loads(json.dumps(result.to_dict()))
    assert problems("bench", document) == []
    assert [item["kernel"] for item in document["left_out"]] == ["first", "second"]
    assert (document["groups"], document["files"]) == ([], [])
    assert repr(result) == "<BenchResult: first left out, second left out>"


@pytest.mark.parametrize("output", ["to", 0])
def test_an_output_whose_elements_may_have_any_order_is_named_or_given_by_its_position(output: str | int) -> None:
    kernels = {"copy": COPY, "reversed": COPY.replace("to[i] =", "to[gridDim.x * blockDim.x - 1 - i] =")}
    arrays = np.zeros(128, np.float32), np.arange(128, dtype=np.float32)
    at: Launch = {"grid": 2, "block": 64, "check": False}
    assert not shflbench.bench(kernels, *arrays, **at).agree
    assert shflbench.bench(kernels, *arrays, **at, any_order=[output]).agree


@pytest.mark.parametrize("output", ["from", 1, 7])
def test_what_is_no_output_cannot_have_any_order(output: str | int) -> None:
    arrays = np.zeros(128, np.float32), np.arange(128, dtype=np.float32)
    with pytest.raises(UsageError, match="elements in any order: the kernels write no buffer"):
        shflbench.bench({"copy": COPY}, *arrays, grid=2, block=64, check=False, any_order=[output])
