"""A clock that moves only when it is told to."""


class Clock:
    """Stands in for `time.monotonic`."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        """Return the seconds since this clock was made."""
        return self.seconds

    def advance(self, seconds: float) -> None:
        """Let time pass."""
        self.seconds += seconds
