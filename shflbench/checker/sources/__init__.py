"""From a CUDA file or a PTX file to its kernels, their parameters and the launches of the host code."""
