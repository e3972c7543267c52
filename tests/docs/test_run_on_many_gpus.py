"""The files of the page on many GPUs: their syntax, and the options of Dask and fields of Kubernetes that they use."""

import json
import os
import re
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import urlopen

import pytest
from ruamel.yaml import YAML

from tests.docs.recipes import COMMANDS, MANIFESTS, PAGE, SCRIPTS
from tests.faults.conftest import PATIENCE
from tests.session.fleet.certificates import path_with_openssl

DOCS = Path(__file__).parents[2] / "docs"
SERVICE, POLICY, *DEPLOYMENTS = MANIFESTS
SCHEDULER, WORKER = DEPLOYMENTS


@pytest.mark.parametrize("name", SCRIPTS)
def test_scripts_are_valid(name: str) -> None:
    done = subprocess.run(["bash", "-n"], input=SCRIPTS[name], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_dask_knows_every_option_that_the_page_uses() -> None:
    listing = (
        "import json; from distributed.cli import dask_scheduler, dask_worker\n"
        "programs = {'scheduler': dask_scheduler.main, 'worker': dask_worker.main}\n"
        "options = {name: [one.opts + one.secondary_opts for one in main.params] for name, main in programs.items()}\n"
        "print(json.dumps(options))"
    )
    listed = subprocess.run([sys.executable, "-c", listing], capture_output=True, text=True, check=True).stdout
    for program, options in json.loads(listed).items():
        lines = re.findall(rf"dask\"? {program} (.*)|\[dask, {program}, (.*)\]", PAGE)
        used = {"--interface"} | {option for line in lines for option in re.findall(r"--[a-z-]+", "".join(line))}
        assert len(lines) >= 4
        assert all("--no-dashboard" in "".join(line) for line in lines)
        assert {"--protocol"} <= used if program == "scheduler" else {"--nworkers", "--nthreads"} <= used
        assert used <= {word for words in options for word in words}


def test_the_certificate_is_one_that_dask_accepts_at_home_and_in_a_pod(tmp_path: Path) -> None:
    home = {"HOME": str(tmp_path), "PATH": path_with_openssl(tmp_path / "bin")}
    subprocess.run(["bash", "-c", SCRIPTS["certificate.sh"]], env=home, check=True, capture_output=True)
    folder = tmp_path / ".config" / "dask"
    assert [oct((folder / name).stat().st_mode & 0o777) for name in (".", "key.pem")] == ["0o700", "0o600"]
    config = YAML(typ="safe").load((folder / "tls.yaml").read_text(encoding="utf-8"))["distributed"]
    assert config["comm"]["require-encryption"] is True
    assert config["scheduler"]["http"]["routes"] == config["worker"]["http"]["routes"] == []
    load = (
        "from distributed import Security\n"
        "for role in ('scheduler', 'worker', 'client'):\n"
        "    assert Security().get_connection_args(role)['ssl_context'].get_ca_certs()"
    )
    subprocess.run([sys.executable, "-c", load], env=home, check=True)
    copy = re.search(r"^sed .*$", "".join(COMMANDS), re.MULTILINE)
    assert copy
    subprocess.run(["bash", "-c", copy[0]], cwd=folder, env=home, check=True)
    in_pod = (folder / "tls.yaml.pod").read_text(encoding="utf-8")
    assert str(tmp_path) not in in_pod
    mounts = container(WORKER)["volumeMounts"] + container(SCHEDULER)["volumeMounts"]
    assert [one["mountPath"] for one in mounts if one["name"] == "tls"] == ["/etc/dask"] * 2
    assert in_pod.count("/etc/dask/") == 7


@pytest.mark.parametrize(("options", "codes"), [((), [404, 404]), (("--dashboard",), [200, 200])])
def test_the_web_server_of_dask_has_no_pages_with_the_options_and_the_configuration_of_the_page(
    tmp_path: Path, options: tuple[str, ...], codes: list[int]
) -> None:
    home = {**os.environ, "HOME": str(tmp_path), "PATH": path_with_openssl(tmp_path / "bin")}
    subprocess.run(["bash", "-c", SCRIPTS["certificate.sh"]], env=home, check=True, capture_output=True)
    (used,) = re.findall(r"^dask scheduler (.*--port 8786 [^#\n]*)#", PAGE, re.MULTILINE)
    words = [*used.replace("8786", "0").split(), "--host", "127.0.0.1", "--dashboard-address", "127.0.0.1:0"]
    file = tmp_path / "scheduler.json"
    command = [sys.executable, "-m", "distributed.cli.dask_scheduler", *words, *options, "--scheduler-file", str(file)]
    with subprocess.Popen(command, env=home, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as scheduler:
        try:
            port = port_of_web_server(file)
            assert [status_of(port, page) for page in ("/", "/status")] == codes
        finally:
            scheduler.terminate()


def port_of_web_server(file: Path) -> int:
    """Wait for the file of a scheduler, and return the port of its web server."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        with suppress(OSError, ValueError):  # not there, or not complete
            return int(json.loads(file.read_text(encoding="utf-8"))["services"]["dashboard"])
        time.sleep(0.1)
    raise AssertionError(f"no scheduler wrote {file}")


def status_of(port: int, page: str) -> int:
    """Return the HTTP status of a page, after redirections."""
    try:
        with urlopen(f"http://127.0.0.1:{port}{page}", timeout=PATIENCE) as answer:
            return int(answer.status)
    except HTTPError as error:
        return error.code


def container(deployment: dict[str, Any]) -> dict[str, Any]:
    (one,) = deployment["spec"]["template"]["spec"]["containers"]
    assert isinstance(one, dict)
    return one


def test_pods_of_the_cluster_agree_on_names_and_ports() -> None:
    (port,) = (one["port"] for one in SERVICE["spec"]["ports"])
    assert f"tls://{SERVICE['metadata']['name']}:{port}" in container(WORKER)["command"]
    assert str(port) in container(SCHEDULER)["command"]
    for deployment in DEPLOYMENTS:
        labels = deployment["spec"]["template"]["metadata"]["labels"].items()
        assert deployment["spec"]["selector"]["matchLabels"].items() <= labels
        assert POLICY["spec"]["podSelector"]["matchLabels"].items() <= labels
    assert SERVICE["spec"]["selector"].items() <= SCHEDULER["spec"]["template"]["metadata"]["labels"].items()


def test_commands_for_pods_wait_for_the_scheduler_and_list_the_nodes_before_the_pods_are_deleted() -> None:
    (commands,) = (text for text in COMMANDS if "kubectl apply" in text)
    name = SCHEDULER["metadata"]["name"]
    steps = ("apply", f"rollout status deployment/{name}", "port-forward", "shflbench run", "get pods", "delete")
    places = [commands.index(step) for step in steps]
    assert places == sorted(places)
    file = container(SCHEDULER)["readinessProbe"]["exec"]["command"][-1]
    assert container(SCHEDULER)["command"][-2:] == ["--scheduler-file", file]
    assert file.startswith(f"{container(SCHEDULER)['volumeMounts'][1]['mountPath']}/")


def test_no_command_of_the_pages_overwrites_a_file_of_a_run() -> None:
    pages = "".join(path.read_text(encoding="utf-8") for path in DOCS.rglob("*.md"))
    outputs = set(re.findall(r"shflbench .* (?:-o|--output) (\S+)", pages))
    assert "ranking.json" in outputs
    assert not outputs & {"fleet.json", "run.json", "results.csv", "limits.csv", "samples.csv.gz", "kernels.zip"}


def test_pods_have_no_rights_that_they_do_not_need() -> None:
    (source,) = POLICY["spec"]["ingress"]
    assert source == {"from": [{"podSelector": POLICY["spec"]["podSelector"]}]}
    for deployment in DEPLOYMENTS:
        pod = deployment["spec"]["template"]["spec"]
        assert pod["automountServiceAccountToken"] is pod["enableServiceLinks"] is False
        assert pod["securityContext"]["runAsNonRoot"] is True
        assert container(deployment)["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }
