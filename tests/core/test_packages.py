"""A package that cannot be imported ends every command with one sentence, 4, and what to reinstall."""

import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import pytest

from shflbench.core.packages import Package, package_error, packages
from tests.cli.gate.runs import lay, process
from tests.conftest import Outcome

pytestmark = pytest.mark.expensive  # 31 processes

MISFIT = 'raise SystemError("it does not fit another package")\n'
RUN = ("run", "quick", "--device", "emulator")
BROKEN = [  # module, and a command that needs it
    ("click", ("list",)),
    ("jinja2", ("report", "results")),
    ("matplotlib", ("plot", "results")),
    ("ml_dtypes", RUN),
    ("msgspec", RUN),
    ("numpy", ("check", "kernel.cu")),
    ("pandas", ("plot", "results")),
    ("pydantic", RUN),
    ("pygments", ("report", "results")),
    ("pynvml", ("run", "quick", "--device", "cuda")),
    ("ruamel", ("validate", "quick")),
    ("tree_sitter", ("check", "kernel.cu")),
    ("tree_sitter_cuda", ("bench", "kernel.cu")),
    ("distributed", ("run", "quick", "--scheduler", "tcp://127.0.0.1:1")),
]


@pytest.fixture
def broken(tmp_path: Path) -> Callable[..., Outcome]:
    """Call shflbench where a module was replaced by another text."""
    lay(tmp_path / "results")
    (tmp_path / "kernel.cu").write_text("__global__ void k(float* x) { x[threadIdx.x] = 1; }\n", encoding="utf-8")

    def call(text: str, module: str, *words: str) -> Outcome:
        package = tmp_path / "first" / module
        package.mkdir(parents=True, exist_ok=True)
        (package / "__init__.py").write_text(text, encoding="utf-8")
        return process(
            *words, cwd=tmp_path, PYTHONPATH=str(tmp_path / "first"), SHFLBENCH_CACHE=str(tmp_path / "cache")
        )

    return call


def name_of(module: str) -> Package:
    (package,) = (package for package in packages() if package.has(module))
    return package


@pytest.mark.one_in(3)
@pytest.mark.parametrize(("module", "words"), BROKEN, ids=[module for module, _ in BROKEN])
def test_a_broken_package_is_named_with_the_command_that_installs_it(
    broken: Callable[..., Outcome], module: str, words: tuple[str, ...]
) -> None:
    outcome = broken(MISFIT, module, *words)
    package = name_of(module)
    sentence, advice = outcome.err.splitlines()[-2:]
    assert outcome.code == 4
    assert sentence.startswith(f"error: the package {package.name} cannot be imported")
    assert sentence.endswith(": it does not fit another package")
    assert advice == f"Reinstall it: pip install --force-reinstall '{package.requirement}'"
    assert "Traceback" not in outcome.err


@pytest.mark.parametrize(
    ("text", "module", "package", "reason"),
    [
        ('__version__ = "0.1"\n', "pydantic_core", "pydantic", "pydantic-core version"),
        ("import nothing_of_this_name\n", "click", "click", "No module named 'nothing_of_this_name'"),
        ("x = (\n", "click", "click", "was never closed"),
        ("raise ImportError", "rich", "rich", "ImportError"),
        ("raise ImportError", "PIL", "matplotlib", "ImportError"),
    ],
)
def test_doctor_names_a_package_that_does_not_fit(
    broken: Callable[..., Outcome], text: str, module: str, package: str, reason: str
) -> None:
    outcome = broken(text, module, "doctor")
    assert (outcome.code, outcome.out) == (4, "")
    assert f"error: the package {package} cannot be imported" in outcome.err
    assert reason in outcome.err


@pytest.mark.parametrize("words", [RUN, ("check", "kernel.cu"), ("doctor",)], ids=lambda words: words[0])
def test_a_broken_compiler_is_named_with_the_command_that_installs_it(
    broken: Callable[..., Outcome], words: tuple[str, ...]
) -> None:
    outcome = broken(MISFIT, "cuda/bindings", *words)
    assert outcome.code == 4
    assert ": it does not fit another package\n" in outcome.err
    assert "einstall it: pip install --force-reinstall" in outcome.err
    assert "cuda-bindings" in outcome.err


OLD = [
    ("click", "8.1.8", "click>=8.2"),
    ("ruamel_yaml", "0.18", "ruamel-yaml>=0.19"),
    ("nvidia_cuda_nvrtc", "12.9.86", "nvidia-cuda-nvrtc>=13.1"),
]


@pytest.mark.parametrize(("folder", "version", "requirement"), OLD, ids=[folder for folder, _, _ in OLD])
@pytest.mark.parametrize("word", ["doctor", "list"])
def test_a_package_that_is_too_old_is_named_by_every_command(
    tmp_path: Path, word: str, folder: str, version: str, requirement: str
) -> None:
    (tmp_path / f"{folder}-{version}.dist-info").mkdir()
    outcome = process(word, cwd=tmp_path, PYTHONPATH=str(tmp_path))
    name = folder.replace("_", "-")
    assert (outcome.code, outcome.out) == (4, "")
    assert outcome.err == (
        f"error: installed packages are too old for shflbench: {name} {version}\n"
        f"Run: pip install --upgrade '{requirement}'\n"
    )


@pytest.mark.parametrize("folders", [("dask-2024.2.1",), ("click-8.1", "click-8.10"), ("numpy-1!1.0",), ("click",)])
def test_packages_of_extras_and_newer_versions_stop_nothing(tmp_path: Path, folders: tuple[str, ...]) -> None:
    for folder in folders:
        (tmp_path / f"{folder}.dist-info").mkdir()
    assert process("list", "devices", cwd=tmp_path, PYTHONPATH=str(tmp_path)).code == 0


@pytest.mark.parametrize(
    ("version", "is_older"),
    [
        ("1.9", True),
        ("1.10", False),
        ("1.10.0", False),
        ("1.10rc1", False),
        ("2", False),
        ("unknown", False),
        ("", False),
    ],
)
def test_versions_are_compared_as_numbers(version: str, is_older: bool) -> None:  # noqa: FBT001
    assert Package("x", "x>=1.10", "").is_older(version) == is_older
    assert not Package("x", "x<3", "").is_older(version)


def test_requirements_of_other_platforms_are_none(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "cuda-bindings" in {package.name for package in packages()}
    monkeypatch.setattr(sys, "platform", "darwin")
    assert "cuda-bindings" not in {package.name for package in packages()}
    assert "click" in {package.name for package in packages()}


@pytest.mark.archs
def test_doctor_names_an_optional_package_that_does_not_fit(broken: Callable[..., Outcome]) -> None:
    outcome = broken("raise ImportError('it is too old')\n", "tornado", "doctor")
    assert outcome.code == 0
    assert "--  package" in outcome.out
    assert "the package distributed cannot be imported" in outcome.out
    assert "→ reinstall it: pip install --force-reinstall 'distributed>=" in outcome.out


def test_every_package_is_imported_by_the_name_that_is_assumed() -> None:
    assert {package.name for package in packages()} >= {"click", "ruamel-yaml", "nvidia-ml-py", "distributed"}
    for package in packages():
        assert not package.module or import_module(package.module).__name__ == package.module


def raised(code: str, name: str = "shflbench.somewhere") -> BaseException:
    """Return what code of a module raises."""
    with pytest.raises(BaseException) as caught:  # noqa: PT011  (any type)
        exec(compile(code, "module.py", "exec"), {"__name__": name})  # noqa: S102  (of this file)
    return caught.value


def test_a_package_that_is_not_installed_is_to_be_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "numpy", None)
    error = package_error(raised("import numpy"))
    assert error is not None
    assert error.message.startswith(("required packages are not installed: numpy", "the package numpy cannot be"))


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("from numpy import nothing_of_this_name", "pattern"),  # the user's own mistake
        ("import nothing_of_this_name", "pattern"),
        ("import nothing_of_this_name", "shflbench.somewhere"),
        ("import numpy; numpy.zeros(-1)", "shflbench.somewhere"),
        ("1 / 0", "shflbench.somewhere"),
    ],
)
def test_other_errors_are_not_attributed_to_packages(code: str, name: str) -> None:
    assert package_error(raised(code, name)) is None
