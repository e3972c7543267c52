"""Noise of a GPU: learn it, and test a gate with it."""
