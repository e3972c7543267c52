"""Check the kernels of patterns, with their inputs and expected results, in the emulator."""
