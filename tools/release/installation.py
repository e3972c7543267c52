"""Install the wheel in empty environments without a network, and run what newcomers run first."""

from __future__ import annotations

import os
import re
import shutil
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tools.release.artifacts import PYTHONS, REPOSITORY, ReleaseError, run

if TYPE_CHECKING:
    from pathlib import Path

SHIPPED_RUNS = REPOSITORY / "results" / "quick"
WITHOUT_RIGHTS = ("setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups")
STARTS_ITSELF = "import subprocess, sys; subprocess.run([sys.executable, '-c', ''], check=True)"
UNWRITABLE = "/proc"  # a home in which not even root can write
KERNELS = """\
__global__ void racy(float* x) {
    __shared__ float s[64];
    s[threadIdx.x] = x[threadIdx.x];
    x[threadIdx.x] = s[(threadIdx.x + 1) % 64];
}
__global__ void safe(float* x) {
    __shared__ float s[64];
    s[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    x[threadIdx.x] = s[(threadIdx.x + 1) % 64];
}
int main() {
    float* x;
    cudaMalloc(&x, 256);
    safe<<<1, 64>>>(x);
    racy<<<1, 64>>>(x);
}
"""


@dataclass(frozen=True, slots=True)
class Installation:
    """An environment in which the wheel is installed, and how commands run there."""

    folder: Path  # of the environment
    work: Path  # where commands run
    home: str = ""
    prefix: tuple[str, ...] = ()

    def call(self, *words: str, codes: tuple[int, ...] = (0,)) -> str:
        """Run shflbench there, without the machine's CUDA toolkit on the path; return all that it prints."""
        cache = str(self.work / "cache")
        variables = {"PATH": f"{self.folder / 'bin'}:/usr/bin:/bin", "HOME": self.home or cache}
        if not self.home:
            variables["SHFLBENCH_CACHE"] = cache
        program = str(self.folder / "bin" / "shflbench")
        outcome = run(*self.prefix, program, *words, codes=codes, cwd=self.work, env=variables)
        return outcome.stdout + outcome.stderr

    def try_out(self) -> str:
        """Check and compare a file, draw a shipped run; ReleaseError if a command says something else."""
        (self.work / "kernels.cu").write_text(KERNELS, encoding="utf-8")
        shutil.copytree(SHIPPED_RUNS, self.work / "shipped", dirs_exist_ok=True)
        expected = {
            ("doctor",): (0, "shflbench can compile, verify and check here"),
            ("check", "kernels.cu"): (1, "2 kernels for sm_90 by NVRTC .*1 broken"),
            ("bench", "kernels.cu", "--kernel", "safe", "--kernel", "racy"): (1, "racy"),
            ("run", "quick", "--device", "emulator", "--pattern", "neighbor", "--output", "run"): (0, "verified"),
            ("plot", "shipped", "--output", "plots"): (0, r"\.svg|\.png"),
        }
        for words, (code, text) in expected.items():
            printed = self.call(*words, codes=(code,))
            if not re.search(text, printed):
                raise ReleaseError(f"`shflbench {' '.join(words)}` does not print {text!r}")
        return f"{', '.join(words[0] for words in expected)}"


def wheelhouse(python: str, wheel: Path, folder: Path) -> Path:
    """Download what an offline machine with a Python needs to install the wheel; return the folder."""
    constraints = str(REPOSITORY / "constraints.txt")
    words = ("wheel", "--quiet", "--disable-pip-version-check", "--constraint", constraints, "--wheel-dir", str(folder))
    run(python, "-m", "pip", *words, str(wheel))
    return folder


def install(python: str, wheel: Path, packages: Path, folder: Path) -> Installation:
    """Install the wheel with pip in an empty environment, offline, from the packages of a wheelhouse."""
    environment, work = folder / "environment", folder / "work"
    work.mkdir(parents=True)
    work.chmod(0o777)
    run(python, "-m", "venv", str(environment))
    offline = ("--no-index", "--find-links", str(packages))
    run(str(environment / "bin" / "pip"), "install", "--quiet", "--disable-pip-version-check", *offline, str(wheel))
    return Installation(environment, work)


def with_uv(python: str, wheel: Path, packages: Path, folder: Path) -> str:
    """Check a file with `uvx --from WHEEL`, which uv installs without a network; return what it printed last."""
    folder.mkdir()
    run(python, "-m", "venv", str(folder / "uv"))
    run(str(folder / "uv" / "bin" / "pip"), "install", "--quiet", "--disable-pip-version-check", "uv")
    (folder / "kernels.cu").write_text(KERNELS, encoding="utf-8")
    offline = ("--offline", "--no-index", "--find-links", str(packages), "--python", python)
    variables = {"PATH": "/usr/bin:/bin", "HOME": str(folder), "UV_CACHE_DIR": str(folder / "cache")}
    words = ("--from", str(wheel), "shflbench", "check", "kernels.cu")
    outcome = run(str(folder / "uv" / "bin" / "uvx"), *offline, *words, codes=(1,), cwd=folder, env=variables)
    return outcome.stderr.strip().splitlines()[-1]


def pythons() -> dict[str, str]:
    """Return the paths of the supported Pythons on this machine, by version."""
    paths = {version: shutil.which(f"python{version}") for version in PYTHONS}
    return {version: path for version, path in paths.items() if path}


def as_normal_user(installation: Installation) -> Installation:
    """Return an installation whose home cannot be written, and which has no rights of root where it runs without."""
    prefix: tuple[str, ...] = ()
    if os.geteuid() == 0:
        with suppress(ReleaseError, FileNotFoundError):  # another user may not reach the Python of root
            run(*WITHOUT_RIGHTS, str(installation.folder / "bin" / "python"), "-c", STARTS_ITSELF)
            prefix = WITHOUT_RIGHTS
    work = installation.work.with_name("user")
    work.mkdir()
    work.chmod(0o777)
    return Installation(installation.folder, work, UNWRITABLE, prefix)


def megabytes(folder: Path) -> float:
    """Return the size of the files in a folder, in MB."""
    return sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6
