"""The architecture that kernels are compiled for where there is no GPU to ask."""

DEFAULT_ARCH = "sm_90"
