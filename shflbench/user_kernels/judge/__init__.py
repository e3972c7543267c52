"""`judge`: one verdict on each of several kernels: whether it compiles, is safe, right, honest, and faster."""
