from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import NoReturn

import pytest

from shflbench import __version__
from shflbench.core.model import DeviceState
from shflbench.cuda.backends.gpus import Gpu, describe
from shflbench.cuda.compile.toolchain import INSTALL, Toolchain
from shflbench.cuda.installation.checkup import CUPY_PACKAGES
from shflbench.cuda.installation.extra import Choice, how_to_install
from shflbench.errors import CompilerError, DeviceError
from tests.conftest import Command

NO_GPU = DeviceError("no NVIDIA driver is loaded", "install one")
NO_CUPY = DeviceError("cupy is not installed, so no GPU can be used", "install it")
H200 = Gpu(0, "NVIDIA H200", "sm_90", 139.8, "580.95.05", "GPU-1234")
QUIET = DeviceState(
    ecc=True, mig=False, persistence=True, compute_mode="default", power_limit_w=700.0, other_processes=0
)


class Cupy:
    __version__ = "14.2.0"


def raising(error: Exception) -> Callable[[], NoReturn]:
    def fail() -> NoReturn:
        raise error

    return fail


@pytest.fixture
def headers(tmp_path: Path) -> Path:
    folder = tmp_path / "include"
    (folder / "cub").mkdir(parents=True)
    for name in ("cuda_runtime_api.h", "cub/cub.cuh"):
        (folder / name).touch()
    disassembler = tmp_path / "nvdisasm"
    disassembler.write_text("#!/bin/sh\necho V13.5.37\n", encoding="utf-8")
    disassembler.chmod(0o755)
    return folder


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch, headers: Path) -> Callable[..., None]:
    """Make this a machine with the parts that are named; all others are missing."""

    def build(
        *,
        gpus: list[Gpu] | None = None,
        cupy: type[Cupy] | DeviceError = NO_CUPY,
        compiler: bool = True,
        packages: tuple[str, ...] = (),
        state: DeviceState = QUIET,
    ) -> None:
        toolchain = Toolchain(
            nvrtc=(13, 5),
            library="/lib/libnvrtc.so.13",
            headers=(headers,),
            nvdisasm=headers.parent / "nvdisasm",
            architectures=(90,),
            identity="for the test",
        )
        missing = CompilerError("the CUDA compiler is not installed (cuda.bindings is missing)", INSTALL)
        found = (lambda: toolchain) if compiler else raising(missing)
        imported = raising(cupy) if isinstance(cupy, DeviceError) else lambda: cupy
        extra = Choice("cuda13" if gpus else "compile", "for the test")
        absent = {*CUPY_PACKAGES} - {*packages}
        for name, value in {
            "shflbench.cuda.installation.checkup.find": raising(NO_GPU) if gpus is None else lambda: gpus,
            "shflbench.cuda.installation.checkup.choose": lambda: extra,
            "shflbench.cuda.backends.nvml.Monitor.state": lambda _: state,
            "shflbench.cuda.compile.toolchain.find": found,
            "shflbench.cuda.backends.cuda.import_cupy": imported,
            "shflbench.cuda.installation.checkup.installed_version": lambda name: None if name in absent else "1",
        }.items():
            monkeypatch.setattr(name, value)

    return build


def test_machine_with_everything_can_time(
    shflbench: Command, machine: Callable[..., None], headers: Path, tmp_path: Path
) -> None:
    machine(gpus=[H200], cupy=Cupy, packages=("cupy-cuda13x",))
    outcome = shflbench("doctor")
    assert (outcome.code, outcome.err) == (0, "")
    lines = outcome.out.splitlines()
    assert lines[0] == "    part                  state"
    assert lines[1].startswith(f"ok  shflbench             {__version__}, Python 3.")
    assert lines[2:] == [
        "ok  driver                580.95.05",
        "ok  GPU                   0: NVIDIA H200, sm_90, 139.8 GiB, GPU-1234",
        f"ok  GPU                   0: {describe(QUIET)}",
        "ok  NVRTC                 13.5, /lib/libnvrtc.so.13",
        f"ok  CUDA runtime headers  {headers}",
        f"ok  CCCL headers          {headers}",
        f"ok  nvdisasm              13.5.37, {tmp_path / 'nvdisasm'}",
        "ok  cupy                  14.2.0 (cupy-cuda13x)",
        f"ok  cache                 {tmp_path / 'cache'}, 0 compiled kernels",
        "",
        "shflbench can compile, verify and time here.",
    ]


def test_disturbances_are_listed_with_their_remedies(shflbench: Command, machine: Callable[..., None]) -> None:
    machine(gpus=[H200], cupy=Cupy, packages=("cupy-cuda13x",), state=replace(QUIET, mig=True, other_processes=2))
    outcome = shflbench("doctor")
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.splitlines()[4:9] == [
        "ok  GPU                   0: ECC on, MIG on, persistence on, compute mode default, power limit 700 W",
        "--  GPU                   0: MIG is on: times are those of one instance, and the others change the clock",
        "                          → ask its administrator to run: nvidia-smi -i 0 -mig 0",
        "--  GPU                   0: 2 other processes use it: times get longer and vary more",
        "                          → wait, or choose another GPU with --gpu; nvidia-smi lists the processes",
    ]
    assert outcome.out.endswith("shflbench can compile, verify and time here.\n")


def test_gpu_of_unknown_state_is_listed(shflbench: Command, machine: Callable[..., None]) -> None:
    machine(gpus=[H200], cupy=Cupy, packages=("cupy-cuda13x",), state=DeviceState())
    lines = shflbench("doctor").out.splitlines()
    assert [line for line in lines if " GPU " in line] == [
        "ok  GPU                   0: NVIDIA H200, sm_90, 139.8 GiB, GPU-1234"
    ]
    assert lines[-1] == "shflbench can compile, verify and time here."


def test_machine_whose_only_gpu_is_prohibited_cannot_time(shflbench: Command, machine: Callable[..., None]) -> None:
    machine(gpus=[H200], cupy=Cupy, packages=("cupy-cuda13x",), state=replace(QUIET, compute_mode="prohibited"))
    out = shflbench("doctor").out
    assert "--  GPU                   0: its compute mode is prohibited: no program may use it\n" in out
    assert "timing needs what is missing above" in out


def test_machine_without_a_gpu_can_still_compile(shflbench: Command, machine: Callable[..., None]) -> None:
    machine()
    outcome = shflbench("doctor")
    assert outcome.code == 0
    assert (
        "--  driver                no NVIDIA driver is loaded\n                          → install one\n" in outcome.out
    )
    assert f"→ {how_to_install('cuda13')}\n" in outcome.out
    assert outcome.out.endswith(
        "shflbench can compile, verify and check here, and draw runs; timing needs what is missing above.\n"
    )


def test_machine_without_the_compiler_exits_4_and_names_the_extra(
    shflbench: Command, machine: Callable[..., None]
) -> None:
    machine(compiler=False)
    outcome = shflbench("doctor")
    assert outcome.code == 4
    assert (
        "--  compiler   the CUDA compiler is not installed (cuda.bindings is missing)\n"
        f"               → {how_to_install('compile')}\n"
    ) in outcome.out
    assert outcome.out.endswith(
        "shflbench can show, compare and draw runs here; compiling needs what is missing above.\n"
    )


def test_broken_cupy_is_uninstalled_before_it_is_installed(
    shflbench: Command, machine: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = DeviceError("cupy is installed but broken: libcudart.so.12 is missing\nand more")
    machine(gpus=[H200], cupy=broken, packages=("cupy-cuda12x",))
    monkeypatch.setattr("shflbench.cuda.installation.checkup.find_spec", lambda _: object())
    assert shflbench("doctor").out.splitlines()[9:11] == [
        "--  cupy                  cupy is installed but broken: libcudart.so.12 is missing",
        f"                          → pip uninstall cupy-cuda12x; then, {how_to_install('cuda13')}",
    ]


def test_two_cupys_that_overwrite_each_other_are_both_named(shflbench: Command, machine: Callable[..., None]) -> None:
    machine(gpus=[H200], cupy=Cupy, packages=("cupy-cuda13x", "cupy-cuda12x"))
    assert shflbench("doctor").out.splitlines()[9:11] == [
        "--  cupy                  broken: cupy-cuda13x and cupy-cuda12x overwrite each other",
        f"                          → pip uninstall cupy-cuda13x cupy-cuda12x; then, {how_to_install('cuda13')}",
    ]


def test_cache_that_cannot_be_written_names_the_variable(
    shflbench: Command, machine: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    machine()
    Path("taken").touch()
    monkeypatch.setenv("SHFLBENCH_CACHE", "taken/kernels")
    assert "--  cache                 taken is not writable\n" in shflbench("doctor").out


def test_last_line_mentions_missing_parts(shflbench: Command, machine: Callable[..., None], headers: Path) -> None:
    machine(gpus=[H200], cupy=Cupy, packages=("cupy-cuda13x",))
    (headers / "cub" / "cub.cuh").unlink()
    outcome = shflbench("doctor")
    assert outcome.code == 0
    assert "--  CCCL headers          missing, so library variants are skipped\n" in outcome.out
    assert outcome.out.endswith(
        "shflbench can compile, verify and time here, but not all kernels: see what is missing above.\n"
    )


def test_disassembler_that_cannot_be_run_is_to_be_installed_again(
    shflbench: Command, machine: Callable[..., None], tmp_path: Path, headers: Path
) -> None:
    machine(gpus=[H200], cupy=Cupy, packages=("cupy-cuda13x",))
    assert headers.is_dir()
    (tmp_path / "nvdisasm").write_text("damaged", encoding="utf-8")
    out = shflbench("doctor").out
    assert (
        f"--  nvdisasm              {tmp_path / 'nvdisasm'} cannot be run, so the machine code is not checked\n" in out
    )
    assert "→ reinstall it: pip install --force-reinstall nvidia-cuda-nvdisasm\n" in out


def test_required_package_that_is_missing_is_named_and_exits_4(
    shflbench: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    absent = {"rich", "nvidia-ml-py", "pytest", "cupy-cuda13x"}  # two of them are required by nothing but an extra
    monkeypatch.setattr("shflbench.core.packages.installed_version", lambda name: None if name in absent else "1")
    outcome = shflbench("doctor")
    assert (outcome.code, outcome.out) == (4, "")
    assert outcome.err == (
        "error: required packages are not installed: nvidia-ml-py, rich\n"
        "Run: pip install 'nvidia-ml-py>=12.560' 'rich>=13.7'\n"
    )


def test_install_commands_name_no_unpublished_package() -> None:
    assert "pip install .; " in how_to_install("compile")
    for extra in ("cuda13", "cuda12"):
        assert f"pip install '.[{extra}]'" in how_to_install(extra)
        assert f"shflbench[{extra}]" not in how_to_install(extra)
