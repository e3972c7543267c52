"""CUDA on this machine: the compiler, the devices and the emulator as a device, and the installation."""
