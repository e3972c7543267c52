"""The files of the page on many GPUs: their syntax, and the options of Dask that they use."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from ruamel.yaml import YAML

PAGE = (Path(__file__).parents[2] / "docs" / "how-to" / "run-on-many-gpus.md").read_text(encoding="utf-8")
SCRIPTS = re.findall(r"```bash\n(.*?)```", PAGE, re.DOTALL)
DOCUMENTS = [
    document
    for text in re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    for document in YAML(typ="safe").load_all(text)
]


@pytest.mark.parametrize("script", SCRIPTS)
def test_scripts_are_valid(script: str) -> None:
    done = subprocess.run(["bash", "-n"], input=script, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("program", ["scheduler", "worker"])
def test_dask_knows_every_option_that_the_page_uses(program: str) -> None:
    command = [sys.executable, "-m", f"distributed.cli.dask_{program}", "--help"]
    known = set(re.findall(r"--[a-z-]+", subprocess.run(command, capture_output=True, text=True, check=True).stdout))
    lines = re.findall(rf"dask\"? {program} (.*)|\[dask, {program}, (.*)\]", PAGE)
    used = {option for line in lines for option in re.findall(r"--[a-z-]+", "".join(line))}
    assert len(lines) >= 4
    assert {"--protocol"} <= used if program == "scheduler" else {"--nworkers", "--nthreads"} <= used
    assert used <= known


def test_pods_of_the_cluster_agree_on_names_and_ports() -> None:
    config, service, scheduler, worker = DOCUMENTS
    assert config["distributed"]["comm"]["require-encryption"] is True
    assert scheduler["kind"] == worker["kind"] == "Deployment"
    (port,) = (one["port"] for one in service["spec"]["ports"])
    assert (
        f"tls://{service['metadata']['name']}:{port}" in worker["spec"]["template"]["spec"]["containers"][0]["command"]
    )
    assert str(port) in scheduler["spec"]["template"]["spec"]["containers"][0]["command"]
    for deployment in (scheduler, worker):
        labels = deployment["spec"]["template"]["metadata"]["labels"]
        assert labels == deployment["spec"]["selector"]["matchLabels"]
    assert service["spec"]["selector"] == scheduler["spec"]["template"]["metadata"]["labels"]
