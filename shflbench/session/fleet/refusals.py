"""Refuse workers and devices of a cluster that cannot be used, and say why."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING

import shflbench
from shflbench.core.grouping import group_by
from shflbench.store import surroundings

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from shflbench.measure.supervisor import WorkerDevice
    from shflbench.session.fleet.messages import WorkerReport
    from shflbench.store.provenance import Versions

SAME_VERSION = "install the same version on both and start the worker again"
# What a worker raises that has no module, function, field or parameter of this version.
FOREIGN = (ImportError, AttributeError, TypeError)


class Refusals:
    """The reasons why workers or their devices are not used, each a sentence."""

    def __init__(self) -> None:
        """Know no reason yet."""
        self._workers: dict[str, str] = {}  # worker → why none of its devices is used
        self._devices: dict[tuple[str, str], str] = {}  # worker and argument of the opener → why the device is not used
        self._lock = Lock()

    def refuse(self, worker: str, reason: str) -> None:
        """Use no device of a worker."""
        with self._lock:
            self._workers[worker] = reason

    def refuse_device(self, worker: str, argument: str, reason: str) -> None:
        """Use one device of a worker no more."""
        with self._lock:
            self._devices[worker, argument] = reason

    def is_refused(self, worker: str) -> bool:
        """Whether no device of a worker is used."""
        return worker in self._workers

    def keep(self, present: Collection[str]) -> None:
        """Forget workers that are gone: what comes back at their addresses may be sound."""
        with self._lock:
            self._workers = {worker: reason for worker, reason in self._workers.items() if worker in present}
            self._devices = {key: reason for key, reason in self._devices.items() if key[0] in present}

    def sentences(self) -> list[str]:
        """Return all reasons, each once."""
        with self._lock:
            return list(dict.fromkeys([*self._workers.values(), *self._devices.values()]))


def unused_offers(
    reports: Sequence[tuple[str, WorkerReport]], tried: Collection[tuple[str, WorkerDevice]]
) -> Iterator[str]:
    """Yield a sentence about each worker without devices, and each machine with devices that no worker has tried.

    `reports` and `tried` are by worker.
    """
    for worker, report in reports:
        if not report.offers:
            why = f": {report.problem}" if report.problem else ""
            yield f"worker {worker} on {report.host.name} offers no GPU{why}"
    for host, same in group_by(reports, lambda item: item[1].host.name).items():
        workers = [worker for worker, _ in same]
        offered = {offer.place for _, report in same for offer in report.offers}
        if unused := len(offered - {place for worker, place in tried if worker in workers}):
            yield f"the workers on {host} have no threads for {unused} of its GPUs: each needs two, --nthreads"


def version_mismatch(worker: str, host: str, theirs: Versions) -> str:
    """Return the sentence about a worker with another version of shflbench than this client."""
    ours = surroundings.versions()
    return (
        f"worker {worker} on {host} runs another version of shflbench, {_words(theirs)}; this client runs "
        f"{_words(ours)}; {SAME_VERSION}"
    )


def failed_call(worker: str, error: Exception) -> str:
    """Return the sentence about a worker on which a function failed, or that lacks it in this version."""
    if isinstance(error, FOREIGN):
        return (
            f"worker {worker} cannot run shflbench {shflbench.__version__} of this client ({error}): it has another "
            f"version or none; {SAME_VERSION}"
        )
    return f"worker {worker} failed: {type(error).__name__}: {error}"


def _words(versions: Versions) -> str:
    """Return a version with what distinguishes it from others of its number."""
    changed = " with changes" if versions.git_dirty else ""
    commit = f"commit {versions.git_commit[:10]}{changed}, " if versions.git_commit else ""
    return f"{versions.shflbench} ({commit}source {versions.source or 'unknown'})"
