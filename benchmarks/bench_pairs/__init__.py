"""Kernels of public repositories, timed by their own programs and by `shflbench bench`."""
