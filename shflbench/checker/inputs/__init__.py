"""Arguments and launches of kernels that no pattern declares: given, from host code, or chosen."""
