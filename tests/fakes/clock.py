"""A clock that a test moves."""


class Clock:
    """Replaces `time.monotonic`."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        """Return the seconds since this clock was made."""
        return self.seconds

    def advance(self, seconds: float) -> None:
        """Advance the clock."""
        self.seconds += seconds
