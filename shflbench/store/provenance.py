"""The content of `run.json`: everything that a reader needs to judge a run or repeat it."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from functools import cache
from hashlib import sha256
from typing import TYPE_CHECKING

from shflbench.core.model import Device, Noise, Overrides  # noqa: TC001  (pydantic takes the types from the annotations)
from shflbench.core.thresholds import Thresholds  # noqa: TC001  (likewise)
from shflbench.errors import ResultsError
from shflbench.store.columns import SCHEMA
from shflbench.store.json_record import decode, encode
from shflbench.store.record_values import ARCH, NAME, check_amounts, check_moments, check_suite, wrong_value
from shflbench.store.run_files import RESTORE, is_of_bench
from shflbench.suite.revision import thresholds_of

if TYPE_CHECKING:
    from pathlib import Path

    from pydantic import TypeAdapter


BACKENDS: tuple[str, ...] = ("cuda", "emulator", "none")  # of a run that shflbench measured itself


@dataclass(frozen=True, slots=True)
class SuiteText:
    """The suite as it was when the run started."""

    name: str
    title: str
    path: str
    text: str  # verbatim
    sha256: str = field(init=False)  # of the text, in hex: distinguishes two revisions of a suite

    def __post_init__(self) -> None:
        """Hash the text."""
        object.__setattr__(self, "sha256", sha256(self.text.encode(errors="surrogatepass")).hexdigest())


@dataclass(frozen=True, slots=True, kw_only=True)
class Versions:
    """The versions of all that affects a time; None where the run did not use it or could not find out."""

    python: str
    shflbench: str
    numpy: str | None
    cupy: str | None
    nvrtc: str | None
    nvdisasm: str | None
    driver: str | None
    cuda: str | None  # the newest CUDA version that the driver supports
    git_commit: str | None  # of shflbench, where it runs from a checkout
    git_dirty: bool | None  # whether files of that checkout differed from the commit
    source: str | None = None  # hash of shflbench's own files, which distinguishes versions where there is no git
    cccl: str | None = None  # of the headers of CUB and libcu++
    compiler_build: str | None = None  # hash of what tells builds of the compiler and of the CUDA headers apart


@dataclass(frozen=True, slots=True)
class SuiteRevision:
    """The commit of the repository that holds the suite."""

    commit: str
    dirty: bool | None  # whether tracked files differed from it, or the suite is not in it; None if unknown


@dataclass(frozen=True, slots=True)
class Host:
    """The machine around the GPU."""

    name: str
    platform: str
    cpu: str
    cores: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSettings:
    """Every setting in force; None where an older shflbench did not have it."""

    precision: float | None = None  # up to `timeout`: see MeasureRules
    min_seconds: float | None = None
    max_seconds: float | None = None
    min_samples: int | None = None
    max_samples: int | None = None
    processes: int | None = None
    places: int | None = None
    timeout: float | None = None
    seed: int | None = None  # of all random choices
    input_sets: int | None = None  # that each case was verified with
    sms: int | None = None  # None where no launch depends on it
    overrides: Overrides | None = None


@dataclass(frozen=True, slots=True)
class SentinelSet:
    """The frozen kernels that ran in every round."""

    version: str | None


@dataclass(frozen=True, slots=True)
class ConvertedProcess:
    """One process of another tool, and the file that it wrote."""

    file: str  # as it was given
    sha256: str  # of the file and then of its binary samples in their order, in hex
    started: str | None  # UTC, ISO 8601; None where the file does not say it
    host: str | None  # name of the machine, likewise


@dataclass(frozen=True, slots=True)
class Conversion:
    """The files of another tool that a run was converted from."""

    tool: str  # value of `BenchmarkTool`
    version: str | None  # of the tool
    processes: tuple[ConvertedProcess, ...]  # the place is the number of the process in the samples


@dataclass(frozen=True, slots=True, kw_only=True)
class RunInfo:
    """One run: what was to be measured, on which machine, with which software, and when."""

    suite: SuiteText
    settings: RunSettings
    argv: tuple[str, ...]
    versions: Versions
    device: Device | None  # None where no GPU was used
    backend: str  # cuda, emulator or none
    arch: str
    host: Host
    started: str  # UTC, ISO 8601
    finished: str | None  # None until the last row is on disk
    resumed: tuple[str, ...]  # when a stopped run was continued, UTC
    notes: tuple[str, ...]  # remarks, a sentence each
    others_after: int | None = None  # other processes on the GPU at the end; at the start: `device.state`
    noise: Noise | None = None  # how quiet the GPU was during the run
    sentinels: SentinelSet | None = None
    thresholds: Thresholds | None = None  # those of the suite, for comparing the run; None in older runs
    waits_for_memory: tuple[str, ...] | None = None  # variants, as pattern/variant; None in older runs
    converted: Conversion | None = None  # None where shflbench measured the run itself
    revision: SuiteRevision | None = None  # None where the suite is in no repository, and in older runs

    def to_json(self) -> str:
        """Return the text of `run.json`."""
        return encode(self, SCHEMA)

    @classmethod
    def from_json(cls, text: str, path: Path) -> RunInfo:
        """Read the text of the `run.json` at `path`.

        ResultsError if it is no JSON, lacks a key, holds a value of the wrong kind or is of a newer schema.
        """
        info = decode(_adapter, text, path, SCHEMA)
        _check(info, path)
        if json.loads(text)["suite"].get("sha256") != info.suite.sha256:
            raise ResultsError(f"{path}: the suite's text does not match its hash: the file was edited", RESTORE)
        return info

    @property
    def thresholds_in_force(self) -> Thresholds:
        """The thresholds of the suite; of older runs, which did not record them, read from the suite's text."""
        return thresholds_of(self.suite.text) if self.thresholds is None else self.thresholds

    def advice_if_unfinished(self, folder: Path) -> str:
        """Return what to do about the run of a folder that was stopped."""
        return "start bench again" if is_of_bench(self.argv) else f"resume it: shflbench run --resume {folder}"

    @property
    def sentinel_version(self) -> str:
        """The version of the sentinels; empty where there were none."""
        return (self.sentinels and self.sentinels.version) or ""


def _check(info: RunInfo, path: Path) -> None:
    """Raise ResultsError, with the field, for a value that no run writes."""
    check_suite(info.suite.name, path, "suite.name")
    archs, backends = [info.arch], BACKENDS
    if info.converted:  # other tools may have recorded neither GPU nor time
        archs, backends = [arch for arch in info.arch.split(", ") if arch], (*BACKENDS, info.converted.tool)
    if info.backend not in backends or not NAME.fullmatch(info.backend):
        raise wrong_value(path, "backend", info.backend, f"one of {', '.join(backends)}")
    if not all(map(ARCH.fullmatch, archs)):
        raise wrong_value(path, "arch", info.arch, "an architecture such as sm_90")
    moments = {f"resumed.{place}": moment for place, moment in enumerate(info.resumed)}
    if info.started or not info.converted:
        moments |= {"started": info.started, "finished": info.finished or info.started}
    check_moments(moments, path)
    parts = {"settings": info.settings, "device": info.device, "host": info.host}
    amounts = {f"{name}.{key}": value for name, part in parts.items() if part for key, value in asdict(part).items()}
    check_amounts({**amounts, "others_after": info.others_after}, path)


@cache
def _adapter() -> TypeAdapter[RunInfo]:
    from pydantic import TypeAdapter  # noqa: PLC0415  (slow to import, and only readers need it)

    return TypeAdapter(RunInfo)
