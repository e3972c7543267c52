"""Facts of an H200 for all fakes. It imports little: worker processes of tests need it."""

from shflbench.core.model import Device

H200 = Device(
    name="NVIDIA H200",
    uuid="GPU-11111111-2222-3333-4444-555555555555",
    arch="sm_90",
    sms=132,
    max_shared_bytes=232448,
    memory_bytes=150_000_000_000,
    clock_mhz=1980,
    driver="580.159",
    cuda="13.0",
)
TICK_US = 0.032  # the step of an event time
