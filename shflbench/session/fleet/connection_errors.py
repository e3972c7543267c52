"""Why the connection to a Dask scheduler fails: its certificates, its protocol, or no scheduler at the address."""

from __future__ import annotations

import ssl
from typing import TYPE_CHECKING

from shflbench.errors import DeviceError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

FILES = "correct --tls-ca, --tls-cert and --tls-key, or Dask's configuration"


def check_files(ca: str, certificate: str, key: str | None) -> None:
    """Raise UsageError where a client cannot use these files: Dask would say that nobody answers.

    Without `key`, the certificate's file holds it, too. Values with several lines are contents of files.
    """
    given = [value for value in (ca, certificate, key) if value]
    if any("\n" in value for value in given):  # from Dask's configuration
        return
    for path in given:
        try:
            with open(path, "rb"):  # noqa: PTH123  (Dask opens the same text)
                pass
        except OSError as error:
            raise UsageError(f"{path} cannot be read: {error.strerror}", FILES) from error
    try:
        context = ssl.create_default_context(cafile=ca)
    except ssl.SSLError as error:
        raise UsageError(f"{ca} contains no certificate in PEM format", FILES) from error
    try:
        context.load_cert_chain(certificate, key)
    except ssl.SSLError as error:
        of_key = key or certificate
        raise UsageError(
            f"{certificate} is no certificate in PEM format, or its private key is not in {of_key}", FILES
        ) from error


def unreachable(address: str, error: BaseException, seconds: float) -> DeviceError:
    """Return the error of a connection that failed with `error` after at most so many `seconds`."""
    scheduler = f"the Dask scheduler at {address}"
    for cause in _causes(error):
        if isinstance(cause, ssl.SSLCertVerificationError):
            return DeviceError(
                f"the certificate of {scheduler} is not accepted: {cause.verify_message}",
                "Give the certificate authority that it belongs to: --tls-ca. Replace certificates that have expired.",
            )
        if isinstance(cause, ssl.SSLError) and cause.reason == "WRONG_VERSION_NUMBER":
            return DeviceError(f"{scheduler} does not use TLS", "Start it with --protocol tls.")
    if not str(error).startswith("Timed out"):  # Dask's words
        if address.startswith("tls://"):
            why = "Most often it does not accept the client's certificate (--tls-cert), or it does not use TLS."
        else:
            why = "It may require tls://."
        return DeviceError(f"{scheduler} closed the connection", f"Its log says why. {why}")
    return DeviceError(
        f"{scheduler} cannot be reached within {seconds:.0f} s", "Check the address, and that the scheduler runs."
    )


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an error and what led to it."""
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
