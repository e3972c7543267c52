"""Compare the kernels of a file."""
