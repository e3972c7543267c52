"""Run the tests that changed files can affect, the closest first, for at most a minute: `make test-quick`."""
