"""The largest values of settings, and limits of checks, for suites, options of commands and arguments of functions."""

from __future__ import annotations

MAX_PRECISION = 0.1  # a wider interval is useless; the bound also catches `0.5` instead of `0.5%`
MAX_SECONDS = 86_400  # a day; timers overflow at 9·10^9, and larger values are meant as milliseconds
MAX_PROCESSES = 100  # each takes a second to start; their spread is known long before
MAX_SEED = 2**63 - 1  # that JSON and every language read as an integer
MAX_RESIDENT_BLOCKS = 32  # per SM, of any architecture
MAX_SHARED_BYTES = 2**31 - 1  # of a launch; kernels have less, which depends on the architecture
MAX_DEVICE_INDEX = 2**31 - 1
MAX_NAME = 200  # characters of a name that becomes that of files, which have up to 255
# Million instructions of the emulator, where the user gives none: of the check of a file, which takes a minute at most
# on a usual machine, and of the short check before kernels are timed.
BUDGET, SHORT_BUDGET = 20.0, 4.0
TIME_LIMIT_S = 600.0  # of a file, where the user gives none: an outer bound, also for a machine that is busy
MILLION = 1_000_000
