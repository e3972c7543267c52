"""The options that name a Dask cluster: which addresses are refused, and that Dask is imported for them alone."""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

import dask
import pytest

from shflbench.cli.run.fleet import local
from shflbench.cli.run.scheduler import check_address
from shflbench.errors import UsageError
from shflbench.session.fleet.cluster import Tls
from shflbench.session.fleet.offers import describe_worker
from tests.cli.demo import SUITE
from tests.conftest import Command
from tests.fakes.device import Plan, uuid_of
from tests.fakes.machine import install

REPOSITORY = Path(__file__).parents[3]
RUN_ALONE = """\
import sys
from shflbench.cli.main import main
from tests.fakes.device import Plan
from tests.fakes.machine import install
install(Plan.read())
code = main(["run", "demo.yaml", "--output", "run"])
print(code, sorted({"dask", "distributed", "shflbench.session.fleet.cluster"} & set(sys.modules)))
"""


@pytest.mark.parametrize(
    "address", ["tcp://127.0.0.1:8786", "tcp://localhost:8786", "tcp://[::1]:8786", "tls://gpu7.lab:8786"]
)
def test_address_on_this_machine_or_with_encryption_is_accepted(address: str) -> None:
    check_address(address, is_insecure=False)


@pytest.mark.parametrize(
    "address",
    [
        "tcp://10.0.0.7:8786",
        "tcp://gpu7.lab:8786",
        "tcp://127.0.0.1.lab:8786",
        "tcp://localhost.lab:8786",
        "tcp://0.0.0.0:8786",  # all addresses of this machine
        "tcp://[::]:8786",
        "tcp://[2001:db8::7]:8786",
        "tcp://[::ffff:10.0.0.7]:8786",
        "tcp://167772167:8786",  # 10.0.0.7
    ],
)
def test_address_without_encryption_on_another_machine_needs_insecure(address: str) -> None:
    with pytest.raises(UsageError, match="anyone who reaches the port can run code as you"):
        check_address(address, is_insecure=False)
    check_address(address, is_insecure=True)


@pytest.mark.parametrize(
    "address",
    [
        "",
        "gpu7:8786",
        "127.0.0.1:8786",  # Dask would take the scheme from its configuration
        "tcp://gpu7",
        "tcp://:8786",
        "tcp://gpu7:port",
        "tcp://127.0.0.1:0",
        "tcp://127.0.0.1:65536",
        "ws://127.0.0.1:80",
        "wss://gpu7:80",
        "ucx://127.0.0.1:8786",
        "inproc://1/2/3",
        "TLS://gpu7:8786",  # for Dask, another scheme, without encryption
        "tcp://127.0.0.1:8786@gpu7:8786",
        "tcp://user@127.0.0.1:8786",
        "tcp://127.0.0.1:8786/://gpu7:8786",
        "tcp://127.0.0.1:8786?",
        "tcp://127.0.0.1:8786,tcp://gpu7:8786",
        " tcp://127.0.0.1:8786",
        "tcp://127.0.0.1:8786\n",
        "tcp://127.0.0.1:\u0668",  # a digit in Arabic
    ],
)
def test_text_that_is_no_address_is_refused_even_if_insecure(address: str) -> None:
    with pytest.raises(UsageError, match="is not the address of a scheduler"):
        check_address(address, is_insecure=True)


@pytest.mark.parametrize("hosts", [["10.0.0.7"], ["127.0.0.1", "10.0.0.7"], []])
def test_localhost_that_resolves_to_another_machine_is_refused(
    monkeypatch: pytest.MonkeyPatch, hosts: list[str]
) -> None:
    def resolve(*_: object) -> list[tuple[int, int, int, str, tuple[str, int]]]:
        if not hosts:
            raise socket.gaierror
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (host, 0)) for host in hosts]

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    with pytest.raises(UsageError, match="not on this machine"):
        check_address("tcp://localhost:8786", is_insecure=False)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--scheduler", "tcp://10.0.0.7:8786"), "anyone who reaches the port can run code as you"),
        (("--scheduler", "tcp://127.0.0.1:1", "--gpu", "1"), "--gpu names GPUs of this machine, and --scheduler a"),
        (("--scheduler", "tcp://127.0.0.1:1", "--arch", "sm_80"), "--scheduler asks for GPUs, and --arch for none"),
        (("--gpu", "all", "--device", "emulator"), "--gpu all asks for GPUs, and --device emulator for none"),
        (("--gpu", "0,2", "--sms", "4"), "--gpu 0,2 asks for GPUs, and --sms for none"),
        (("--scheduler", "tcp://127.0.0.1:1", "--scheduler-file", "demo.yaml"), "both name a scheduler"),
        (("--scheduler", "tls://127.0.0.1:1", "--tls-ca", "no.pem"), "does not exist"),
        (("--scheduler-file", "demo.yaml"), "it is not JSON Name the file that the scheduler writes: dask scheduler "),
        (("--insecure",), "--insecure is for a cluster"),
        (("--wait-for", "2"), "--wait-for is for a cluster"),
        (("--shard",), "--shard needs several GPUs"),
        (("--scheduler", "tls://127.0.0.1:1"), "needs certificates"),
    ],
)
def test_options_that_contradict_one_another_end_the_run_before_it_starts(
    run: Command, words: tuple[str, ...], sentence: str
) -> None:
    outcome = run("demo.yaml", *words)
    assert outcome.code == 2
    assert sentence in " ".join(outcome.err.split())
    assert not Path("results").exists()


@pytest.mark.parametrize(
    ("address", "sentence"),
    [
        ("tcp://10.0.0.7:8786", "tcp://10.0.0.7:8786 is not encrypted"),
        ("ucx://10.0.0.7:8786", "`ucx://10.0.0.7:8786` is not the address of a scheduler"),
        (["tcp://127.0.0.1:8786"], "is not the address of a scheduler"),
        (None, "scheduler.json is not a scheduler file: it has no `address`"),
    ],
)
def test_scheduler_file_is_checked_like_an_address(run: Command, address: object, sentence: str) -> None:
    content = {"address": address} if address else ["tcp://127.0.0.1:8786"]
    Path("scheduler.json").write_text(json.dumps(content), encoding="utf-8")
    outcome = run("demo.yaml", "--scheduler-file", "scheduler.json")
    assert outcome.code == 2
    assert sentence in " ".join(outcome.err.split())


def test_configuration_that_requires_encryption_refuses_tcp(run: Command) -> None:
    with dask.config.set({"distributed.comm.require-encryption": True}):
        outcome = run("demo.yaml", "--scheduler", "tcp://127.0.0.1:1")
    assert outcome.code == 2
    assert "Dask's configuration requires encryption" in outcome.err


@pytest.mark.parametrize("words", [("--gpu", "all"), ("--scheduler", "tcp://127.0.0.1:1")])
def test_without_dask_the_command_that_installs_it_is_named(
    run: Command, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    monkeypatch.setattr(local, "find_spec", lambda _: None)
    install(Plan(gpus=2), monkeypatch.setattr)
    outcome = run("demo.yaml", *words)
    assert outcome.code == 4
    assert "needs Dask, which is not installed" in outcome.err
    assert "pip install '.[fleet]'" in outcome.err


@pytest.mark.archs
def test_run_on_one_gpu_imports_no_dask(tmp_path: Path, kernel_cache: Path) -> None:
    (tmp_path / "demo.yaml").write_text(SUITE, encoding="utf-8")
    environment = {"PYTHONPATH": os.pathsep.join([str(REPOSITORY), *sys.path]), "SHFLBENCH_CACHE": str(kernel_cache)}
    done = subprocess.run(
        [sys.executable, "-c", RUN_ALONE],
        cwd=tmp_path,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines()[-1] == "0 []"


def test_tls_files_are_taken_from_the_options() -> None:
    security = Tls("ca.pem", "client.pem", "client.key").security("tls://gpu7.lab:8786")
    assert security
    assert (security.tls_ca_file, security.tls_client_cert, security.tls_client_key, security.require_encryption) == (
        "ca.pem",
        "client.pem",
        "client.key",
        True,
    )
    assert Tls("ca.pem").security("tcp://127.0.0.1:8786") is None


@pytest.mark.parametrize(
    ("visible", "offered"),
    [(None, ["0", "1", "2"]), ("2", ["0"]), ("5", []), ("", [])],
)
def test_worker_offers_the_gpus_that_cuda_may_use(
    monkeypatch: pytest.MonkeyPatch, visible: str | None, offered: list[str]
) -> None:
    install(Plan(gpus=3), monkeypatch.setattr)
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    if visible is not None:
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", visible)
    offers = describe_worker(10.0).offers
    assert [offer.place.argument for offer in offers] == offered
    numbers = [int(visible)] if visible else range(3)
    assert [offer.uuid for offer in offers] == [uuid_of(number) for number in numbers][: len(offered)]
