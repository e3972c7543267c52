"""Run a suite."""
