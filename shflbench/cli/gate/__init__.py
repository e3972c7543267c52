"""Run a suite and compare it with a baseline."""
