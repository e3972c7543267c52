"""The files of the page on many GPUs: their syntax, and the options of Dask and fields of Kubernetes that they use."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from tests.docs.recipes import COMMANDS, MANIFESTS, PAGE, SCRIPTS

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
        used = {option for line in lines for option in re.findall(r"--[a-z-]+", "".join(line))}
        assert len(lines) >= 4
        assert {"--protocol"} <= used if program == "scheduler" else {"--nworkers", "--nthreads"} <= used
        assert used <= {word for words in options for word in words}


def test_the_certificate_is_one_that_dask_accepts_at_home_and_in_a_pod(tmp_path: Path) -> None:
    home = {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}
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
