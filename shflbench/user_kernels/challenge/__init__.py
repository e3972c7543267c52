"""Try kernels of a user as variants of a pattern: with its reference, inputs and settings, beside its own variants."""
