"""The vocabulary of all stages: runs, claims, figures of GPUs, texts and numbers, files and processes."""
