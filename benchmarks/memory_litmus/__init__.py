"""The litmus tests of the memory model on a GPU."""
