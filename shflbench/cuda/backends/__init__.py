"""The backends: a GPU through CUDA, the emulator, or none, which only compiles."""
