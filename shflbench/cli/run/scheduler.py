"""The options of `run` that name a Dask cluster, and the check that its connection is safe; imports no Dask."""

from __future__ import annotations

import ipaddress
import re
import socket
from dataclasses import dataclass, fields
from pathlib import Path

import click

from shflbench.cli.help import option
from shflbench.cli.parameters import GivenPath
from shflbench.core.files import read_source
from shflbench.core.json_text import DuplicateKeyError, parse
from shflbench.core.words import flat
from shflbench.errors import UsageError

FILE = GivenPath(exists=True, dir_okay=False, path_type=Path)
# All of the text: Dask splits it by other rules than those of URLs, so that a user name or a path could hide a host.
ADDRESS = re.compile(r"(?P<scheme>tcp|tls)://(?P<host>[A-Za-z0-9_.-]+|\[[0-9A-Fa-f:.]+\]):(?P<port>[0-9]{1,5})")
MOST_PORT = 65535
LOCALHOST = "localhost"
WRITE = "name the file that the scheduler writes: dask scheduler --scheduler-file FILE"
FORMS = "tls://HOST:PORT, or tcp://HOST:PORT on this machine"

CONNECTION = (
    option(
        "--scheduler",
        metavar="ADDRESS",
        help="Run the suite on all GPUs of the Dask cluster whose scheduler is at tls://HOST:PORT.",
    ),
    option(
        "--scheduler-file",
        metavar="FILE",
        type=FILE,
        help="Read the address from the scheduler's file.",
    ),
    option(
        "--wait-for",
        metavar="N",
        type=click.IntRange(min=1),
        help="Start when the cluster has N GPUs.",
        show_default="1",
    ),
    option("--tls-ca", metavar="FILE", type=FILE, help="Certificate authority for tls://, a PEM file."),
    option("--tls-cert", metavar="FILE", type=FILE, help="Certificate of this client, a PEM file."),
    option("--tls-key", metavar="FILE", type=FILE, help="Private key of that certificate, a PEM file."),
    option(
        "--insecure",
        is_flag=True,
        help="Accept a tcp:// scheduler on another machine: anyone who reaches its port, or that of a worker, can run "
        "code as you.",
    ),
)

SHARD = option(
    "--shard",
    is_flag=True,
    help="Divide the cases among the GPUs of each model.",
)


@dataclass(frozen=True, slots=True)
class ConnectionOptions:
    """The values of `CONNECTION`."""

    scheduler: str | None = None
    scheduler_file: Path | None = None
    wait_for: int | None = None
    tls_ca: Path | None = None
    tls_cert: Path | None = None
    tls_key: Path | None = None
    insecure: bool = False


CONNECTION_NAMES = tuple(item.name for item in fields(ConnectionOptions))


@dataclass(frozen=True, slots=True)
class SchedulerChoice:
    """A scheduler and how it is reached; its address was checked."""

    address: str
    tls_ca: Path | None = None
    tls_cert: Path | None = None
    tls_key: Path | None = None
    insecure: bool = False

    @property
    def words(self) -> list[str]:
        """The options that a resumed run needs again; the address is in its record."""
        files = {"--tls-ca": self.tls_ca, "--tls-cert": self.tls_cert, "--tls-key": self.tls_key}
        words = [word for flag, file in files.items() if file for word in (flag, str(file))]
        return [*words, *(["--insecure"] if self.insecure else [])]


def scheduler_of(options: ConnectionOptions, recorded: str = "") -> SchedulerChoice | None:
    """Return the scheduler that the options name, or the one `recorded` in a stopped run; None if there is none.

    UsageError for an address that is malformed or not safe.
    """
    address, file = options.scheduler, options.scheduler_file
    if address and file:
        raise UsageError("--scheduler and --scheduler-file both name a scheduler", "leave one of them out")
    address = address or (_address_in(file) if file else recorded)
    if not address:
        for name in CONNECTION_NAMES[2:]:
            if getattr(options, name):
                flag = f"--{name.replace('_', '-')}"
                raise UsageError(f"{flag} is for a cluster, and no option names one", "add --scheduler ADDRESS")
        return None
    check_address(address, is_insecure=options.insecure)
    return SchedulerChoice(address, options.tls_ca, options.tls_cert, options.tls_key, options.insecure)


def check_address(address: str, *, is_insecure: bool) -> None:
    """Raise UsageError for an address that names no scheduler, or one that anybody on the network could use."""
    parts = ADDRESS.fullmatch(address)
    if not parts or not 0 < int(parts["port"]) <= MOST_PORT:
        raise UsageError(f"`{flat(address)}` is not the address of a scheduler", f"write {FORMS}")
    host = parts["host"].removeprefix("[").removesuffix("]")
    if parts["scheme"] == "tcp" and not _is_loopback(host) and not is_insecure:
        raise UsageError(
            f"{address} is not encrypted and not on this machine: anyone who reaches the port can run code as you",
            "use tls://, an ssh tunnel to 127.0.0.1, or --insecure on a network that you trust",
        )


def _is_loopback(host: str) -> bool:
    """Whether only this machine has the address. Of names, only localhost: a name server may resolve others anew."""
    try:
        hosts = [str(info[4][0]) for info in socket.getaddrinfo(host, None)] if host == LOCALHOST else [host]
        return all(ipaddress.ip_address(one).is_loopback for one in hosts)
    except (OSError, ValueError):
        return False


def _address_in(file: Path) -> str:
    """Return the address in a scheduler file; UsageError if there is none."""
    try:
        content = parse(read_source(file))
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror or error}", WRITE) from error
    except DuplicateKeyError as error:
        raise UsageError(f"{file} is not a scheduler file: {error}", WRITE) from error
    except (RecursionError, ValueError) as error:
        raise UsageError(f"{file} is not a scheduler file: it is not JSON", WRITE) from error
    if not isinstance(content, dict) or "address" not in content:
        raise UsageError(f"{file} is not a scheduler file: it has no `address`", WRITE)
    return str(content["address"])
