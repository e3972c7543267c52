"""Connections to a scheduler that fail: the sentence names the file or the side that is wrong."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from distributed import LocalCluster, Security

from shflbench.errors import DeviceError, ShflbenchError, UsageError
from shflbench.session.fleet import cluster
from shflbench.session.fleet.cluster import Tls, connect
from tests.session.fleet.certificates import CERTIFICATES

AUTHORITY = "Give the certificate authority that it belongs to: --tls-ca. Replace certificates that have expired."

CLOSED = (
    "Its log says why. Most often it does not accept the client's certificate (--tls-cert), or it does not use TLS."
)


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the certificates `ours.pem` and `theirs.pem` and their keys."""
    return Path(shutil.copytree(CERTIFICATES, tmp_path_factory.mktemp("keys") / "tls"))


@pytest.fixture(scope="module")
def schedulers(keys: Path) -> Iterator[dict[str, str]]:
    """Start a scheduler of either kind, without workers, and return their addresses by protocol."""
    ours = str(keys / "ours.pem")
    tls = Security(
        require_encryption=True,
        tls_ca_file=ours,
        tls_scheduler_cert=ours,
        tls_scheduler_key=str(keys / "ours.key"),
        tls_client_cert=ours,
        tls_client_key=str(keys / "ours.key"),
    )
    plain = Security(require_encryption=False)
    made = {
        protocol: LocalCluster(
            n_workers=0, host="127.0.0.1", protocol=f"{protocol}://", security=security, dashboard_address="127.0.0.1:0"
        )
        for protocol, security in (("tls", tls), ("tcp", plain))
    }
    yield {protocol: one.scheduler_address for protocol, one in made.items()}
    for one in made.values():
        one.close()


def refusal(address: str, tls: Tls) -> ShflbenchError:
    with pytest.raises(ShflbenchError) as caught:
        connect(address, tls)
    return caught.value


def test_certificate_of_another_authority_is_named(keys: Path, schedulers: dict[str, str]) -> None:
    theirs = Tls(str(keys / "theirs.pem"), str(keys / "theirs.pem"), str(keys / "theirs.key"))
    error = refusal(schedulers["tls"], theirs)
    assert isinstance(error, DeviceError)
    assert error.message.startswith(
        f"the certificate of the Dask scheduler at {schedulers['tls']} is not accepted: self"
    )
    assert error.advice == AUTHORITY


def test_scheduler_that_does_not_accept_the_client_closes_the_connection(
    keys: Path, schedulers: dict[str, str]
) -> None:
    unknown = Tls(str(keys / "ours.pem"), str(keys / "theirs.pem"), str(keys / "theirs.key"))
    error = refusal(schedulers["tls"], unknown)
    assert error.message == f"the Dask scheduler at {schedulers['tls']} closed the connection"
    assert error.advice == CLOSED


def test_either_side_without_tls_is_named(keys: Path, schedulers: dict[str, str]) -> None:
    ours = Tls(str(keys / "ours.pem"), str(keys / "ours.pem"), str(keys / "ours.key"))
    error = refusal(schedulers["tcp"].replace("tcp://", "tls://"), ours)
    assert error.message.endswith(" does not use TLS") or error.advice == CLOSED  # whoever is faster
    error = refusal(schedulers["tls"].replace("tls://", "tcp://"), Tls())
    assert error.message.endswith(" closed the connection")
    assert error.advice == "Its log says why. It may require tls://."


def test_scheduler_that_nobody_runs_cannot_be_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "RECONNECT_SECONDS", 1.0)
    error = refusal("tcp://127.0.0.1:1", Tls())
    assert error.message == "the Dask scheduler at tcp://127.0.0.1:1 cannot be reached within 1 s"


@pytest.mark.parametrize(
    ("files", "sentence"),
    [
        (("missing.pem", "ours.pem", "ours.key"), "{}/missing.pem cannot be read: No such file or directory"),
        (("ours.key", "ours.pem", "ours.key"), "{}/ours.key contains no certificate in PEM format"),
        (
            ("ours.pem", "ours.key", "ours.pem"),
            "{}/ours.key is no certificate in PEM format, or its private key is not in {}/ours.pem",
        ),
        (
            ("ours.pem", "ours.pem", "theirs.key"),
            "{}/ours.pem is no certificate in PEM format, or its private key is not in {}/theirs.key",
        ),
        (
            ("ours.pem", "ours.pem", None),
            "{}/ours.pem is no certificate in PEM format, or its private key is not in {}/ours.pem",
        ),
    ],
)
def test_files_that_cannot_be_used_are_named_before_the_connection(
    keys: Path, files: tuple[str | None, ...], sentence: str
) -> None:
    error = refusal("tls://127.0.0.1:1", Tls(*(str(keys / file) if file else None for file in files)))
    assert isinstance(error, UsageError)
    assert error.message == sentence.format(keys, keys)
    assert error.advice == "correct --tls-ca, --tls-cert and --tls-key, or Dask's configuration"
