"""Kernels of a user's file as a pattern that can be run: which of them are compared, at which launches, with what."""
