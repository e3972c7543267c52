"""The files of the page on many GPUs, and a machine on which they run: Dask and shflbench with scripted GPUs."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from shlex import quote
from typing import Any
from uuid import uuid4

from ruamel.yaml import YAML

from tests.faults.conftest import PATIENCE, PYTHONPATH, SUITE

PAGE = (Path(__file__).parents[2] / "docs" / "how-to" / "run-on-many-gpus.md").read_text(encoding="utf-8")
NAMES = ("certificate.sh", "fleet.sbatch", "fleet.sh")
SCRIPTS = dict(zip(NAMES, re.findall(r"```bash\n(.*?)```", PAGE, re.DOTALL), strict=True))
COMMANDS = re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL)
MANIFESTS = [
    document
    for text in re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    for document in YAML(typ="safe").load_all(text)
]

DASK = f"""\
#!/bin/sh
program=$1
shift
[ "$program" = worker ] && set -- "$@" --preload tests.fakes.fleet_worker
exec {quote(sys.executable)} -m "distributed.cli.dask_$program" "$@"
"""
SHFLBENCH = f'#!/bin/sh\nexec {quote(sys.executable)} -m tests.fakes.machine "$@"\n'
ON_HOST = 'FAKE_MACHINE=$(cat "$HOME/$host.json") exec'
# Options, the name of the host, and a command for its shell, as the page writes them.
SSH = f'#!/bin/bash\nfor command; do host=$previous previous=$command; done\n{ON_HOST} bash -c "$command"\n'
SRUN = f"""\
#!/bin/bash
while [[ $1 == --* ]]; do [ "$1" = --output ] && {{ log=$2; shift; }}; shift; done
for host in node1 node2; do ({ON_HOST} "$@" >"${{log/\\%N/$host}}" 2>&1) & done
wait
"""
# Of two GPUs on each host; `nvidia-smi` prints a line for each.
PROGRAMS = {
    "ssh": SSH,
    "srun": SRUN,
    "hostname": "#!/bin/sh\necho 127.0.0.1\n",
    "nvidia-smi": "#!/bin/sh\nprintf 'GPU-0\\nGPU-1\\n'\n",
}


@dataclass
class RecipeMachine:
    """A home with an environment of shflbench and a working folder with the files of the page and a suite."""

    folder: Path
    variables: Mapping[str, str]
    mark: str = field(default_factory=lambda: uuid4().hex)  # in the environment of every process

    def set_up(self, plan: Mapping[str, Any]) -> None:
        """Write all files; `plan` is that of each of two hosts, by default with two GPUs."""
        tools, programs = self.folder / "shflbench" / ".venv" / "bin", self.folder / "bin"
        for place, files in ((tools, {"dask": DASK, "shflbench": SHFLBENCH, "activate": ""}), (programs, PROGRAMS)):
            place.mkdir(parents=True)
            for name, text in files.items():
                (place / name).write_text(text, encoding="utf-8")
                (place / name).chmod(0o755)
        for number, host in enumerate(("node1", "node2")):
            one = {"gpus": 2, "first_gpu": 2 * number, "log": str(self.log), **plan}
            (self.folder / f"{host}.json").write_text(json.dumps(one), encoding="utf-8")
        (self.folder / "hosts.txt").write_text("node1\nnode2\n", encoding="utf-8")
        (self.folder / "suite.yaml").write_text(SUITE.replace("TIMEOUT", f"{PATIENCE:g}"), encoding="utf-8")

    @property
    def log(self) -> Path:
        return self.folder / "log"

    def start(self, name: str, *words: str, replace: Mapping[str, str] | None = None) -> subprocess.Popen[str]:
        """Start a script of the page, in which some texts are replaced."""
        script = SCRIPTS[name]
        for old, new in (replace or {}).items():
            assert old in script
            script = script.replace(old, new)
        (self.folder / name).write_text(script, encoding="utf-8")
        environment = {
            **os.environ,
            "HOME": str(self.folder),
            "PATH": os.pathsep.join(
                [str(self.folder / "bin"), f"{self.folder}/shflbench/.venv/bin", os.environ["PATH"]]
            ),
            "PYTHONPATH": PYTHONPATH,
            "FAKE_MACHINE": json.dumps({"cases_per_window": 1}),  # of the client
            "RECIPE_MARK": self.mark,
            **self.variables,
        }
        command = ["bash", name, *words]
        pipe = subprocess.PIPE
        return subprocess.Popen(command, cwd=self.folder, env=environment, stdout=pipe, stderr=pipe, text=True)

    def wait_until(self, met: Callable[[], object]) -> None:
        end = time.monotonic() + PATIENCE
        while not met():
            assert time.monotonic() < end, self.processes()
            time.sleep(0.05)

    def processes(self) -> list[int]:
        """Return the processes that the scripts started and that live."""
        present = []
        for process in Path("/proc").glob("[0-9]*"):
            try:
                if self.mark.encode() in (process / "environ").read_bytes():
                    present.append(int(process.name))
            except OSError:  # it ended meanwhile, or belongs to another user
                continue
        return present

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to all processes, as Slurm does when it preempts or ends a job."""
        for pid in self.processes():
            with suppress(ProcessLookupError):
                os.kill(pid, number)

    def kill(self) -> None:
        """End all processes."""
        self.signal(signal.SIGKILL)
        self.wait_until(lambda: not self.processes())
