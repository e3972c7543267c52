"""Check kernels from Python: PTX, CUDA C++, and kernels of Triton and Numba, with arrays as arguments."""
