"""Check kernels without a GPU."""
