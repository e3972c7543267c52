import subprocess
import sys
from pathlib import Path

REPOSITORY = Path(__file__).parent.parent
IGNORE_ALL = """
import signal, subprocess
from tests.signals import deliver_to_children

for number in signal.valid_signals() - {signal.SIGKILL, signal.SIGSTOP}:
    signal.signal(number, signal.SIG_IGN)
signal.pthread_sigmask(signal.SIG_SETMASK, signal.valid_signals())
deliver_to_children()
subprocess.run(["grep", "-E", "^Sig(Blk|Ign)", "/proc/self/status"], check=True)
"""


def test_processes_of_tests_receive_every_signal_that_the_caller_ignores_or_blocks() -> None:
    outcome = subprocess.run(
        [sys.executable, "-c", IGNORE_ALL], cwd=REPOSITORY, capture_output=True, text=True, check=True
    )
    assert outcome.stdout.split() == ["SigBlk:", "0" * 16, "SigIgn:", "0" * 16]
