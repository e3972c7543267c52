"""How long the GPU waits before a burst, so that the host has queued all of it when the first kernel starts."""

from __future__ import annotations

# What the host takes to queue one kernel and to record one event: through cupy an event-kernel-event triple takes
# about 8 µs. A burst gets a little more than that, and something for its own sake.
BURST_NS = 40_000
LAUNCH_NS = 6_000
EVENT_NS = 2_000

# A burst that the GPU overtook is taken again with twice the delay, up to 64 times the usual one, some 10 ms. A host
# that is later still is too busy for short kernels, and the burst says that it is late.
TRIES = 7
MOST = 2.0 ** (TRIES - 1)
# A burst on time takes this off again, half of it in 14 bursts: one hiccup of the host must not slow a whole run down.
EASING = 0.95


class Delay:
    """The delay of the next burst, which learns from whether the last ones were on time."""

    def __init__(self) -> None:
        """Begin with what an idle host takes."""
        self.factor = 1.0

    def nanoseconds(self, launches: int, events: int) -> int:
        """Return how long to wait for a burst of so many kernels and events."""
        return int((BURST_NS + LAUNCH_NS * launches + EVENT_NS * events) * self.factor)

    def learn(self, *, late: bool) -> None:
        """Wait for longer if the GPU overtook the host, else a little less long."""
        self.factor = min(MOST, self.factor * 2) if late else max(1.0, self.factor * EASING)
