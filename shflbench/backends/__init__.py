"""Who runs a kernel: a GPU through CUDA, or nobody."""
