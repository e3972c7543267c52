"""Objects of member templates of class templates, whose types are arguments of kernel templates."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.cuda_sources.conftest import Parse

FILE = """
template <class T> struct Op {
  template <int N> struct Add { int n = N; __device__ T operator()(T x) const { return x + N; } };
};
template <class F, class T> __global__ void apply(T *p, int n, F f) { if (threadIdx.x < n) p[threadIdx.x] = f(p[0]); }
template <class T> void run(T *p) { apply<<<1, 64>>>(p, 1, typename Op<T>::template Add<2>{}); }
int main() { float *p; cudaMalloc(&p, 4096); BODY }
"""


@pytest.mark.parametrize(
    ("body", "instance"),
    [
        ("apply<<<1, 64>>>(p, 1, Op<float>::Add<2>());", "apply<Op<float>::Add<2>, float>"),
        ("apply<<<1, 64>>>(p, 1, Op<float>::Add<3>{});", "apply<Op<float>::Add<3>, float>"),
        ("run(p);", "apply<Op<float>::Add<2>, float>"),
    ],
)
def test_launch_with_an_object_of_a_member_template_is_an_instance(parse: Parse, body: str, instance: str) -> None:
    assert instance in parse(FILE.replace("BODY", body)).expressions()


@pytest.mark.archs
def test_the_command_checks_the_instance(tmp_path: Path) -> None:
    (tmp_path / "k.cu").write_text(FILE.replace("BODY", "run(p);"), encoding="utf-8")
    words = ("check", "k.cu", "--compiler", "nvrtc")
    done = subprocess.run(
        [sys.executable, "-m", "shflbench", *words], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "apply<Op<float>::Add<2>, float>  clean" in done.stdout


@pytest.mark.archs
def test_no_instance_is_suggested_with_a_class_that_has_no_call_operator(tmp_path: Path) -> None:
    (tmp_path / "k.cu").write_text(FILE.partition("template <class T> void run")[0], encoding="utf-8")
    words = ("check", "k.cu", "--compiler", "nvrtc")
    done = subprocess.run(
        [sys.executable, "-m", "shflbench", *words], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert "name one, for example --kernel 'apply<F, float>'" in " ".join(done.stdout.split())
