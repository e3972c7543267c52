"""Files compiled with nvcc, for which a script stands in: most machines have none."""

import json
import re
import time
from dataclasses import replace
from pathlib import Path

import pytest

from shflbench.cuda_sources import nvcc as nvcc_compiler
from shflbench.cuda_sources.kernel_file import CompileOptions, KernelFile
from shflbench.cuda_sources.nvcc import header_folders
from shflbench.cuda_sources.read import read_cuda
from shflbench.cuda_sources.read_options import Compilers, KernelNames
from shflbench.errors import CompileError, CompilerError
from tests import kernels
from tests.scripts import write_script

OPTIONS = CompileOptions("sm_90", (Path("include"),), ("N=3",))
PTX = """.version 9.0
.target sm_90
.visible .entry {symbol}(
	.param .u64 {symbol}_param_0
)
{{
	.loc	1 {line} 0
	st.global.u32 [%rd1], 1;
	ret;
}}
	.file	1 "{file}"
"""


class FakeNvcc:
    """An nvcc that records its command and the file that it compiles, and answers with a prepared text."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "nvcc"
        self._folder = folder
        self.answer(error="not prepared")

    def answer(self, ptx: str = "", error: str = "", steps: str = "") -> None:
        (self._folder / "answer.ptx").write_text(ptx)
        (self._folder / "answer.txt").write_text(error)
        (self._folder / "steps.txt").write_text(steps)
        (self._folder / "runs.txt").write_text("")
        write_script(
            self.path,
            f"import json, sys, pathlib\nfolder = pathlib.Path({str(self._folder)!r})\n"
            "if '--version' in sys.argv:\n    print('tools, release 13.0, V13.0.88')\n    sys.exit()\n"
            "if '--dryrun' in sys.argv:\n    sys.stderr.write((folder / 'steps.txt').read_text())\n    sys.exit()\n"
            "with (folder / 'runs.txt').open('a') as runs:\n    runs.write(' '.join(sys.argv[1:]) + '\\n')\n"
            "(folder / 'command.txt').write_text('\\n'.join(sys.argv[1:]))\n"
            "(folder / 'unit.cu').write_text(pathlib.Path(sys.argv[-1]).read_text())\n"
            "(folder / 'macros.h').write_text(pathlib.Path('shflbench_macros.h').read_text())\n"
            "links = {path.name: str(path.readlink()) for path in pathlib.Path().iterdir() if path.is_symlink()}\n"
            "(folder / 'links.json').write_text(json.dumps(links))\n"
            "error = (folder / 'answer.txt').read_text()\nif error:\n    sys.exit(error)\n"
            "output = pathlib.Path(sys.argv[sys.argv.index('-o') + 1])\n"
            "output.write_text((folder / 'answer.ptx').read_text())\n",
        )

    @property
    def command(self) -> list[str]:
        return (self._folder / "command.txt").read_text().splitlines()

    @property
    def runs(self) -> list[str]:
        """The commands of all compilations."""
        return (self._folder / "runs.txt").read_text().splitlines()

    @property
    def macros(self) -> str:
        return (self._folder / "macros.h").read_text()

    @property
    def links(self) -> dict[str, str]:
        return dict(json.loads((self._folder / "links.json").read_text()))

    @property
    def unit(self) -> str:
        return (self._folder / "unit.cu").read_text()


@pytest.fixture
def nvcc(tmp_path: Path) -> FakeNvcc:
    folder = tmp_path / "bin"
    folder.mkdir()
    return FakeNvcc(folder)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "user"
    folder.mkdir()
    path = folder / "kernel.cu"
    path.write_text("#include <GL/missing.h>\n\n__global__ void k(int *p) { *p = 1; }\nvoid f() { k<<<2, 64>>>(0); }\n")
    return path


def read(source: Path, nvcc: FakeNvcc, kernel: str | None = None) -> KernelFile:
    return read_cuda(
        source, Compilers(kernels.tools(), nvcc=nvcc.path), CompileOptions(), names=KernelNames(kernel=kernel)
    )


def test_the_file_is_compiled_as_it_is_and_nothing_is_left_beside_it(nvcc: FakeNvcc, source: Path) -> None:
    nvcc.answer(PTX.format(symbol="_Z1kPi", line=3, file=source))
    result = read(source, nvcc)
    assert result.compiler == "nvcc 13.0"
    (kernel,) = result.kernels
    assert (kernel.name, kernel.parameters[0].name) == ("k", "p")
    assert kernel.place is not None
    assert (kernel.place.file, kernel.place.line) == (source, 3)
    assert [launch.grid for launch in kernel.host_launches] == [(2, 1, 1)]
    assert nvcc.unit == '#include "shflbench_include_0/kernel.cu"\n'
    assert list(source.parent.iterdir()) == [source]


def test_folders_and_macros_are_passed_on(nvcc: FakeNvcc, source: Path) -> None:
    nvcc.answer("ptx")
    assert nvcc_compiler.compile_ptx(nvcc.path, source, OPTIONS) == "ptx"
    assert {"-ptx", "-lineinfo", "-arch=sm_90", "-DN=3"} <= set(nvcc.command)
    folders = [nvcc.command[at + 1] for at, word in enumerate(nvcc.command) if word == "-I"]
    assert folders == ["shflbench_include_0", "shflbench_include_1"]
    assert nvcc.links == {
        "shflbench_include_0": str(source.parent),
        "shflbench_include_1": str(Path("include").resolve()),
    }


def test_functions_that_cuda_removed_are_replaced(nvcc: FakeNvcc, source: Path) -> None:
    nvcc.answer("ptx")
    nvcc_compiler.compile_ptx(nvcc.path, source, OPTIONS)
    assert nvcc.command[nvcc.command.index("-include") + 1] == "shflbench_macros.h"
    assert "#define cudaThreadSynchronize(...) cudaDeviceSynchronize(__VA_ARGS__)\n" in nvcc.macros
    assert "#define cudaThreadExit(...) cudaDeviceReset(__VA_ARGS__)\n" in nvcc.macros


def test_launches_in_device_code_are_compiled_for_the_device_runtime(nvcc: FakeNvcc, source: Path) -> None:
    nvcc.answer("ptx")
    for is_wanted in (True, False):
        nvcc_compiler.compile_ptx(nvcc.path, source, replace(OPTIONS, device_launches=is_wanted))
        assert ("-rdc=true" in nvcc.command) is is_wanted


def test_other_sources_are_included_from_their_folders(nvcc: FakeNvcc, source: Path, tmp_path: Path) -> None:
    nvcc.answer("ptx")
    beside, above = source.parent / "beside.cu", tmp_path / "above.cu"
    nvcc_compiler.compile_ptx(nvcc.path, source, replace(OPTIONS, include=(), sources=(beside, above)))
    included = ("0/kernel.cu", "0/beside.cu", "1/above.cu")
    assert nvcc.unit.splitlines() == [f'#include "shflbench_include_{name}"' for name in included]
    assert nvcc.links["shflbench_include_1"] == str(tmp_path)


def test_instances_are_added_by_a_file_that_includes_the_original(nvcc: FakeNvcc, source: Path) -> None:
    nvcc.answer("ptx")
    nvcc_compiler.compile_ptx(nvcc.path, source, OPTIONS, ["reduce<float, 64>"])
    assert (
        nvcc.unit
        == '#include "shflbench_include_0/kernel.cu"\nvoid *shflbench_instance_0 = (void *)(reduce<float, 64>);\n'
    )


@pytest.mark.parametrize(
    ("log", "message"),
    [
        ('{file}(3): error: identifier "x" is undefined\n  x', r'kernel\.cu:3: identifier "x" is undefined$'),
        ("{file}:7:10: error: expected ';'", r"kernel\.cu:7: expected ';'$"),
        (
            "{file}(7): error: texture is not a template",
            r"kernel\.cu:7: CUDA 12 removed texture references, `texture<…>`$",
        ),
        ("nvcc fatal   : Unsupported gpu architecture", r"nvcc fatal   : Unsupported gpu architecture$"),
        ("", r"does not compile: nvcc exited with 1$"),
    ],
)
def test_the_first_error_is_named_with_its_line(nvcc: FakeNvcc, source: Path, log: str, message: str) -> None:
    nvcc.answer(error=log.format(file=source) or " ")
    with pytest.raises(CompileError, match=message):
        read(source, nvcc)


def test_a_missing_header_of_the_host_leads_to_nvrtc_and_a_note(nvcc: FakeNvcc, source: Path) -> None:
    nvcc.answer(error=f"{source}:1:10: fatal error: GL/missing.h: No such file or directory")
    result = read(source, nvcc)
    assert result.compiler.startswith("NVRTC")
    assert [note.kind for note in result.notes] == ["compiler"]
    assert "GL/missing.h" in result.notes[0].text


EXTENSION = '#include <ATen/ATen.h>\n#include "sizes.h"\n__global__ void k(int *p) { *p = N; }\nvoid f() {}\n'


@pytest.fixture
def extension(nvcc: FakeNvcc, source: Path, tmp_path: Path) -> Path:
    """Write an extension, and an nvcc that compiles it if something stands for a header of PyTorch."""
    (source.parent / "sizes.h").write_text("#define N 3\n")
    write_script(
        nvcc.path,
        "import sys, pathlib\n"
        "if '--version' in sys.argv:\n    print('tools, release 13.0, V13.0.88')\n    sys.exit()\n"
        "if '--dryrun' in sys.argv:\n    sys.exit()\n"
        "last = next((word.partition(',')[2] for word in sys.argv if word.startswith('-idirafter,')), '')\n"
        f"if not last:\n    sys.exit('{source}:1:10: fatal error: ATen/ATen.h: No such file or directory')\n"
        "assert 'SHFLBENCH_TORCH' in (pathlib.Path(last) / 'ATen/ATen.h').read_text()\n"
        "main = pathlib.Path('shflbench_include_0/kernel.cu')\n"
        f"pathlib.Path('{tmp_path}/given.cu').write_text(main.read_text())\n"
        "assert (main.parent / 'sizes.h').read_text() == '#define N 3\\n'\n"
        f"ptx = {PTX.format(symbol='_Z1kPi', line=3, file='FILE')!r}.replace('FILE', str(main.resolve()))\n"
        "pathlib.Path(sys.argv[sys.argv.index('-o') + 1]).write_text(ptx)\n",
    )
    return source


def test_a_file_that_nvrtc_rejects_is_compiled_with_what_stands_for_a_missing_header(
    nvcc: FakeNvcc, extension: Path, tmp_path: Path
) -> None:
    """As where device code uses parts of the C++ library that NVRTC does not have."""
    extension.write_text(EXTENSION.replace("= N", "= std::known_to_nvcc(N)"))
    result = read(extension, nvcc)
    assert result.compiler == "nvcc 13.0"
    assert [str(place) for place in result.files.values()] == [str(extension)]
    reason = f"{extension}:1: there is no header ATen/ATen.h; pass its folder with -I"
    note = f"the device code is compiled without headers that are missing: {reason}"
    assert [item.text for item in result.notes if item.kind == "build"] == [note]
    assert "void f() ;" in (tmp_path / "given.cu").read_text()  # host code without its body
    extension.write_text(EXTENSION)
    assert read(extension, nvcc).compiler.startswith("NVRTC")


@pytest.mark.archs
def test_device_code_that_only_nvcc_reads_is_compiled_without_host_code_that_nvcc_rejects(
    nvcc: FakeNvcc, extension: Path, tmp_path: Path
) -> None:
    script = nvcc.path.read_text().replace(
        ":1:10: fatal error: ATen/ATen.h: No such file or directory", "(4): error: no"
    )
    nvcc.path.write_text(re.sub("assert 'SHFLBENCH_TORCH'.*", "pass", script))
    text = EXTENSION.replace("= N", "= std::known_to_nvcc(N)").replace("#include <ATen/ATen.h>", "")
    extension.write_text(text.replace("void f() {}", "void f() { no; }"))
    result = read(extension, nvcc)
    assert result.compiler == "nvcc 13.0"
    note = f"the device code is compiled alone, because nvcc rejects host code: {extension}:4: no"
    assert [item.text for item in result.notes if item.kind == "compiler"] == [note]
    assert "no;" not in (tmp_path / "given.cu").read_text()


def test_instances_of_the_host_code_that_nvcc_rejects_are_left_out_at_once(nvcc: FakeNvcc, extension: Path) -> None:
    extension.write_text("""#include <ATen/ATen.h>
#include "sizes.h"
template <class T> __global__ void k(T *p) { *p = std::known_to_nvcc(3); }
void f(int *p) { struct A { }; struct B { }; k<int><<<1, 2>>>(p); k<A><<<1, 2>>>(0); k<B><<<1, 2>>>(0); }
""")
    script = nvcc.path.read_text()
    rejects = "unit = pathlib.Path(sys.argv[-1]).read_text()\nrejected = [\n    (n, line) for n, line in enumerate("
    rejects += "unit.splitlines(), 1)\n    if '<A>' in line or '<B>' in line\n]\n"
    rejects += "errors = [f'{sys.argv[-1]}({n}): error: no' for n, line in rejected]\nif errors:\n    "
    rejects += "sys.exit('\\n'.join(errors))\n"
    script = script.replace("main = pathlib", f"{rejects}main = pathlib")
    nvcc.path.write_text(script.replace("_Z1kPi", "_Z1kIiEvPT_"))
    result = read(extension, nvcc)
    assert [item.name for item in result.kernels] == ["k<int>"]
    reason = "nvcc rejects this instance, which the host code names"
    assert [item.sentence.partition(":")[0] for item in result.rejected_instances] == [reason] * 2
    assert [item.name for item in result.rejected_instances] == ["k<A>", "k<B>"]


@pytest.mark.parametrize(
    "text",
    [
        '#include "settings.h"\n#ifdef FAST\n#endif\n',
        "#if __has_include(<plan/plan.h>)\n#define FAST\n#endif\n",
    ],
)
def test_nvcc_is_not_given_what_stands_for_a_header_that_may_change_device_code(
    nvcc: FakeNvcc, extension: Path, text: str
) -> None:
    extension.write_text(EXTENSION.replace("= N", "= std::known_to_nvcc(N)").replace("void f()", f"{text}void f()"))
    with pytest.raises(CompileError):
        read(extension, nvcc)


def test_the_first_error_alone_says_whether_a_launch_in_device_code_is_the_reason(nvcc: FakeNvcc, source: Path) -> None:
    later = f"{source}(4): error: kernel launch from __device__ or __global__ functions requires separate compilation"
    nvcc.answer(error=f'{source}(3): error: identifier "q" is undefined\n{later}\n')
    with pytest.raises(CompileError, match='"q" is undefined'):
        read(source, nvcc)


@pytest.mark.archs
def test_nothing_is_written_outside_of_the_folder_of_stand_ins(nvcc: FakeNvcc, extension: Path, tmp_path: Path) -> None:
    victim = tmp_path / "victim.h"
    above = "../" * 12
    headers = f"#include <torch/{above}{victim}>\n#include <{above}{victim}>\n#include <{victim}>\n"
    extension.write_text(headers + EXTENSION.replace("= N", "= std::known_to_nvcc(N)"))
    read(extension, nvcc)
    assert not victim.exists()


def test_a_missing_header_that_device_code_needs_is_an_error(nvcc: FakeNvcc, source: Path) -> None:
    source.write_text('#include "own.h"\n__global__ void k(int *p) { *p = OWN; }\n')
    nvcc.answer(error=f"{source}:1:10: fatal error: own.h: No such file or directory")
    with pytest.raises(CompileError, match=r"kernel\.cu:1: there is no header own\.h"):
        read(source, nvcc)


def folders_of(nvcc: FakeNvcc, source: Path, steps: str) -> set[str]:
    """Return the folders of headers of a file in a repository that has a `mma.h` of its own, and a `tools.h`."""
    (source.parent / "README").touch()
    for name in ("arch/mma.h", "tools/tools.h"):
        header = source.parent / "include" / name
        header.parent.mkdir(parents=True)
        header.touch()
    source.write_text("#include <mma.h>\n#include <tools.h>\n__global__ void k(int *p) { *p = 1; }\n")
    nvcc.answer(PTX.format(symbol="_Z1kPi", line=3, file=source), steps=steps)
    read_cuda(source, Compilers(nvcc=nvcc.path), CompileOptions())
    return {Path(folder).name for folder in nvcc.links.values()}


@pytest.mark.parametrize(
    "steps",
    [
        '#$ TOP={0}\n#$ INCLUDES="-I{0}/other" "-I{0}/include dir"  \n#$ LIBRARIES=',
        '#$ INCLUDES="-I{0}/other"  \n#$ SYSTEM_INCLUDES="-isystem" "{0}/include dir"  \n',
    ],
)
def test_a_header_of_nvcc_is_not_searched_for_in_the_repository(
    nvcc: FakeNvcc, source: Path, tmp_path: Path, steps: str
) -> None:
    (tmp_path / "include dir").mkdir()
    (tmp_path / "include dir" / "mma.h").touch()
    assert folders_of(nvcc, source, steps.format(tmp_path)) == {"user", "tools"}


def test_an_nvcc_whose_path_a_shell_would_interpret_is_not_asked_for_its_folders(tmp_path: Path) -> None:
    folder = tmp_path / "$(command)"
    folder.mkdir()
    nvcc = FakeNvcc(folder)
    nvcc.answer(steps='#$ INCLUDES="-I/one"')
    assert header_folders(nvcc.path) == ()


@pytest.mark.parametrize("steps", ["", "nvcc fatal: unknown option", '#$ INCLUDES="-I/one', "#$ INCLUDES=\n"])
def test_an_nvcc_that_names_no_folders_of_headers_is_used_as_before(nvcc: FakeNvcc, source: Path, steps: str) -> None:
    assert folders_of(nvcc, source, steps) == {"user", "arch", "tools"}


@pytest.mark.parametrize(("first", "standards"), [("", ["c++17"]), ("#include <span>\n", ["c++20", "c++17"])])
def test_a_file_that_nvcc_rejects_is_compiled_once_per_standard(
    nvcc: FakeNvcc, source: Path, first: str, standards: list[str]
) -> None:
    source.write_text(f"{first}template <typename T> __global__ void k(T *p) {{ *p = x; }}\n")
    nvcc.answer(error=f'{source}({1 + len(first.splitlines())}): error: identifier "x" is undefined')
    with pytest.raises(CompileError, match='identifier "x" is undefined'):
        read(source, nvcc)
    assert [word for run in nvcc.runs for word in run.split() if word.startswith("-std=")] == [
        f"-std={standard}" for standard in standards
    ]


HOST_AND_DEVICE = """\
__global__ void k(int *p) { *p = 1; }
template <typename T> __global__ void fill(T *p) { *p = 1; }
struct Timer {
    void stop() { removedCall(); }
};
int main() {
    removedCall();
}
__device__ int unused() { return removedCall(); }
"""


@pytest.mark.parametrize("line", [4, 7])
def test_an_error_in_host_code_leads_to_nvrtc_and_a_note(nvcc: FakeNvcc, source: Path, line: int) -> None:
    source.write_text(HOST_AND_DEVICE.replace("return removedCall()", "return 1"))
    nvcc.answer(error=f'{source}({line}): error: identifier "removedCall" is undefined')
    result = read(source, nvcc)
    assert result.compiler.startswith("NVRTC")
    assert sorted(kernel.name for kernel in result.kernels) == ["fill<float>", "k"]
    (note,) = (note for note in result.notes if note.kind == "compiler")
    assert note.text.startswith("NVRTC compiled the device code, because nvcc rejects host code: ")
    assert note.text.endswith(f'kernel.cu:{line}: identifier "removedCall" is undefined')


def test_an_error_in_a_header_of_the_system_leads_to_nvrtc(nvcc: FakeNvcc, source: Path) -> None:
    source.write_text("__global__ void k(int *p) { *p = 1; }\n")
    nvcc.answer(error="/usr/include/math.h(413): error: exception specification is incompatible")
    assert read(source, nvcc).compiler.startswith("NVRTC")


@pytest.mark.parametrize(
    ("line", "what"), [(1, 'identifier "q" is undefined'), (9, 'identifier "removedCall" is undefined')]
)
def test_an_error_in_device_code_stays_an_error(nvcc: FakeNvcc, source: Path, line: int, what: str) -> None:
    source.write_text(HOST_AND_DEVICE.replace("return removedCall()", "return 1"))  # NVRTC would accept the file
    nvcc.answer(error=f"{source}({line}): error: {what}")
    with pytest.raises(CompileError, match=f"kernel.cu:{line}: {what}"):
        read(source, nvcc)


def test_a_call_of_host_code_from_a_kernel_is_an_error_beside_one_in_host_code(nvcc: FakeNvcc, source: Path) -> None:
    source.write_text(HOST_AND_DEVICE.replace("return removedCall()", "return 1"))
    call = 'calling a __host__ function("f") from a __global__ function("k") is not allowed'
    nvcc.answer(error=f'{source}(7): error: identifier "x" is undefined\n{source}(1): error: {call}')
    with pytest.raises(CompileError, match=r"kernel\.cu:1: calling a __host__ function"):
        read(source, nvcc)


def test_an_nvcc_that_does_not_run_is_no_error_of_the_file(nvcc: FakeNvcc, source: Path) -> None:
    nvcc.path.chmod(0o644)
    with pytest.raises(CompilerError, match="does not run"):
        read(source, nvcc)


def test_a_compilation_has_a_time_limit(nvcc: FakeNvcc, source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_script(nvcc.path, "import time\ntime.sleep(60)\n")
    monkeypatch.setattr(nvcc_compiler, "TIMEOUT_S", 0.2)
    with pytest.raises(CompileError, match="does not compile within"):
        nvcc_compiler.compile_ptx(nvcc.path, source, OPTIONS)


@pytest.mark.archs
def test_a_compilation_has_a_limit_of_cpu_time(nvcc: FakeNvcc, source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_script(nvcc.path, "while True:\n    pass\n")
    monkeypatch.setattr(nvcc_compiler, "CPU_S", 1)
    with pytest.raises(CompileError, match=r"does not compile within 1 s"):
        nvcc_compiler.compile_ptx(nvcc.path, source, OPTIONS)


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("os.kill(os.getpid(), 11)", r"does not compile: nvcc was ended by signal 11$"),
        ("sys.exit(139)", r"does not compile: nvcc exited with 139$"),
        ("pass", r"does not compile: nvcc wrote no PTX$"),
        ("open(sys.argv[sys.argv.index('-o') + 1], 'w').close()", r"does not compile: nvcc wrote no PTX$"),
    ],
    ids=["signal", "status", "no file", "empty file"],
)
def test_an_nvcc_that_says_nothing_is_quoted_with_how_it_ended(
    nvcc: FakeNvcc, source: Path, script: str, message: str
) -> None:
    write_script(nvcc.path, f"import os, sys\n{script}\n")
    with pytest.raises(CompileError, match=message):
        nvcc_compiler.compile_ptx(nvcc.path, source, OPTIONS)


def test_the_compilers_that_nvcc_starts_end_at_its_time_limit(
    nvcc: FakeNvcc, source: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_script(
        nvcc.path,
        "import subprocess, sys\nsubprocess.run([sys.executable, '-c', 'import time; time.sleep(60)'])\n",
    )
    monkeypatch.setattr(nvcc_compiler, "TIMEOUT_S", 0.5)
    begin = time.monotonic()
    with pytest.raises(CompileError, match="does not compile within"):
        nvcc_compiler.compile_ptx(nvcc.path, source, OPTIONS)
    assert time.monotonic() - begin < 30  # the compiler below it holds the pipe for 60 s


def test_nvcc_gets_the_option_for_fast_mathematics(nvcc: FakeNvcc, source: Path) -> None:
    nvcc.answer(PTX.format(symbol="_Z1kPi", line=3, file=source))
    for fast_math in (False, True):
        read_cuda(source, Compilers(nvcc=nvcc.path), CompileOptions(fast_math=fast_math))
        assert ("--use_fast_math" in nvcc.command) == fast_math


def test_an_instance_whose_name_is_another_one_than_asked_for_is_found_by_its_symbol(
    nvcc: FakeNvcc, source: Path
) -> None:
    source.write_text("enum M { a };\ntemplate <M m> __global__ void k(int *p) { *p = m; }\n")
    symbol = "_Z1kIL1M0EEvPi"
    nvcc.answer(PTX.format(symbol=symbol, line=2, file=source) + f".global .u64 shflbench_instance_0 = {symbol};\n")
    (kernel,) = read(source, nvcc, "k<M::a>").kernels
    assert (kernel.name, kernel.spellings) == ("k<(M)0>", ("k<M::a>",))
    assert "__device__ void *shflbench_instance_0 = (void *)(k<M::a>);\n" in nvcc.unit
