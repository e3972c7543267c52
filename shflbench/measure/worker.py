"""The worker process: opens a device, reads jobs from stdin, and writes events to a separate pipe.

    python -m shflbench.measure.worker MODULE:FUNCTION ARGUMENT PIPE PARENT

`FUNCTION(ARGUMENT)` opens the backend; PIPE is the file descriptor of the pipe, PARENT the id of the parent process.
`measure/process.py` starts it. Output of libraries goes to stdout and stderr and does not mix with events.
"""

from __future__ import annotations

import fcntl
import importlib
import os
import signal
import sys
from typing import TYPE_CHECKING

from shflbench.core.processes import FROM_TERMINAL, kill_on_parent_exit
from shflbench.errors import ShflbenchError
from shflbench.measure.events import Opened, OpenFailed, encode
from shflbench.measure.job import Job
from shflbench.measure.job_runner import JobRunner

if TYPE_CHECKING:
    from shflbench.cuda.backends.base import Backend


def main(opener: str, argument: str, pipe: str, parent: str) -> None:
    """Run jobs until stdin ends."""
    kill_on_parent_exit(int(parent))  # no process may stay on the GPU
    for number in FROM_TERMINAL:  # the parent handles them
        signal.signal(number, signal.SIG_IGN)
    fcntl.fcntl(int(pipe), fcntl.F_SETFD, fcntl.FD_CLOEXEC)  # otherwise a library's child process could keep it open
    with os.fdopen(int(pipe), "w", encoding="utf-8") as out:
        try:
            backend = _open(opener, argument)
        except ShflbenchError as error:
            out.write(encode(OpenFailed(error.message, error.advice)))
            return
        out.write(encode(Opened(backend.name, backend.device, backend.problem)))
        out.flush()
        runner = JobRunner(backend)
        for line in sys.stdin:
            for event in runner.do(Job.from_json(line)):
                out.write(encode(event))
                out.flush()


def _open(opener: str, argument: str) -> Backend:
    module, _, function = opener.partition(":")
    backend: Backend = getattr(importlib.import_module(module), function)(argument)
    return backend


if __name__ == "__main__":
    main(*sys.argv[1:])
