"""Runs the real PTX of every kernel on NumPy, under orderings of lanes that a GPU may legally choose."""
