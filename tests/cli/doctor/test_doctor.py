from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import NoReturn

import pytest

from shflbench.cli.doctor.extra import Choice
from shflbench.cli.gpus import Gpu, describe
from shflbench.compile.toolchain import Toolchain
from shflbench.errors import CompilerError, DeviceError
from shflbench.model import DeviceState
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
            nvdisasm=Path("/bin/nvdisasm"),
            architectures=(90,),
            identity="for the test",
        )
        missing = CompilerError("the CUDA compiler is not installed (cuda.bindings is missing)", "install it")
        found = (lambda: toolchain) if compiler else raising(missing)
        imported = raising(cupy) if isinstance(cupy, DeviceError) else lambda: cupy
        extra = Choice("cuda13" if gpus else "compile", "for the test")
        for name, value in {
            "shflbench.cli.doctor.checkup.find": raising(NO_GPU) if gpus is None else lambda: gpus,
            "shflbench.cli.doctor.checkup.choose": lambda: extra,
            "shflbench.backends.nvml.Monitor.state": lambda _: state,
            "shflbench.compile.toolchain.find": found,
            "shflbench.backends.cuda.import_cupy": imported,
            "shflbench.cli.doctor.checkup._version": lambda name: "14.2.0" if name in packages else None,
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
    assert lines[0] == "    part                  found"
    assert lines[1].startswith("ok  shflbench             0.1.0, Python 3.")
    assert lines[2:] == [
        "ok  driver                580.95.05",
        "ok  GPU                   0: NVIDIA H200, sm_90, 139.8 GiB, GPU-1234",
        f"ok  GPU                   0: {describe(QUIET)}",
        "ok  NVRTC                 13.5, /lib/libnvrtc.so.13",
        f"ok  CUDA runtime headers  {headers}",
        f"ok  CCCL headers          {headers}",
        "ok  nvdisasm              /bin/nvdisasm",
        "ok  cupy                  14.2.0 (cupy-cuda13x)",
        f"ok  cache                 {tmp_path / 'cache'}, 0 compiled kernels",
        "",
        "shflbench can compile, verify and time here.",
    ]


def test_what_would_disturb_the_times_is_said_with_the_remedy(shflbench: Command, machine: Callable[..., None]) -> None:
    machine(gpus=[H200], cupy=Cupy, packages=("cupy-cuda13x",), state=replace(QUIET, mig=True, other_processes=2))
    outcome = shflbench("doctor")
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.splitlines()[4:9] == [
        "ok  GPU                   0: ECC on, MIG on, persistence on, compute mode default, power limit 700 W",
        "--  GPU                   0: MIG cuts it into instances: times are those of one, and others move the clock",
        "                          → have its owner run: nvidia-smi -i 0 -mig 0",
        "--  GPU                   0: 2 others compute on it, which makes times longer and uneven",
        "                          → wait, or choose another GPU with --gpu; nvidia-smi lists who it is",
    ]
    assert outcome.out.endswith("shflbench can compile, verify and time here.\n")


def test_gpu_that_nothing_is_known_of_is_listed_all_the_same(shflbench: Command, machine: Callable[..., None]) -> None:
    machine(gpus=[H200], cupy=Cupy, packages=("cupy-cuda13x",), state=DeviceState())
    lines = shflbench("doctor").out.splitlines()
    assert [line for line in lines if " GPU " in line] == [
        "ok  GPU                   0: NVIDIA H200, sm_90, 139.8 GiB, GPU-1234"
    ]
    assert lines[-1] == "shflbench can compile, verify and time here."


def test_machine_whose_only_gpu_may_not_be_used_cannot_time(shflbench: Command, machine: Callable[..., None]) -> None:
    machine(gpus=[H200], cupy=Cupy, packages=("cupy-cuda13x",), state=replace(QUIET, compute_mode="prohibited"))
    out = shflbench("doctor").out
    assert "--  GPU                   0: no program may compute on it: its compute mode is prohibited\n" in out
    assert "timing needs what is missing above" in out


def test_machine_without_a_gpu_can_still_compile(shflbench: Command, machine: Callable[..., None]) -> None:
    machine()
    outcome = shflbench("doctor")
    assert outcome.code == 0
    assert (
        "--  driver                no NVIDIA driver is loaded\n                          → install one\n" in outcome.out
    )
    assert "→ pip install 'shflbench[cuda13]'" in outcome.out
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
        "               → pip install 'shflbench[compile]'\n"
    ) in outcome.out
    assert outcome.out.endswith("shflbench can only show, compare and draw earlier runs here.\n")


def test_broken_cupy_is_told_from_a_missing_one(
    shflbench: Command, machine: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = DeviceError("cupy is installed but broken: libcudart.so.12 is missing\nand more")
    machine(gpus=[H200], cupy=broken, packages=("cupy-cuda12x",))
    monkeypatch.setattr("shflbench.cli.doctor.checkup.find_spec", lambda _: object())
    assert shflbench("doctor").out.splitlines()[9:11] == [
        "--  cupy                  cupy is installed but broken: libcudart.so.12 is missing",
        "                          → pip uninstall cupy-cuda12x, then pip install 'shflbench[cuda13]'",
    ]


def test_two_cupys_that_overwrite_each_other_are_both_named(shflbench: Command, machine: Callable[..., None]) -> None:
    machine(gpus=[H200], cupy=Cupy, packages=("cupy-cuda13x", "cupy-cuda12x"))
    assert shflbench("doctor").out.splitlines()[9:11] == [
        "--  cupy                  broken: cupy-cuda13x and cupy-cuda12x overwrite each other",
        "                          → pip uninstall cupy-cuda13x cupy-cuda12x, then pip install 'shflbench[cuda13]'",
    ]


def test_cache_that_cannot_be_written_names_the_variable(
    shflbench: Command, machine: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    machine()
    Path("taken").touch()
    monkeypatch.setenv("SHFLBENCH_CACHE", "taken/kernels")
    assert "--  cache                 taken is not writable\n" in shflbench("doctor").out
