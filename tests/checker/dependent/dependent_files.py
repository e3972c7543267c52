"""Files with kernels whose launches overlap: what their first lines say, and how they are checked."""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from shflbench.checker.dependent.conflicts import MissingOrder
from shflbench.checker.file_check import check_file
from shflbench.checker.inputs.overlaps import parse_chain, parse_same
from shflbench.checker.inputs.shapes import parse_shape
from shflbench.checker.options import FileOptions, LaunchOptions
from shflbench.checker.report import KernelReport
from shflbench.cuda_sources.kernel_file import CompileOptions
from shflbench.cuda_sources.read_options import Compilers
from tests import kernels

FOLDER = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class DependentFile:
    """One file: what is wrong with the last of its kernels, and how the launches overlap."""

    path: Path
    text: str

    @property
    def name(self) -> str:
        """The name without its ending."""
        return self.path.stem

    @property
    def has_host_code(self) -> bool:
        """Whether the file launches its kernels itself."""
        return "main()" in self.text

    @property
    def broken(self) -> tuple[str, str, MissingOrder]:
        """The verdict, the kind of the finding, and the missing order."""
        match = re.match(r"// (broken|doubtful|needs arguments): (\w+) (\w+)$", self.text, re.MULTILINE)
        assert match, self.path
        return match[1], match[2], MissingOrder[match[3]]

    @property
    def fixed(self) -> tuple[str, MissingOrder | None]:
        """The verdict after the fix, and the order that some text still misses."""
        match = re.search(r"^// fixed: (\w+) (\w+)$", self.text, re.MULTILINE)
        return (match[1], MissingOrder[match[2]]) if match else ("clean", None)

    def line(self, mark: str) -> int:
        """Return the number of the line that ends with a comment."""
        return next(number for number, line in enumerate(self.text.splitlines(), 1) if line.endswith(f"// {mark}"))

    def listed(self, name: str) -> list[str]:
        """Return the values of one kind of line at the top."""
        return re.findall(rf"^// {name}: (.*)", self.text, re.MULTILINE)

    def check(self, cache: Path, *define: str) -> KernelReport:
        """Return the report on the last kernel; the file is checked once, whatever several tests look at."""
        return _report(self, cache, define)


@cache
def _report(file: DependentFile, folder: Path, define: tuple[str, ...]) -> KernelReport:
    options = FileOptions(
        compile=CompileOptions(arch=next(iter(file.listed("arch")), "sm_90"), define=define),
        compilers=Compilers(kernels.tools(), cache=folder),
        given=LaunchOptions(
            launches=() if file.has_host_code else (parse_shape("4x128"),),
            pdl=tuple(map(parse_chain, file.listed("pdl"))),
            same=tuple(map(parse_same, file.listed("same"))),
        ),
        outputs=False,
    )
    return check_file(file.path, options).kernels[-1]


def dependent_files(folder: str) -> list[DependentFile]:
    """Return the files of a folder, in the order of their names."""
    return [DependentFile(path, path.read_text(encoding="utf-8")) for path in sorted((FOLDER / folder).glob("*.cu"))]
