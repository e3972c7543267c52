"""Prove that a kernel computes the right thing, then time it."""
