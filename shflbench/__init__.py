"""Warp shuffle or shared memory? Benchmark both on your GPU, for your communication pattern."""

__version__ = "0.2.0"
