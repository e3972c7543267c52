import ast
import io
import re
import subprocess
import sys
import tokenize
import tomllib
from collections import Counter
from functools import cache
from itertools import chain
from pathlib import Path

import grimp
import pytest

REPOSITORY = Path(__file__).parent.parent
HEAVY = ("cupy", "numpy", "pandas", "matplotlib", "pydantic", "rich", "ruamel", "cuda", "pynvml", "dask", "distributed")
REPORT = "import sys; print(*sorted({name.split('.')[0] for name in sys.modules}))"


def modules_after(statement: str) -> set[str]:
    """Return the top-level modules that a fresh Python has imported after `statement`."""
    command = [sys.executable, "-c", f"{statement}; {REPORT}"]
    return set(subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()[-1].split())


@pytest.mark.parametrize(
    "statement",
    [
        "import shflbench",
        "import shflbench.core.model, shflbench.errors, shflbench.core.statistics",
        "from shflbench.cli.main import main; main(['--help'])",
        "from shflbench.cli.main import main; main(['--version'])",
        "from shflbench.cli.main import main; main(['compare', '--help'])",
        "import shflbench.output.export.comparison_words",
    ],
)
def test_frequent_commands_import_no_heavy_package(statement: str) -> None:
    loaded = modules_after(statement)
    assert "shflbench" in loaded
    assert loaded.isdisjoint(HEAVY)


@pytest.mark.archs
def test_runs_are_drawn_without_the_compiler_and_the_gpu() -> None:
    loaded = modules_after("import shflbench.output.plot, shflbench.analysis, shflbench.store")
    assert "matplotlib" in loaded
    assert loaded.isdisjoint({"cupy", "cuda", "pynvml", "ruamel", "pydantic"})


def test_there_are_no_circular_imports_not_even_for_types() -> None:
    graph = grimp.build_graph("shflbench", exclude_type_checking_imports=False)
    imports = [(module, other) for module in graph.modules for other in graph.find_modules_directly_imported_by(module)]
    assert len(imports) > len(graph.modules)
    assert [pair for pair in imports if graph.chain_exists(importer=pair[1], imported=pair[0])] == []


@cache
def trees() -> dict[Path, ast.Module]:
    """Return the syntax tree of each file of the package."""
    paths = sorted((REPOSITORY / "shflbench").rglob("*.py"))
    return {path: ast.parse(path.read_text(encoding="utf-8")) for path in paths}


POINTER = re.compile(r"(?<![\w./<*-])((?:[a-z_]\w*/)*[a-z_]\w*\.py)\b")
NOT_OURS = {  # files of others, and the declaration of a pattern and the build of an extension, which users write
    "pattern.py",
    "setup.py",
    "kernel_tuner/util.py",
    "numba/core/datamodel/models.py",
    "pytest_benchmark/plugin.py",
    "python/triton/testing.py",
    "stats.py",
    "triton/runtime/jit.py",
    "triton/backends/nvidia/driver.py",
}


@pytest.mark.archs
def test_files_that_comments_and_docstrings_point_at_exist() -> None:
    roots = ("shflbench", "tests", "tools", "benchmarks")
    every = {path.relative_to(REPOSITORY).as_posix() for root in roots for path in (REPOSITORY / root).rglob("*.py")}
    stale = []
    for path, tree in trees().items():
        source = path.read_text(encoding="utf-8")
        tokens = tokenize.generate_tokens(io.StringIO(source).readline)
        texts = [token.string for token in tokens if token.type == tokenize.COMMENT]
        kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
        texts += [ast.get_docstring(node) or "" for node in ast.walk(tree) if isinstance(node, kinds)]
        for name in {name for text in texts for name in POINTER.findall(text)} - NOT_OURS:
            beside = (path.parent / name).is_file()
            if not beside and not ("/" in name and any(f"/{one}".endswith(f"/{name}") for one in every)):
                stale.append(f"{path.relative_to(REPOSITORY)}: {name}")
    assert stale == []


def test_no_two_classes_have_the_same_name() -> None:
    nodes = chain.from_iterable(ast.walk(tree) for tree in trees().values())
    classes = Counter(node.name for node in nodes if isinstance(node, ast.ClassDef))
    assert len(classes) > 100
    assert {name for name, count in classes.items() if count > 1} == set()


def test_only_one_file_imports_cupy() -> None:
    statement = re.compile(r"""^\s*(?:import|from) cupy\b|import_module\(.cupy""", re.MULTILINE)
    files = (REPOSITORY / "shflbench").rglob("*.py")
    assert [path.name for path in files if statement.search(path.read_text(encoding="utf-8"))] == ["cuda.py"]


def test_only_text_of_files_and_users_is_split() -> None:
    joined = re.compile(r"""split\("[;=]|partition\("=|startswith\(SENTINEL""")
    package = REPOSITORY / "shflbench"
    files = {path.relative_to(package) for path in package.rglob("*.py") if joined.search(path.read_text("utf-8"))}
    of_options = {Path("core", "thresholds.py"), Path("core", "time_limits.py")}
    assert {path.parts[0] for path in files - of_options} <= {
        *("store", "suite", "cli", "checker", "cuda_sources", "emulator", "user_kernels")
    }


PROSE = r"\.(?:message|sentence|reason|advice|detail)\b"
PARSED = re.compile(
    rf"{PROSE}\)?\.(?:r?partition|replace|removeprefix|removesuffix|startswith|endswith|r?split(?!\(\))|find|index)\("
    rf"|(?:\bin|==) (?!self\b)\(?\w+(?:\.\w+)*{PROSE}(?!\w|\.|\()"
    rf"|\.(?:search|match|fullmatch|findall|finditer|sub)\([^)\n]*{PROSE}"
    r"|\bsentence\.(?:r?partition|replace|removeprefix|removesuffix)\("
)
SENTENCES_READ = {  # the lines that read what another stage wrote, by file, each with its reason
    # A row of a run has the reason as text only.
    "user_kernels/bench/bench_outcome.py": [
        'return any(cheat in (row.reason or "") for row in rows for cheat in (UNWRITTEN, STALE, TOO_FAST))'
    ],
    # So that a file is called as the user calls it.
    "user_kernels/comparison.py": ["named = sentence.replace(str(file.path), word)"],
}


def test_no_stage_parses_the_sentences_of_another() -> None:
    package = REPOSITORY / "shflbench"
    found: dict[str, list[str]] = {}
    for path in sorted(package.rglob("*.py")):
        for line in path.read_text(encoding="utf-8").splitlines():
            if PARSED.search(line) and " for " not in line.partition(" in ")[0]:
                found.setdefault(path.relative_to(package).as_posix(), []).append(line.strip())
    assert found == SENTENCES_READ


def test_every_dependency_has_its_reason_on_the_page_for_contributors() -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    declared = chain(project["dependencies"], *project["optional-dependencies"].values())
    names = {re.split(r"[<>=]", requirement)[0] for requirement in declared}
    text = (REPOSITORY / "docs" / "contributing" / "dependencies.md").read_text(encoding="utf-8")
    assert {name for name in names if f"`{name}`" not in text} == set()


def test_make_help_lists_every_target() -> None:
    targets = re.findall(r"^([a-z0-9-]+):", (REPOSITORY / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    help_text = subprocess.run(["make", "help"], cwd=REPOSITORY, check=True, capture_output=True, text=True).stdout
    assert [line.split()[1] for line in help_text.splitlines()] == targets


@pytest.mark.archs
def test_no_message_cites_a_page_which_an_installed_copy_lacks() -> None:
    for path, tree in trees().items():
        notes = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}  # docstrings
        texts = [node for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in notes]
        cited = [node.value for node in texts if isinstance(node.value, str) and re.search(r"docs/|\.md\b", node.value)]
        assert not cited, path


def test_each_file_of_the_command_line_parses_options_or_prints() -> None:
    folder = REPOSITORY / "shflbench" / "cli"
    terminal = {
        "click",
        "json",
        "shflbench.core.json_text",
        "mcp.server.stdio",
        *(f"shflbench.cli.{name}" for name in ("console", "layout", "sarif")),
    }
    others = {
        str(path.relative_to(folder))
        for path, tree in trees().items()
        if folder in path.parents and path.name != "__init__.py" and terminal.isdisjoint(imported(tree))
    }
    assert others == {"layout.py"}


def imported(tree: ast.Module) -> set[str]:
    """Return the names of the modules that a file imports anywhere."""
    nodes = list(ast.walk(tree))
    names = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    return names | {str(node.module) for node in nodes if isinstance(node, ast.ImportFrom)}
