"""Folders of headers and macros from a setup.py, which is read and never executed."""

from pathlib import Path

import pytest

from shflbench.cuda_sources.kernel_file import CompileOptions, KernelFile
from shflbench.cuda_sources.read import read_cuda
from shflbench.cuda_sources.read_options import Compilers
from shflbench.cuda_sources.setup_py import read_setup
from tests import kernels

SETUP = """
import os.path as osp
from pathlib import Path
from setuptools import setup

ROOT = osp.dirname(osp.abspath(__file__))
HERE = Path(__file__).resolve().parent
include_dirs = [osp.join(ROOT, "csrc"), str(HERE / "third"), unknown()]
define_macros = [("WITH_CUDA", None), ("WIDTH", "4"), ("TYPE", unknown())]
if torch.cuda.is_available():
    define_macros += [("LATER", None)]
    include_dirs.append(f"{ROOT}/more")
raise SystemExit("never executed")
setup(ext_modules=[CUDAExtension("x", include_dirs=[osp.join(ROOT, "csrc", "nowhere")],
                                 extra_compile_args={"nvcc": ["-O3", "-DFAST=1", "-I" + ROOT + "/flags"]})])
"""
KERNEL = """#include "width.h"
__global__ void k(int *out) { out[threadIdx.x] = width; }
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A repository with a file five folders below its setup.py."""
    for folder in (".git", "a/b/c/d/e", "csrc", "third", "more", "flags"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "setup.py").write_text(SETUP, encoding="utf-8")
    (tmp_path / "a/b/c/d/e/k.cu").write_text(KERNEL, encoding="utf-8")
    return tmp_path


def read(project: Path) -> KernelFile:
    return read_cuda(project / "a/b/c/d/e/k.cu", Compilers(kernels.tools()), CompileOptions())


def test_folders_and_macros_are_those_that_strings_name(project: Path) -> None:
    build = read_setup(project / "setup.py")
    assert {folder.name for folder in build.include} == {"csrc", "third", "more", "flags"}
    assert set(build.define) == {"WITH_CUDA", "WIDTH=4", "LATER", "FAST=1"}


@pytest.mark.parametrize("text", ["def", "\0", "(" * 5000, "x = " + "-" * 100_000 + "1"])
def test_a_file_that_is_no_python_names_nothing(tmp_path: Path, text: str) -> None:
    (tmp_path / "setup.py").write_text(text, encoding="utf-8")
    build = read_setup(tmp_path / "setup.py")
    assert (build.include, build.define) == ((), ())


def test_a_macro_without_which_a_name_is_undefined_comes_from_the_setup(project: Path) -> None:
    header = "#ifdef WITH_CUDA\nconstexpr int width = 4;\n#endif\n"
    (project / "csrc/width.h").write_text(header, encoding="utf-8")
    file = read(project)
    assert [kernel.name for kernel in file.kernels] == ["k"]
    texts = [note.text for note in file.notes if note.kind == "build"]
    assert any("-D WITH_CUDA from" in text and "width is undefined without" in text for text in texts), texts


def test_a_variable_that_is_its_own_part_ends(tmp_path: Path) -> None:
    doubled = "".join("define_macros_x = define_macros_x + define_macros_x\n" for _ in range(40))
    (tmp_path / "setup.py").write_text(f"define_macros_x = 'aa'\n{doubled}", encoding="utf-8")
    assert read_setup(tmp_path / "setup.py").include == ()


def test_a_macro_is_one_line_and_a_folder_a_path(tmp_path: Path) -> None:
    text = 'define_macros = [("A", "1\\n#error"), ("B\\n#error", None), ("C", "2")]\ninclude_dirs = ["a\\0b"]\n'
    (tmp_path / "setup.py").write_text(text, encoding="utf-8")
    build = read_setup(tmp_path / "setup.py")
    assert (build.include, build.define) == ((), ("C=2",))
