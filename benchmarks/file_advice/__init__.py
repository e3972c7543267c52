"""The advice on public files with shared memory: what `advise FILE` suggests, and what readers say of it."""
