"""Run the PTX of kernels on NumPy, under schedules that a GPU may legally choose."""
