"""The command `challenge`."""
