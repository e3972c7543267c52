"""Advice on the kernels of a file: gains of each suggestion, and which of two kernels is faster."""
