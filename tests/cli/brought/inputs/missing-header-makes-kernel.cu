// macros.h, which is missing, makes the kernel `bad`.
#include "macros.h"
__global__ void good(int *out) { out[blockIdx.x * blockDim.x + threadIdx.x] = 1; }
MAKE_KERNEL(bad)
int main() { int *p; cudaMalloc(&p, 128*4); good<<<1,128>>>(p); bad<<<1,128>>>(p); }
