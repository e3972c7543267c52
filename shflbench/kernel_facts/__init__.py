"""All that is known of compiled kernels: code, requests to memory, residency, limit and prediction."""
