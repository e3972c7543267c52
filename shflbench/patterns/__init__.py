"""The communication patterns: one folder per pattern, with its kernels and its declaration."""
