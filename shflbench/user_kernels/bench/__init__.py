"""`shflbench.bench`: compare and time kernels of a Python program, as the command `bench` does those of a file."""
