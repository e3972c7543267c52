"""The options that name a Dask cluster: which addresses are refused, and that Dask is imported for them alone."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from shflbench.cli.run.fleet import local
from shflbench.cli.run.fleet.members import divide
from shflbench.cli.run.fleet.offers import describe_worker
from shflbench.cli.run.scheduler import check_address
from shflbench.errors import UsageError
from shflbench.fleet.cluster import Tls
from tests.cli.demo import SUITE
from tests.conftest import Command
from tests.fakes import machine

REPOSITORY = Path(__file__).parents[3]
RUN_ALONE = """\
import sys
from shflbench.cli.main import main
from tests.fakes.machine import Plan, install
install(Plan.read())
code = main(["run", "demo.yaml", "--output", "run"])
print(code, sorted({"dask", "distributed", "shflbench.fleet"} & set(sys.modules)))
"""


@pytest.mark.parametrize(
    "address", ["tcp://127.0.0.1:8786", "tcp://localhost:8786", "tcp://[::1]:8786", "tls://gpu7.lab:8786"]
)
def test_address_on_this_machine_or_with_encryption_is_accepted(address: str) -> None:
    check_address(address, is_insecure=False)


@pytest.mark.parametrize(
    "address", ["tcp://10.0.0.7:8786", "tcp://gpu7.lab:8786", "tcp://127.0.0.1.lab:8786", "tcp://0.0.0.0:8786"]
)
def test_address_without_encryption_on_another_machine_needs_insecure(address: str) -> None:
    with pytest.raises(UsageError, match="anyone who reaches the port can run code as you"):
        check_address(address, is_insecure=False)
    check_address(address, is_insecure=True)


@pytest.mark.parametrize(
    "address", ["", "gpu7:8786", "tcp://gpu7", "tcp://:8786", "tcp://gpu7:port", "ws://127.0.0.1:80", "inproc://1/2/3"]
)
def test_text_that_is_no_address_is_refused_even_if_insecure(address: str) -> None:
    with pytest.raises(UsageError, match="is not the address of a scheduler"):
        check_address(address, is_insecure=True)


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--scheduler", "tcp://10.0.0.7:8786"), "anyone who reaches the port can run code as you"),
        (("--scheduler", "tcp://127.0.0.1:1", "--gpu", "1"), "--gpu names GPUs of this machine"),
        (("--scheduler", "tcp://127.0.0.1:1", "--arch", "sm_80"), "a cluster asks for GPUs"),
        (("--scheduler", "tcp://127.0.0.1:1", "--scheduler-file", "demo.yaml"), "both name a scheduler"),
        (("--scheduler", "tls://127.0.0.1:1", "--tls-ca", "no.pem"), "does not exist"),
        (("--scheduler-file", "demo.yaml"), "demo.yaml is not a scheduler file"),
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


def test_scheduler_file_is_checked_like_an_address(run: Command) -> None:
    Path("scheduler.json").write_text(json.dumps({"address": "tcp://10.0.0.7:8786"}), encoding="utf-8")
    outcome = run("demo.yaml", "--scheduler-file", "scheduler.json")
    assert outcome.code == 2
    assert "tcp://10.0.0.7:8786 is not encrypted" in outcome.err


@pytest.mark.parametrize("words", [("--gpu", "all"), ("--scheduler", "tcp://127.0.0.1:1")])
def test_without_dask_the_command_that_installs_it_is_named(
    run: Command, monkeypatch: pytest.MonkeyPatch, words: tuple[str, ...]
) -> None:
    monkeypatch.setattr(local, "find_spec", lambda _: None)
    machine.install(machine.Plan(gpus=2), monkeypatch.setattr)
    outcome = run("demo.yaml", *words)
    assert outcome.code == 4
    assert "needs Dask, which is not installed" in outcome.err
    assert "pip install '.[fleet]'" in outcome.err


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
    [(None, ["0", "1", "2"]), ("5", ["0"]), ("GPU-1,GPU-2", ["0", "1"]), ("", []), ("-1", []), ("1,-1,2", ["0"])],
)
def test_worker_offers_the_gpus_that_cuda_may_use(
    monkeypatch: pytest.MonkeyPatch, visible: str | None, offered: list[str]
) -> None:
    machine.install(machine.Plan(gpus=3), monkeypatch.setattr)
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    if visible is not None:
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", visible)
    offers = describe_worker(10.0).offers
    assert [offer.place.argument for offer in offers] == offered
    assert all(bool(offer.uuid) == (visible is None) for offer in offers)


def test_groups_are_divided_by_their_cases_and_keep_the_order_of_the_suite() -> None:
    sizes = {"a": 1, "b": 6, "c": 2, "d": 3, "e": 2}
    assert divide(sizes, 2) == [("a", "b"), ("c", "d", "e")]
    assert divide({"a": 1}, 3) == [("a",), (), ()]
