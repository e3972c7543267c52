import signal
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
    blocked, ignored = (int(line.split()[1], 16) for line in outcome.stdout.splitlines())
    # glibc keeps two signals for itself; posix_spawn, with which make starts programs, ignores them there.
    programs = sum(1 << (number - 1) for number in signal.valid_signals())
    assert (blocked & programs, ignored & programs) == (0, 0)
