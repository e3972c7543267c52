"""What is compared: one folder a pattern, with its kernels and its declaration."""
