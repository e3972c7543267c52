"""What `run.json` says about a run: everything that a reader needs to judge or repeat it (standard library only)."""

from __future__ import annotations

import json
import re
from dataclasses import asdict, dataclass, fields
from hashlib import sha256
from typing import TYPE_CHECKING

from shflbench.errors import ResultsError
from shflbench.model import Device, DeviceState
from shflbench.store.columns import SCHEMA
from shflbench.store.fields import Fields
from shflbench.store.files import RESTORE

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from shflbench.store.fields import Json


@dataclass(frozen=True, slots=True)
class SuiteText:
    """The suite as it was when the run started."""

    name: str
    title: str
    path: str
    text: str  # verbatim

    @property
    def sha256(self) -> str:
        """The hash of the text, in hex: tells two editions of a suite apart."""
        return sha256(self.text.encode(errors="surrogatepass")).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Versions:
    """The versions of everything that shapes a time; None for what the run did not use or could not find out."""

    python: str
    shflbench: str
    numpy: str | None = None
    cupy: str | None = None
    nvrtc: str | None = None
    nvdisasm: str | None = None
    driver: str | None = None
    cuda: str | None = None  # the newest CUDA version that the driver supports
    git_commit: str | None = None  # of shflbench, where it runs from a checkout
    git_dirty: bool | None = None  # whether that checkout held changes
    source: str | None = None  # hash of shflbench's own files, which tells editions apart where there is no git


@dataclass(frozen=True, slots=True)
class Host:
    """The machine around the GPU."""

    name: str
    platform: str
    cpu: str
    cores: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RunInfo:
    """One run: what was asked, of which machine, with which software, and when."""

    suite: SuiteText
    settings: Mapping[str, Json]  # every setting in force, verbatim
    argv: tuple[str, ...]
    versions: Versions
    device: Device | None  # None where no GPU was used
    backend: str  # cuda, emulator or none
    arch: str
    host: Host
    started: str  # UTC, ISO 8601
    finished: str | None = None  # None until the last row is on disk
    resumed: tuple[str, ...] = ()  # when a stopped run was continued, UTC
    notes: tuple[str, ...] = ()  # on warm-up and clock, a sentence each
    others_after: int | None = None  # other processes on the GPU at the end; at the start: `device.state`
    noise: Mapping[str, Json] | None = None  # how quiet the GPU was over the run: verdict, sentence and advice
    sentinels: Mapping[str, Json] | None = None  # the frozen kernels that ran in every round: their version
    schema: int = SCHEMA

    def to_json(self) -> str:
        """Return the text of `run.json`."""
        content = asdict(self)
        content["suite"]["sha256"] = self.suite.sha256
        ordered = {"schema": content.pop("schema"), **content}
        return json.dumps(ordered, indent=2, ensure_ascii=False) + "\n"

    @classmethod
    def from_json(cls, text: str, path: Path) -> RunInfo:
        """Read the text of the `run.json` at `path`.

        ResultsError if it is no JSON, lacks a key, holds a value of the wrong kind or is of a newer schema.
        """
        top = Fields.parse(text, path).padded("others_after", "noise", "sentinels")
        refuse_newer(top.integer("schema"), path)
        suite, versions, host = top.part("suite"), top.part("versions"), top.part("host")
        if not re.fullmatch(r"[a-z0-9-]+", suite.text("name")):  # it names a folder of charts
            raise ResultsError(f"{path}: `suite.name` is {suite.text('name')!r}, not the name of a suite", RESTORE)
        info = cls(
            suite=SuiteText(suite.text("name"), suite.text("title"), suite.text("path"), suite.text("text")),
            settings=top.mapping("settings"),
            argv=top.texts("argv"),
            versions=_versions(versions),
            device=_device(top.part("device")) if top.has("device") else None,
            backend=top.text("backend"),
            arch=top.text("arch"),
            host=Host(host.text("name"), host.text("platform"), host.text("cpu"), host.integer("cores")),
            started=top.text("started"),
            finished=top.optional_text("finished"),
            resumed=top.texts("resumed"),
            notes=top.texts("notes"),
            others_after=top.optional_integer("others_after"),
            noise=_noise(top),
            sentinels=top.optional_mapping("sentinels"),
            schema=top.integer("schema"),
        )
        if info.suite.sha256 != suite.text("sha256"):
            raise ResultsError(f"{path}: the suite's text does not match its hash: the file was edited", RESTORE)
        return info


def refuse_newer(schema: int, path: Path) -> None:
    """Raise ResultsError where the files of a run were written by a later shflbench than this one."""
    if schema > SCHEMA:
        raise ResultsError(
            f"{path} has schema {schema}, and this shflbench reads schemas up to {SCHEMA}",
            "read it with a newer one: pip install --upgrade shflbench",
        )


def _noise(top: Fields) -> Mapping[str, Json] | None:
    if not top.has("noise"):
        return None
    item = top.part("noise")
    return {key: item.text(key) for key in ("verdict", "sentence", "advice")}


def _versions(item: Fields) -> Versions:
    item = item.padded("source")
    return Versions(
        python=item.text("python"),
        shflbench=item.text("shflbench"),
        numpy=item.optional_text("numpy"),
        cupy=item.optional_text("cupy"),
        nvrtc=item.optional_text("nvrtc"),
        nvdisasm=item.optional_text("nvdisasm"),
        driver=item.optional_text("driver"),
        cuda=item.optional_text("cuda"),
        git_commit=item.optional_text("git_commit"),
        git_dirty=item.optional_boolean("git_dirty"),
        source=item.optional_text("source"),
    )


def _device(item: Fields) -> Device:
    item = item.padded("state")
    return Device(
        name=item.text("name"),
        uuid=item.text("uuid"),
        arch=item.text("arch"),
        sms=item.integer("sms"),
        max_shared_bytes=item.integer("max_shared_bytes"),
        memory_bytes=item.integer("memory_bytes"),
        clock_mhz=item.integer("clock_mhz"),
        driver=item.text("driver"),
        cuda=item.text("cuda"),
        index=item.integer("index"),
        threads_per_sm=item.integer("threads_per_sm"),
        state=_state(item.part("state")) if item.has("state") else DeviceState(),
    )


def _state(item: Fields) -> DeviceState:
    item = item.padded(*(field.name for field in fields(DeviceState)))
    return DeviceState(
        pci_bus=item.optional_text("pci_bus"),
        l2_bytes=item.optional_integer("l2_bytes"),
        max_memory_clock_mhz=item.optional_integer("max_memory_clock_mhz"),
        application_clock_mhz=item.optional_integer("application_clock_mhz"),
        application_memory_clock_mhz=item.optional_integer("application_memory_clock_mhz"),
        ecc=item.optional_boolean("ecc"),
        mig=item.optional_boolean("mig"),
        persistence=item.optional_boolean("persistence"),
        compute_mode=item.optional_text("compute_mode"),
        power_limit_w=item.optional_number("power_limit_w"),
        memory_used_bytes=item.optional_integer("memory_used_bytes"),
        other_processes=item.optional_integer("other_processes"),
    )
