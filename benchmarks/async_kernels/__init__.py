"""`check` on public kernels with clusters, bulk copies and dependent launches."""
