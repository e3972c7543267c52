"""The CPU time that it takes to start Python and to import `check`.

The fork server imports this module last. The processes that it forks find the imports done, and add this time to their
own.
"""

from time import process_time

CPU_SECONDS = process_time()
